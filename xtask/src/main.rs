//! Set-up, gates and goldens, in one place: `cargo xtask COMMAND`.
//!
//! `cargo xtask test` is the command that passes the tests: it installs what they need and runs every gate. The others
//! run one gate each.

mod driver;
mod gates;
mod layers;

use std::process::ExitCode;

const HELP: &str = "\
cargo xtask COMMAND

  test     install what the tests need and run every gate, in this order: format, layers, clippy, docs, unit, gpu,
           bake
  setup    only install: the glTF validator (npm); where WEALD_REQUIRE has gpu, a software Vulkan driver (apt-get)
  format   rustfmt, without changing anything
  layers   dependencies between crates point one way (DESIGN: the parts)
  clippy   lints, warnings denied
  docs     rustdoc with private items, warnings denied
  unit     unit, property, golden and doc tests
  gpu      the tests of weald-gpu, on a software Vulkan driver
  bake     bake worlds/valley.ron, verify it, and run the glTF validator on it

WEALD_REQUIRE=node,gpu,data turns a skipped test into a failure; WEALD_DATA names the folder of real elevation files.
";

fn main() -> ExitCode {
    let command = std::env::args().nth(1).unwrap_or_default();
    let result = match command.as_str() {
        "test" => gates::all(),
        "setup" => gates::setup(),
        "format" => gates::format(),
        "layers" => layers::check(),
        "clippy" => gates::clippy(),
        "docs" => gates::docs(),
        "unit" => gates::unit(),
        "gpu" => gates::gpu(),
        "bake" => gates::bake(),
        _ => {
            eprint!("{HELP}");
            return if matches!(command.as_str(), "help" | "--help" | "-h") {
                ExitCode::SUCCESS
            } else {
                ExitCode::from(2)
            };
        }
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("xtask: {message}");
            ExitCode::FAILURE
        }
    }
}
