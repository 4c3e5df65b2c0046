//! Levels of detail from the command line: baked, checked in random cuts, shown in colour.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::fs;
use std::path::Path;
use std::process::Command;

fn weald(folder: &Path, args: &[&str]) -> (i32, String, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_weald"))
        .args(args)
        .current_dir(folder)
        .env("NO_COLOR", "1")
        .output()
        .unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (output.status.code().unwrap_or(-1), text(output.stdout), text(output.stderr))
}

/// A small hill with so many levels.
fn hill(folder: &Path, levels: u32) {
    assert_eq!(weald(folder, &["new", "hill"]).0, 0);
    let world = fs::read_to_string(folder.join("hill.ron")).unwrap();
    let small = world
        .replace("(-128, -128), max: (128, 128)", "(-64, -64), max: (64, 64)")
        .replace("    seed: 1,", &format!("    seed: 1, levels: {levels},"));
    assert!(small.contains("levels"));
    fs::write(folder.join("hill.ron"), small).unwrap();
    let (code, _, error) = weald(folder, &["bake", "hill.ron", "--no-pictures"]);
    assert_eq!(code, 0, "{error}");
}

/// The lines of a table, by what they begin with.
fn figures(text: &str, what: &str) -> Vec<String> {
    let row = text.lines().find(|line| line.starts_with(what)).unwrap_or_else(|| panic!("{what}: {text}"));
    row[what.len()..].split_whitespace().map(str::to_owned).collect()
}

#[test]
fn random_cuts_of_a_bake_are_checked() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    hill(at, 3);
    let report = fs::read_to_string(at.join("bakes/hill/report.json")).unwrap();
    assert!(report.contains("128 m wide, must tile it"), "{report}");
    let manifest = fs::read_to_string(at.join("bakes/hill/manifest.json")).unwrap();
    assert!(manifest.contains("chunks.json"), "{manifest}");

    let args = ["verify", "bakes/hill", "--cuts", "6", "--seed", "3"];
    let (code, text, error) = weald(at, &args);
    assert_eq!(code, 0, "{text}{error}");
    assert!(text.starts_with("6 cuts through 3 levels, seed 3: "), "{text}");
    assert_eq!(figures(&text, "boundary edges inside the region"), ["0", "0"]);
    assert_eq!(figures(&text, "self-intersecting pairs"), ["0", "0"]);
    assert_ne!(figures(&text, "triangles "), ["0", "0"]);
    let alone: Vec<&str> = args.into_iter().chain(["--jobs", "1"]).collect();
    let rows = |text: &str| text.lines().skip(1).map(str::to_owned).collect::<Vec<_>>();
    assert_eq!(rows(&weald(at, &alone).1), rows(&text));
    assert_eq!(
        weald(at, &["verify", "bakes/hill", "--cuts", "2", "--quiet"]),
        (0, String::new(), String::new())
    );

    // Two chunks in each other's place fit nowhere; one that is gone is told, and made anew by the next bake.
    let list = at.join("bakes/hill/chunks.json");
    let whole = fs::read_to_string(&list).unwrap();
    let keys: Vec<&str> = whole.split('"').filter(|part| part.len() == 64).collect();
    let swapped =
        whole.replacen(keys[0], "first", 1).replacen(keys[1], keys[0], 1).replacen("first", keys[1], 1);
    fs::write(&list, swapped).unwrap();
    let code = weald(at, &args).0;
    assert!(code == 1 || code == 3, "{code}");
    fs::write(&list, &whole).unwrap();
    fs::remove_file(at.join("bakes/hill/store").join(&keys[0][..2]).join(keys[0])).unwrap();
    let (code, _, error) = weald(at, &args);
    assert!(code == 3 && error.contains("missing or damaged"), "{code}: {error}");
    assert_eq!(weald(at, &["bake", "hill.ron", "--no-pictures"]).0, 0);
    assert_eq!(weald(at, &args).0, 0);
}

#[test]
fn a_bake_of_one_level_has_one_cut() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    hill(at, 1);
    let (code, text, error) = weald(at, &["verify", "bakes/hill", "--cuts", "50"]);
    assert_eq!(code, 0, "{error}");
    assert!(
        text.starts_with("the bake has one level of detail, and so one cut\n1 cut through 1 level,"),
        "{text}"
    );
    let whole = weald(at, &["verify", "bakes/hill"]).1;
    assert_eq!(figures(&text, "triangles "), vec![figures(&whole, "triangles ")[0].clone(); 2]);
}

#[test]
fn levels_are_shown_of_worlds_and_of_folders() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    hill(at, 3);
    let size = ["--levels", "--size", "360x200"];
    let take = |args: &[&str]| {
        let all: Vec<&str> = args.iter().chain(&size).copied().chain(["--out", "levels.png"]).collect();
        let (code, _, error) = weald(at, &all);
        assert_eq!(code, 0, "{all:?}: {error}");
        fs::read(at.join("levels.png")).unwrap()
    };
    let near = take(&["preview", "bakes/hill", "--plan"]);
    assert!(near.starts_with(b"\x89PNG"));
    assert_ne!(take(&["preview", "bakes/hill", "--plan", "--eye", "-900,-900,900"]), near);
    assert_ne!(take(&["preview", "bakes/hill", "--plan", "--pixels", "40"]), near);
    assert_ne!(take(&["preview", "bakes/hill"]), near);
    let eye = ["preview", "bakes/hill", "--eye", "150,-150,90", "--target", "0,0,0"];
    assert_ne!(take(&eye), take(&["preview", "bakes/hill", "--eye", "150,-150,90"]));
    assert_eq!(take(&["preview", "hill.ron", "--plan"]), near);
}
