//! Dependencies between crates point one way.
//!
//! The table is that of the design: a crate may use the crates in its row and no other of ours. What only tests use
//! (`dev-dependencies`) may reach the test kit and nothing else beyond the row. Some crates outside are fenced too:
//! nothing below the hosts knows Bevy, wgpu or pyo3, and nothing below the bake knows RON.

use std::process::Command;

use serde_json::Value;

const MAY_USE: &[(&str, &[&str])] = &[
    ("weald-space", &[]),
    ("weald-field", &["weald-space"]),
    ("weald-mesh", &["weald-space"]),
    ("weald-contour", &["weald-space", "weald-field", "weald-mesh"]),
    ("weald-terrain", &["weald-space"]),
    ("weald-world", &["weald-space"]),
    (
        "weald-bake",
        &["weald-space", "weald-field", "weald-mesh", "weald-contour", "weald-terrain", "weald-world"],
    ),
    (
        "weald",
        &[
            "weald-space",
            "weald-field",
            "weald-mesh",
            "weald-contour",
            "weald-terrain",
            "weald-world",
            "weald-bake",
        ],
    ),
    ("weald-gpu", &["weald-space", "weald-field"]),
    ("weald-cli", &["weald"]),
    ("weald-testkit", &["weald-space", "weald-field", "weald-mesh"]),
    ("xtask", &[]),
];

/// Crates outside that only the named crates of ours may use.
const FENCED: &[(&str, &[&str])] = &[
    ("bevy", &["weald-bevy", "weald-studio"]),
    ("wgpu", &["weald-gpu", "weald-bevy", "weald-studio"]),
    ("pyo3", &["weald-py"]),
    ("ron", &["weald-bake", "weald", "weald-cli", "weald-bevy", "weald-studio", "weald-py"]),
    ("parry3d", &["weald-bake", "weald-bevy", "weald-tree", "weald-mesh"]),
    ("clap", &["weald-cli"]),
    ("miette", &["weald-cli"]),
];

/// Checks every arrow of the workspace against the table.
pub(crate) fn check() -> Result<(), String> {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version", "1", "--no-deps"])
        .output()
        .map_err(|error| format!("cannot run cargo metadata: {error}"))?;
    let metadata: Value =
        serde_json::from_slice(&output.stdout).map_err(|error| format!("cargo metadata: {error}"))?;
    let mut wrong = Vec::new();
    for package in metadata["packages"].as_array().into_iter().flatten() {
        check_package(package, &mut wrong);
    }
    if wrong.is_empty() {
        println!("layers: every arrow points up the list");
        Ok(())
    } else {
        Err(format!("layers:\n  {}", wrong.join("\n  ")))
    }
}

fn check_package(package: &Value, wrong: &mut Vec<String>) {
    let name = package["name"].as_str().unwrap_or_default();
    let Some((_, allowed)) = MAY_USE.iter().find(|(crate_name, _)| *crate_name == name) else {
        wrong.push(format!("{name} is not in the table of xtask/src/layers.rs"));
        return;
    };
    for dependency in package["dependencies"].as_array().into_iter().flatten() {
        let used = dependency["name"].as_str().unwrap_or_default();
        let for_tests = dependency["kind"].as_str() == Some("dev");
        let ours = used == "weald" || used.starts_with("weald-");
        if ours && !allowed.contains(&used) && !(for_tests && used == "weald-testkit") {
            wrong.push(format!("{name} may not use {used}"));
        }
        let fence = FENCED.iter().find(|(outside, _)| *outside == used);
        if fence.is_some_and(|(_, users)| !users.contains(&name)) && !for_tests {
            wrong.push(format!("{name} may not use {used}: only {:?} may", fence.map(|(_, users)| users)));
        }
    }
}
