//! `weald inspect` as people use it.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::fs;
use std::path::Path;
use std::process::Command;

/// Terrain level at 0 m with a ball of stone in it, whose lower half is under ground.
const WORLD: &str = r##"World(
    version: 1, name: "ball", cell_size: 1.0, region: (min: (-64, -64), max: (64, 64)),
    ground: (base: 0.0, solids: [
        (name: "ball", op: Add, at: World(10, 0, 0), shape: Sphere(radius: 8), material: "stone"),
        (name: "far", op: Add, at: World(-50, 0, 0), shape: Box(size: (8, 8, 8))),
    ]),
    materials: [(name: "grass", color: "#6f8f3f"), (name: "stone", color: "#b9ad98")],
    surface: (default: "grass"),
)"##;

/// Exit code, standard output, and standard error.
fn weald(folder: &Path, args: &[&str]) -> (i32, String, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_weald")).args(args).current_dir(folder).output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (output.status.code().unwrap_or(-1), text(output.stdout), text(output.stderr))
}

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("ball.ron"), WORLD).unwrap();
    folder
}

fn json(folder: &Path, args: &[&str]) -> serde_json::Value {
    let args: Vec<&str> = ["inspect", "field", "ball.ron", "--json"].iter().chain(args).copied().collect();
    let (code, text, errors) = weald(folder, &args);
    assert_eq!(code, 0, "{errors}");
    serde_json::from_str(&text).unwrap()
}

#[test]
fn a_place_has_its_value_gradient_material_and_ops() {
    let folder = folder();
    let told = json(folder.path(), &["--at", "10,0,6", "--at", "10,0,9.5", "--at", "0,40,2"]);
    let [inside, above, beside] = [0, 1, 2].map(|i| told["places"][i].clone());
    assert_eq!(inside["value"], -2.0);
    assert_eq!(above["value"], 1.5);
    assert_eq!(above["gradient"], serde_json::json!([0.0, 0.0, 1.0]));
    assert_eq!(above["gradient_length"], 1.0);
    assert_eq!((above["material"].as_str(), beside["material"].as_str()), (Some("stone"), Some("grass")));
    assert_eq!(beside["value"], 2.0);
    assert_eq!(beside["terrain_height"].as_f64().map(f64::round), Some(0.0));
    assert_eq!(
        (above["ops"]["sphere"].clone(), beside["ops"]["sphere"].clone()),
        (1.into(), serde_json::Value::Null)
    );
    assert!(beside["steps"].as_u64() < beside["all_steps"].as_u64());
    assert_eq!((above["cell"][2].as_i64(), above["chunk"][2].as_i64()), (Some(9), Some(0)));
    let [low, high] = [0, 1].map(|i| above["chunk_range"][i].as_f64().unwrap());
    assert!(low <= -8.0 && high >= 2.5, "{low} {high}");
}

#[test]
fn a_place_is_told_in_lines() {
    let folder = folder();
    let (code, text, _) = weald(folder.path(), &["inspect", "field", "ball.ron", "--at", "10,0,6"]);
    assert_eq!(code, 0);
    let told: Vec<&str> = text.lines().take(5).collect();
    let expected = [
        "(10, 0, 6) m",
        "  value     -2.000 m: inside",
        "  gradient  (0.000, 0.000, 1.000), length 1.000",
        "  terrain   at 0.000 m, 6.000 m below",
        "  material  stone",
    ];
    assert_eq!(told, expected, "{text}");
}

#[test]
fn a_place_outside_of_the_region_is_told_to_be_there() {
    let folder = folder();
    let (code, text, _) = weald(folder.path(), &["inspect", "field", "ball.ron", "--at", "-500,0,-3"]);
    assert_eq!(code, 0);
    assert!(text.starts_with("(-500, 0, -3) m, outside of the region\n"), "{text}");
    assert_eq!(json(folder.path(), &["--at=-500,0,-3"])["places"][0]["in_region"], false);
}

#[test]
fn a_cut_is_a_picture_and_its_figures() {
    let folder = folder();
    let told = json(folder.path(), &["--slice", "y=0", "--size", "400x300", "--out", "side.png"]);
    let cut = &told["cut"];
    assert_eq!(
        (cut["axis"].as_str(), cut["at"].as_f64(), cut["file"].as_str()),
        (Some("y"), Some(0.0), Some("side.png"))
    );
    assert!(cut["decided"].as_f64().unwrap() > 0.5 && cut["boxes"].as_u64().unwrap() > 20, "{cut}");
    let png = fs::read(folder.path().join("side.png")).unwrap();
    assert!(png.starts_with(b"\x89PNG") && png[16..24] == [0, 0, 1, 144, 0, 0, 1, 44]);
    let (code, text, errors) = weald(folder.path(), &["inspect", "field", "ball.ron", "--slice"]);
    assert_eq!(code, 0, "{errors}");
    assert!(text.ends_with("wrote cut.png\n"), "{text}");
    assert!(folder.path().join("cut.png").exists());
}

#[test]
fn wrong_requests_name_what_was_read_and_what_is_wanted() {
    let folder = folder();
    let at = folder.path();
    let refused = |args: &[&str], parts: &[&str]| {
        let args: Vec<&str> = ["inspect", "field", "ball.ron"].iter().chain(args).copied().collect();
        let (code, _, errors) = weald(at, &args);
        assert_eq!(code, 2, "{args:?}: {errors}");
        parts.iter().for_each(|part| assert!(errors.contains(part), "{args:?}: {errors}"));
    };
    refused(&["--at", "1,2"], &["2 numbers were given, must be 3", "X,Y,Z in metres, such as 120,-40,310.5"]);
    refused(&["--at", "1,two,3"], &["\"two\" is not a number"]);
    refused(&["--at", "1,inf,3"], &["a place is finite"]);
    refused(&["--slice", "w=3"], &["\"w\" is no axis; wanted is x, y or z"]);
    refused(&["--slice", "z=high"], &["\"high\" is not a number"]);
    refused(&["--slice", "z=1", "--region", "5,5,5,9"], &["from (5, 5) to (5, 9) m is empty"]);
    refused(&["--slice", "z=1", "--size", "9000x10"], &["each side must be 1 to 4096"]);
    refused(&[], &["--at", "--slice"]);
    refused(&["--at", "1,2,3", "--size", "10x10"], &["--slice"]);
    assert_eq!(weald(at, &["inspect", "field", "absent.ron", "--at", "1,2,3"]).0, 2);
    let (code, _, errors) = weald(at, &["inspect", "field", "ball.ron", "--slice", "--out", "ball.ron"]);
    assert_eq!(code, 4, "{errors}");
    assert_eq!(fs::read_to_string(at.join("ball.ron")).unwrap(), WORLD, "no world file is written over");
}
