//! `weald new`: a commented world file to start from.

use std::fs::OpenOptions;
use std::io::Write as _;
use std::path::PathBuf;

use weald::bake::recipe;

use crate::args::New;
use crate::exit::{self, Failure};
use crate::print::line;

/// The world that is written; NAME stands for its name.
const STARTER: &str = include_str!("starter.ron");

/// Writes NAME.ron, unless it is there.
pub(crate) fn run(args: &New, quiet: bool) -> Result<u8, Failure> {
    let file = PathBuf::from(format!("{}.ron", args.name));
    let text = STARTER.replace("NAME", &args.name);
    recipe::parse(&file, &text)?;
    let opened = OpenOptions::new().write(true).create_new(true).open(&file);
    let written = opened.and_then(|mut opened| {
        opened.write_all(text.as_bytes()).inspect_err(|_| {
            let _ = std::fs::remove_file(&file);
        })
    });
    written.map_err(|error| {
        let why = match error.kind() {
            std::io::ErrorKind::AlreadyExists => "it is there already; nothing was written".to_owned(),
            _ => error.to_string(),
        };
        Failure::new(exit::OUTPUT, format!("cannot write the world file: {why} ({})", file.display()))
    })?;
    if !quiet {
        line(&format!("wrote {}; bake it with: weald bake {}", file.display(), file.display()));
    }
    Ok(exit::OK)
}
