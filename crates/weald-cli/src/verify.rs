//! `weald verify`: whether a baked mesh is a surface, and whether cuts through its levels are.

use std::fs;
use std::io::Read as _;
use std::path::Path;
use std::time::Instant;

use weald::bake::Error;
use weald::bake::chunk_list::ChunkList;
use weald::bake::cut::BakedChunks;
use weald::bake::local::on_threads;
use weald::bake::manifest::{self, CHUNK_LIST};
use weald::bake::recipe::Extent;
use weald::bake::store::{Store, StoreOptions};
use weald::bake::verify::{Totals, verify_glb, verify_random_cuts};
use weald::space::Lod;

use crate::args::Verify;
use crate::exit::{self, Failure, in_file};
use crate::print::{grouped, line};
use crate::progress::{Bar, cancel_on_ctrl_c};

/// A GLB counts its bytes in 32 bits.
const MAX_BYTES: u64 = 1 << 32;
/// Seed of random cuts if none is given.
const SEED: u64 = 1;

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

/// The chunks of a baked folder.
pub(crate) fn read_chunks(folder: &Path) -> Result<BakedChunks, Failure> {
    let file = folder.join(CHUNK_LIST);
    let list = ChunkList::read(&file).map_err(|error| in_file(&error.into(), &file))?;
    let place = folder.join(manifest::STORE);
    if !Store::is_at(&place) {
        return Err(Failure::new(exit::DATA, format!("the bake has no store ({})", place.display())));
    }
    let store = Store::open(&place, StoreOptions::default())?;
    BakedChunks::read(&list, &store).map_err(|error| in_file(&error, &place))
}

/// Checks the mesh of a baked folder, or cuts through its levels, and prints what it found.
pub(crate) fn run(args: &Verify, quiet: bool) -> Result<u8, Failure> {
    if let Some(cuts) = args.cuts {
        return check_cuts(args, cuts.get(), quiet);
    }
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

/// A number with what it counts.
fn counted(count: u32, what: &str) -> String {
    format!("{} {what}{}", grouped(count.into()), if count == 1 { "" } else { "s" })
}

fn check_cuts(args: &Verify, asked: u32, quiet: bool) -> Result<u8, Failure> {
    if !args.folder.is_dir() {
        let message = format!("--cuts needs the folder of a bake ({})", args.folder.display());
        return Err(Failure::new(exit::USAGE, message));
    }
    let start = Instant::now();
    let baked = on_threads(args.jobs, || read_chunks(&args.folder))??;
    let count = if baked.coarsest() == Lod::FINEST { 1 } else { asked };
    if count < asked && !quiet {
        line("the bake has one level of detail, and so one cut");
    }
    let seed = args.seed.unwrap_or(SEED);
    let cancel = cancel_on_ctrl_c();
    let bar = Bar::new(quiet);
    let progress = |done: u32| bar.count("cuts", done.into(), count.into());
    let verdicts = verify_random_cuts(&baked, seed, count, args.jobs, &cancel, &progress).map_err(
        |error| match error {
            // Chunks of one bake fit together: these are not.
            Error::Contour { .. } | Error::Union(_) => in_file(&error, &args.folder.join(CHUNK_LIST)),
            error => error.into(),
        },
    )?;
    drop(bar);
    let Totals { lines, worst } = Totals::of(&verdicts);
    if !quiet {
        let levels = u32::from(baked.coarsest().index()) + 1;
        let seconds = start.elapsed().as_secs_f64();
        let (cuts, levels) = (counted(count, "cut"), counted(levels, "level"));
        line(&format!("{cuts} through {levels}, seed {seed}: {seconds:.1} s"));
        line(&format!("{:<40} {:>15} {:>12}", "", "all cuts", "most of one"));
        for (what, sum, most) in lines {
            line(&format!("{what:<40} {:>15} {:>12}", grouped(sum), grouped(most)));
        }
    }
    let Some(worst) = worst else { return Ok(exit::OK) };
    let wrong = verdicts.iter().filter(|verdict| verdict.defects() > 0).count();
    let message = format!(
        "{wrong} of {} have defects, and cut {worst} of seed {seed} the most: {} ({})",
        counted(count, "cut"),
        verdicts[worst].defects(),
        args.folder.display()
    );
    Err(Failure::new(exit::DEFECTS, message))
}
