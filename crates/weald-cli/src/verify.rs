//! `weald verify`: whether a baked mesh is a surface.

use std::fs;
use std::io::Read as _;
use std::path::Path;

use weald::bake::manifest;
use weald::bake::recipe::Extent;
use weald::bake::verify::verify_glb;

use crate::args::Verify;
use crate::exit::{self, Failure, in_file};
use crate::print::{grouped, line};

/// A GLB counts its bytes in 32 bits.
const MAX_BYTES: u64 = 1 << 32;

/// The bytes of a GLB file.
pub(crate) fn read_mesh(file: &Path) -> Result<Vec<u8>, Failure> {
    let mut bytes = Vec::new();
    let read = fs::File::open(file).and_then(|open| open.take(MAX_BYTES).read_to_end(&mut bytes));
    let fail = |why: &dyn std::fmt::Display| {
        Failure::new(exit::DATA, format!("cannot read the mesh: {why} ({})", file.display()))
    };
    match read {
        Err(error) => Err(fail(&error)),
        Ok(length) if length as u64 == MAX_BYTES => Err(fail(&"it has 4 GiB or more, must be below")),
        Ok(_) => Ok(bytes),
    }
}

/// Checks the mesh of a baked folder and prints what it found.
pub(crate) fn run(args: &Verify, quiet: bool) -> Result<u8, Failure> {
    let folder = args.folder.is_dir();
    let file = if folder { args.folder.join(manifest::SCENE) } else { args.folder.clone() };
    let glb = read_mesh(&file)?;
    let manifest = if folder { manifest::read(&args.folder) } else { None };
    let region = manifest.as_ref().map(|m| Extent { min: m.region.min, max: m.region.max });
    let verdict = verify_glb(&glb, region, manifest.map_or(0.0, |m| m.cell_size))
        .map_err(|error| in_file(&error, &file))?;
    if !quiet {
        let findings = &verdict.findings;
        let figures = [("vertices", findings.vertices), ("triangles", findings.triangles)];
        for (what, count) in figures.into_iter().chain(verdict.lines()) {
            line(&format!("{what:<40} {:>12}", grouped(count as u64)));
        }
    }
    if verdict.is_sound() {
        return Ok(exit::OK);
    }
    Err(Failure::new(exit::DEFECTS, format!("the mesh has defects ({})", file.display())))
}
