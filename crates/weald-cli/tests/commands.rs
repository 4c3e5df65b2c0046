//! The commands as people use them.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

/// Runs weald in a folder; exit code and standard output.
fn weald(folder: &Path, args: &[&str]) -> (i32, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_weald")).args(args).current_dir(folder).output().unwrap();
    let mut text = String::from_utf8(output.stdout).unwrap();
    if !output.status.success() {
        text += &String::from_utf8_lossy(&output.stderr);
    }
    (output.status.code().unwrap_or(-1), text)
}

/// A new world, cut down to a quarter of its region and to small pictures.
fn new_world(folder: &Path) {
    let (code, text) = weald(folder, &["new", "hill"]);
    assert_eq!(code, 0, "{text}");
    let world = fs::read_to_string(folder.join("hill.ron")).unwrap();
    let smaller = world
        .replace("(-128, -128), max: (128, 128)", "(-64, -64), max: (64, 64)")
        .replace("    sun:", "    picture: (size: (64, 36)),\n    sun:");
    assert!(smaller.len() > world.len(), "the starter has a region and a sun");
    fs::write(folder.join("hill.ron"), smaller).unwrap();
}

#[test]
fn a_new_world_is_baked_once_verified_and_restored() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    new_world(at);
    assert_eq!(weald(at, &["check", "hill.ron"]).0, 0);

    let (code, text) = weald(at, &["bake", "hill.ron"]);
    assert_eq!(code, 0, "{text}");
    let names = ["chunks.json", "manifest.json", "plan.png", "preview.png", "report.json", "world.glb"];
    let read = || names.map(|name| fs::read(at.join("bakes/hill").join(name)).unwrap_or_default());
    let first = read();
    assert!(first.iter().all(|bytes| !bytes.is_empty()));

    let (code, text) = weald(at, &["bake", "hill.ron"]);
    assert_eq!((code, text.as_str()), (0, "hill is baked already; nothing to do (bakes/hill)\n"));
    assert_eq!(read(), first);

    let (code, text) = weald(at, &["verify", "bakes/hill"]);
    assert_eq!(code, 0, "{text}");

    fs::remove_file(at.join("bakes/hill/plan.png")).unwrap();
    fs::write(at.join("bakes/hill/preview.png"), "scribble").unwrap();
    fs::write(at.join("bakes/hill/manifest.json"), "scribble").unwrap();
    let (code, text) = weald(at, &["bake", "hill.ron", "--jobs", "1"]);
    assert_eq!(code, 0, "{text}");
    assert!(text.contains("wrote manifest.json, preview.png, plan.png, report.json in bakes/hill"), "{text}");
    let restored = read();
    for (i, name) in names.iter().enumerate().filter(|(_, name)| **name != "report.json") {
        assert!(restored[i] == first[i], "{name} differs");
    }
}

#[test]
fn a_bake_killed_at_ten_moments_gives_the_bytes_of_an_undisturbed_one() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    new_world(at);
    let start = Instant::now();
    assert_eq!(weald(at, &["bake", "hill.ron", "--out", "calm", "--quiet"]).0, 0);
    let whole = start.elapsed();
    let read = |out: &str| {
        ["manifest.json", "plan.png", "preview.png", "world.glb"]
            .map(|name| fs::read(at.join(out).join(name)).unwrap())
    };
    let calm = read("calm");
    let mut reused_something = false;
    for tenth in 0..10 {
        let out = format!("killed-{tenth}");
        let args = ["bake", "hill.ron", "--quiet", "--out", out.as_str()];
        let mut child = Command::new(env!("CARGO_BIN_EXE_weald")).args(args).current_dir(at).spawn().unwrap();
        std::thread::sleep(whole * tenth / 10);
        child.kill().unwrap();
        child.wait().unwrap();
        let (code, text) = weald(at, &args);
        assert_eq!(code, 0, "killed after {tenth} tenths: {text}");
        assert!(read(&out) == calm, "killed after {tenth} tenths");
        let report = fs::read_to_string(at.join(&out).join("report.json")).unwrap();
        let report: serde_json::Value = serde_json::from_str(&report).unwrap();
        let jobs = &report["jobs"];
        reused_something |= ["chunks", "seams", "outputs"].iter().any(|kind| jobs[kind]["reused"] != 0);
        assert_eq!(report["repaired"].as_array().map(Vec::len), Some(0), "a store is whole at every moment");
    }
    assert!(reused_something, "what was made before a kill is used again");
}

