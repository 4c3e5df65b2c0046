//! The gates, each a command that must succeed.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use crate::{driver, layers};

type Gate = fn() -> Result<(), String>;

/// What lints and docs are checked of: the default members, then those that are none.
const PACKAGES: [&[&str]; 2] = [&[], &["-p", "weald-gpu"]];

/// Installs what the tests need and runs every gate.
pub(crate) fn all() -> Result<(), String> {
    let gates: [(&str, Gate); 8] = [
        ("setup", setup),
        ("format", format),
        ("layers", layers::check),
        ("clippy", clippy),
        ("docs", docs),
        ("unit", unit),
        ("gpu", gpu),
        ("bake", bake),
    ];
    let start = Instant::now();
    for (name, gate) in gates {
        let begun = Instant::now();
        println!("── {name}");
        gate()?;
        println!("── {name} holds after {:.0} s", begun.elapsed().as_secs_f64());
    }
    println!("all gates hold after {:.0} s", start.elapsed().as_secs_f64());
    Ok(())
}

/// The clone that `cargo xtask` was called in. Asked when it runs: a target folder that clones share may hold an xtask
/// built in another one.
fn root() -> PathBuf {
    let xtask = std::env::var_os("CARGO_MANIFEST_DIR").unwrap_or_else(|| env!("CARGO_MANIFEST_DIR").into());
    Path::new(&xtask).parent().map(Path::to_path_buf).unwrap_or_default()
}

pub(crate) fn required(what: &str) -> bool {
    std::env::var("WEALD_REQUIRE").is_ok_and(|list| list.split(',').any(|item| item.trim() == what))
}

fn run(command: &mut Command) -> Result<(), String> {
    let status = command
        .current_dir(root())
        .status()
        .map_err(|error| format!("cannot run {}: {error}", command.get_program().to_string_lossy()))?;
    if status.success() { Ok(()) } else { Err(format!("failed: {command:?}")) }
}

fn cargo(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO"));
    command.args(arguments);
    command
}

/// Installs the glTF validator, if npm is there, and a software driver for graphics, if it is asked for.
pub(crate) fn setup() -> Result<(), String> {
    validator()?;
    driver::setup()
}

fn validator() -> Result<(), String> {
    let folder = root().join("tools/gltf-validate");
    if folder.join("node_modules/gltf-validator").is_dir() {
        return Ok(());
    }
    let npm = Command::new("npm")
        .args(["ci", "--no-audit", "--no-fund", "--loglevel=error"])
        .current_dir(&folder)
        .status();
    match npm {
        Ok(status) if status.success() => Ok(()),
        other if required("node") => Err(format!("npm ci in {} failed: {other:?}", folder.display())),
        _ => {
            eprintln!("SKIPPED: npm ci did not work, so no glTF file goes through the Khronos validator");
            Ok(())
        }
    }
}

/// rustfmt, without changing anything.
pub(crate) fn format() -> Result<(), String> {
    run(&mut cargo(&["fmt", "--all", "--check"]))
}

/// Lints, warnings denied.
pub(crate) fn clippy() -> Result<(), String> {
    for packages in PACKAGES {
        let mut command = cargo(&["clippy", "--quiet", "--all-targets"]);
        run(command.args(packages).args(["--", "-D", "warnings"]))?;
    }
    Ok(())
}

/// rustdoc with private items, warnings denied.
pub(crate) fn docs() -> Result<(), String> {
    for packages in PACKAGES {
        let mut command = cargo(&["doc", "--quiet", "--no-deps", "--document-private-items"]);
        run(command.args(packages).env("RUSTDOCFLAGS", "-D warnings"))?;
    }
    Ok(())
}

/// Unit, property, golden and doc tests.
pub(crate) fn unit() -> Result<(), String> {
    if std::env::var_os("WEALD_DATA").is_none() {
        if required("data") {
            return Err("WEALD_DATA names no folder, and WEALD_REQUIRE asks for the real data".to_owned());
        }
        eprintln!("SKIPPED: WEALD_DATA is not set, so no real elevation file is read");
    }
    run(&mut cargo(&["test", "--no-fail-fast"]))
}

/// The tests of the crate that is no default member, because building wgpu takes minutes. What needs a driver skips
/// aloud without one.
pub(crate) fn gpu() -> Result<(), String> {
    let mut command = cargo(&["test", "--no-fail-fast", "-p", "weald-gpu"]);
    if std::env::var_os("XDG_RUNTIME_DIR").is_none() {
        // Drivers look for a display there, and complain at every call where the variable is not set.
        command.env("XDG_RUNTIME_DIR", std::env::temp_dir());
    }
    run(&mut command)
}

/// Bakes the example world, verifies it, and hands it to the glTF validator.
pub(crate) fn bake() -> Result<(), String> {
    let out = std::env::temp_dir().join(format!("weald-valley-{}", std::process::id()));
    let folder = out.to_string_lossy().into_owned();
    let result = bake_into(&folder);
    // What a failed gate left behind is of no use; a missing folder is no error.
    let _ = std::fs::remove_dir_all(&out);
    result
}

fn bake_into(folder: &str) -> Result<(), String> {
    let weald = ["run", "--release", "--quiet", "-p", "weald-cli", "--"];
    run(cargo(&weald).args(["bake", "worlds/valley.ron", "--out", folder]))?;
    run(cargo(&weald).args(["verify", folder]))?;
    run(cargo(&weald).args(["verify", folder, "--cuts", "5"]))?;
    if !root().join("tools/gltf-validate/node_modules/gltf-validator").is_dir() {
        if required("node") {
            return Err("the glTF validator is not installed: run cargo xtask setup".to_owned());
        }
        eprintln!("SKIPPED: the glTF validator is not installed");
        return Ok(());
    }
    run(Command::new("node").args(["tools/gltf-validate/validate.mjs", &format!("{folder}/world.glb")]))
}
