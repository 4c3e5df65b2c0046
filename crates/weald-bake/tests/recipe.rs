//! Errors of world files: the place, the path, the value and the limit.

mod small;

use std::path::Path;

use small::WORLD;
use weald_bake::recipe::{self, Spot};

/// The error of the world with a part of its text replaced.
fn error_with(from: &str, to: &str) -> (String, Option<Spot>) {
    assert!(WORLD.contains(from), "the world has no {from}");
    let error = recipe::parse(Path::new("w.ron"), &WORLD.replacen(from, to, 1)).expect_err(to);
    (error.to_string(), error.spot.map(|spot| *spot))
}

#[test]
fn every_error_points_to_the_value_that_is_wrong() {
    for (from, to, path, value) in [
        ("radius: 15", "radius: -15", "ground.solids[1].shape.radius", "-15"),
        ("radius: 15", "radius: NaN", "ground.solids[1].shape.radius", "NaN"),
        ("radius: 15", "radius: inf", "ground.solids[1].shape.radius", "inf"),
        ("radius: 15", "radius: \"15\"", "ground.solids[1].shape.radius", "\"15\""),
        ("(30, 24, 30)", "(30, 0, 30)", "ground.solids[0].shape.size[1]", "0"),
        ("cell_size: 2.0", "cell_size: -2.0", "cell_size", "-2.0"),
        ("cell_size: 2.0", "cell_size: 3.0", "cell_size", "3.0"),
        ("octaves: 3", "octaves: 0", "ground.detail[0].noise.octaves", "0"),
        ("octaves: 3", "octaves: -3", "ground.detail[0].noise.octaves", "-3"),
        ("\"stone\",\n", "\"marble\",\n", "ground.solids[0].material", "\"marble\""),
        ("name: \"hole\"", "name: \"hut\"", "ground.solids[1].name", "\"hut\""),
        ("#857d72", "857d72", "materials[1].color", "\"857d72\""),
        ("slope_deg: (30, 180)", "slope_deg: (180, 30)", "surface.rules[0].slope_deg", "(180, 30)"),
        ("elevation_deg: 35", "elevation_deg: 0", "sun.elevation_deg", "0"),
        ("size: (48, 32)", "size: (48, 9999)", "picture.size[1]", "9999"),
        ("World(20, 0, 0)", "World(20, 0, 30000)", "camera.target[2]", "30000"),
        ("min: (-64, -64)", "min: (128, -64)", "region", "(min: (128, -64), max: (128, 64))"),
        ("name: \"small\"", "name: \"a/b\"", "name", "\"a/b\""),
        ("version: 1", "version: 2", "version", "2"),
    ] {
        let (message, spot) = error_with(from, to);
        let spot = spot.expect("a spot");
        assert_eq!((spot.path.as_str(), &spot.text[spot.bytes.clone()]), (path, value), "{message}");
        let place = format!("(w.ron:{}:{}, {path})", spot.line, spot.column);
        assert!(message.ends_with(&place), "{message} does not end with {place}");
    }
}

#[test]
fn a_number_out_of_range_is_told_with_its_limits() {
    let (message, _) = error_with("radius: 15", "radius: -15");
    assert_eq!(
        message,
        "-15 m is not from 0.00390625 to 100000 m (w.ron:10:92, ground.solids[1].shape.radius)"
    );
}

#[test]
fn an_unknown_field_is_told_with_those_there_are() {
    let (message, spot) = error_with("radius: 15", "radios: 15");
    assert!(message.contains("`radios`") && message.contains("`radius`"), "{message}");
    assert_eq!(spot.expect("a spot").path, "ground.solids[1].shape.radios");
}

#[test]
fn ground_needs_either_elevation_or_a_base() {
    let (message, _) = error_with("base: 3.0,", "");
    assert!(message.starts_with("give either `elevation` or `base` ("), "{message}");
    let (message, _) = error_with("base: 3.0,", "base: 3.0, elevation: (file: \"x.tif\"),");
    assert!(message.starts_with("give either `elevation` or `base`, not both ("), "{message}");
}

#[test]
fn thin_features_are_warned_of() {
    let text = WORLD.replace("(30, 24, 30)", "(30, 4, 30)");
    let recipe = recipe::parse(Path::new("w.ron"), &text).unwrap();
    assert_eq!(recipe.warnings.len(), 1, "{:?}", recipe.warnings);
    assert!(recipe.warnings[0].contains("ground.solids[0].shape.size[1]"), "{:?}", recipe.warnings);
}