#[test]
fn pictures_are_taken_of_worlds_and_of_folders() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    new_world(at);
    let (code, text) = weald(at, &["preview", "hill.ron", "--size", "40x20"]);
    assert_eq!((code, text.as_str()), (0, "wrote bakes/hill/view.png\n"));
    assert_eq!(weald(at, &["bake", "hill.ron", "--no-pictures", "--quiet"]), (0, String::new()));
    let from_there = ["--eye", "150,-150,90", "--target", "0,0,0", "--size", "40x20", "--out", "a.png"];
    let args: Vec<&str> = ["preview", "bakes/hill"].into_iter().chain(from_there).collect();
    assert_eq!(weald(at, &args).0, 0);
    assert_eq!(weald(at, &["preview", "bakes/hill", "--plan", "--out", "a.png", "--size", "40x40"]).0, 0);
    assert!(fs::read(at.join("a.png")).unwrap().starts_with(b"\x89PNG"));
    let world = fs::read_to_string(at.join("hill.ron")).unwrap();
    let without: Vec<&str> = world.lines().filter(|line| !line.contains("camera:")).collect();
    fs::write(at.join("free.ron"), without.join("\n")).unwrap();
    let views = ["20", "60"].map(|fov| {
        let args = ["preview", "free.ron", "--fov", fov, "--size", "40x20", "--jobs", "1", "--out", "a.png"];
        assert_eq!(weald(at, &args).0, 0);
        fs::read(at.join("a.png")).unwrap()
    });
    assert_ne!(views[0], views[1], "an angle of view holds without a camera too");
    assert_eq!(
        weald(at, &["preview", "bakes/hill", "--out", "hill.ron"]).0,
        4,
        "no world file is written over"
    );
}

#[test]
fn a_camera_in_the_ground_costs_the_picture_alone() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    new_world(at);
    assert_eq!(weald(at, &["bake", "hill.ron", "--quiet"]).0, 0);
    let world = fs::read_to_string(at.join("hill.ron")).unwrap();
    let buried = world.replace("eye: Ground(90, -110, 40)", "eye: Ground(20, -20, -9)");
    assert_ne!(buried, world);
    fs::write(at.join("hill.ron"), buried).unwrap();
    for _ in 0..2 {
        let (code, text) = weald(at, &["bake", "hill.ron"]);
        assert_eq!(code, 0, "{text}");
        let there =
            ["world.glb", "plan.png", "preview.png"].map(|name| at.join("bakes/hill").join(name).exists());
        assert_eq!(there, [true, true, false], "the picture of the world before is gone");
        let report = fs::read_to_string(at.join("bakes/hill/report.json")).unwrap();
        assert!(report.contains("(camera.eye)"), "{report}");
    }
    assert_eq!(weald(at, &["preview", "hill.ron"]).0, 2);
    assert_eq!(weald(at, &["bake", "hill.ron", "--no-pictures"]).0, 0);
    assert!(!at.join("bakes/hill/plan.png").exists(), "a picture that is not made any more is gone");
}

#[test]
fn a_report_of_another_bake_is_made_anew_and_defects_are_told_again() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    new_world(at);
    let bake = ["bake", "hill.ron", "--no-pictures"];
    assert_eq!(weald(at, &bake).0, 0);
    let file = at.join("bakes/hill/report.json");
    let mut report: serde_json::Value = serde_json::from_slice(&fs::read(&file).unwrap()).unwrap();
    let key = report["outputs"][0].clone();
    report["outputs"][0] = "another".into();
    fs::write(&file, report.to_string()).unwrap();
    assert_eq!(weald(at, &bake).0, 0);
    let mut report: serde_json::Value = serde_json::from_slice(&fs::read(&file).unwrap()).unwrap();
    assert_eq!(report["outputs"][0], key);
    report["sound"] = false.into();
    fs::write(&file, report.to_string()).unwrap();
    assert_eq!(weald(at, &bake).0, 1);
}

#[test]
fn a_damaged_mesh_is_found() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    new_world(at);
    assert_eq!(weald(at, &["bake", "hill.ron", "--no-pictures"]).0, 0);
    let file = at.join("bakes/hill/world.glb");
    let mut glb = fs::read(&file).unwrap();
    let last = glb.len() - 12;
    let index: [u8; 4] = glb[last - 600..last - 596].try_into().unwrap();
    glb[last..last + 4].copy_from_slice(&index);
    fs::write(&file, glb).unwrap();
    let (code, text) = weald(at, &["verify", "bakes/hill"]);
    assert_eq!(code, 1, "{text}");
}

#[test]
fn schema_completions_and_manual_are_printed() {
    let here = Path::new(".");
    let (code, schema) = weald(here, &["schema"]);
    assert!(code == 0 && schema.contains("\"cell_size\""));
    let (code, script) = weald(here, &["completions", "bash"]);
    assert!(code == 0 && script.contains("weald"));
    let (code, page) = weald(here, &["man"]);
    assert!(code == 0 && page.contains(".TH") && page.contains("Exit codes"));
    let (code, help) = weald(here, &["bake", "--help"]);
    assert!(code == 0 && help.contains("weald bake worlds/valley.ron"));
}
