//! The weald command.
//!
//! `main ─args→ command ─weald::bake→ exit code`. The commands own no step of the pipeline: they load, plan, run and
//! write by calls into the library, and print.

mod args;
mod bake;
mod exit;
mod inspect;
mod new;
mod preview;
mod print;
mod progress;
mod verify;
mod world;

use std::process::ExitCode;

use clap::{CommandFactory as _, Parser as _};

use args::{Args, Command, Inspect};
use exit::Failure;

fn main() -> ExitCode {
    exit::panics_are_bugs();
    let args = Args::parse();
    match run(args) {
        Ok(code) => ExitCode::from(code),
        Err(failure) => {
            failure.print();
            ExitCode::from(failure.code())
        }
    }
}

fn run(args: Args) -> Result<u8, Failure> {
    let quiet = args.quiet;
    match args.command {
        Command::New(new) => new::run(&new, quiet),
        Command::Check(check) => world::check(&check, quiet),
        Command::Schema => world::schema(),
        Command::Bake(bake) => bake::run(&bake, quiet),
        Command::Preview(preview) => preview::run(&preview, quiet),
        Command::Inspect(Inspect::Field(field)) => inspect::field(&field, quiet),
        Command::Verify(verify) => verify::run(&verify, quiet),
        Command::Completions { shell } => {
            clap_complete::generate(shell, &mut Args::command(), "weald", &mut std::io::stdout());
            Ok(exit::OK)
        }
        Command::Man => print::man(&Args::command()),
    }
}
