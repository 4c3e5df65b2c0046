//! Formulas in world files: what they make, and what is said of wrong ones, with file, line, column and path.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::fs;
use std::path::{Path, PathBuf};

use glam::DVec3;
use weald_bake::recipe::{self, Recipe, RecipeError};
use weald_field::EvalScratch;

/// A world with these members of `World` and these of its ground.
fn world(members: &str, ground: &str) -> String {
    format!(
        "World(version: 1, name: \"f\", seed: 5, cell_size: 2.0, region: (min: (-64, -64), max: (64, 64)),\n\
         {members}\n\
         ground: ({ground}),\n\
         materials: [(name: \"grass\", color: \"#6f8f3f\"), (name: \"rock\", color: \"#857d72\")],\n\
         {})",
        if members.contains("surface:") { "" } else { "surface: (default: \"grass\")," }
    )
}

fn parse(members: &str, ground: &str) -> Result<Recipe, RecipeError> {
    recipe::parse(Path::new("w.ron"), &world(members, ground))
}

fn made(members: &str, ground: &str) -> Recipe {
    parse(members, ground).unwrap_or_else(|error| panic!("{error}"))
}

fn at(recipe: &Recipe, x: f64, y: f64, z: f64) -> f32 {
    let mut value = [0.0];
    recipe.ground.tape.values(&[DVec3::new(x, y, z)], &mut EvalScratch::default(), &mut value);
    value[0]
}

/// What is said of a wrong world, without its place; and the text that the place points at.
fn refused(members: &str, ground: &str) -> (String, String) {
    let error = parse(members, ground).expect_err("the world is wrong");
    let spot = error.spot.as_ref().expect("the text was read");
    (error.to_string(), spot.text[spot.bytes.clone()].to_owned())
}

#[test]
fn a_flat_formula_is_height_and_another_is_density() {
    let flat = made("", "base: 3, detail: [(name: \"slope\", field: \"0.5 * x\")]");
    assert!(at(&flat, 10.0, 0.0, 8.1) > 0.0 && at(&flat, 10.0, 0.0, 7.9) < 0.0);
    let ramp = flat.ground.terrain.height(glam::DVec2::new(-20.0, 4.0)).unwrap();
    assert!((ramp + 7.0).abs() < 1e-3, "{ramp}");
    let ledge = made("", "base: 3, detail: [(name: \"ledge\", field: \"2 * wave(z / 8)\")]");
    assert!((at(&ledge, 0.0, 0.0, 2.0) + 3.0).abs() < 1e-5, "the wave is at its crest");
}

#[test]
fn a_formula_stands_in_place_of_elevation_or_plain() {
    let ball = made("", "density: \"sphere(20, at: (0, 0, 5))\"");
    assert_eq!(at(&ball, 0.0, 0.0, 30.0), 5.0);
    let top = ball.ground.terrain.height(glam::DVec2::ZERO).unwrap();
    assert!((top - 25.0).abs() < 1e-3, "{top}");
    assert_eq!(ball.ground.terrain.height(glam::DVec2::new(40.0, 0.0)), None);
    let with_layer = made("", "density: \"z\", detail: [(name: \"up\", field: \"4\")]");
    assert_eq!(at(&with_layer, 0.0, 0.0, 10.0), 6.0);
}

#[test]
fn a_solid_of_a_formula_is_turned_and_moved_with_its_frame() {
    let ground = "base: 0, solids: [(name: \"s\", op: Add, at: World(10, 0, 20), turn_deg: 90,\n\
                  shape: Union(of: [Field(\"box((20, 2, 2))\"), Sphere(radius: 1)]))]";
    let recipe = made("", ground);
    assert!(at(&recipe, 10.0, 9.0, 20.0) < 0.0 && at(&recipe, 19.0, 0.0, 20.0) > 0.0);
}

#[test]
fn a_formula_that_is_a_body_paints_only_around_itself() {
    let solid = |shape: &str| {
        let solid =
            "(name: \"s\", op: Add, at: World(10, 0, 20), material: \"rock\", shape: Field(\"SHAPE\"))";
        let ground = format!("base: 0, solids: [{}]", solid.replace("SHAPE", shape));
        made("", &ground).ground.parts[0].bounds
    };
    // Two cells of 2 m are added for the colours of what is blended.
    let ball = solid("sphere(5).warp(x: fbm(9))");
    let (least, most) = (DVec3::new(10.0, 0.0, 20.0) - 8.0, DVec3::new(10.0, 0.0, 20.0) + 8.0);
    assert!(ball.min.cmple(least).all() && ball.max.cmpge(most).all(), "{ball:?}");
    assert!(ball.min.cmpge(least - 12.0).all() && ball.max.cmple(most + 12.0).all(), "{ball:?}");
    let ground = solid("z - x * 0.1");
    assert_eq!((ground.min.y, ground.max.y), (f64::NEG_INFINITY, f64::INFINITY));
}

#[test]
fn the_elevation_is_a_name_for_formulas() {
    let file = Path::new("../../worlds/w.ron");
    let text = |ground: &str| world("", ground).replace("region: (min: (-64, -64), max: (64, 64)),", "");
    let plain = recipe::parse(file, &text("elevation: (file: \"data/jacksboro.tif\")")).unwrap();
    let doubled = "elevation: (file: \"data/jacksboro.tif\"), density: \"ground(elevation + 100)\"";
    let raised = recipe::parse(file, &text(doubled)).unwrap();
    let height = |recipe: &Recipe| recipe.ground.terrain.height(glam::DVec2::new(30.0, 50.0)).unwrap();
    assert!((height(&raised) - height(&plain) - 100.0).abs() < 1e-2);
    let (message, _) = refused("", "base: 0, detail: [(name: \"a\", field: \"elevation\")]");
    assert!(message.starts_with("there is no name `elevation`"), "{message}");
}

#[test]
fn a_rule_holds_where_its_formula_lies_in_its_range() {
    let rule = "surface: (default: \"grass\", rules: [(material: \"rock\", field: (of: \"x\", above: 5, below: 20),\n\
                noise: (name: \"n\", noise: (wavelength: 10), above: -9))]),";
    let recipe = made(rule, "base: 0");
    let places = [0.0, 10.0, 30.0].map(|x| DVec3::new(x, 0.0, 0.0));
    let mut materials = [9; 3];
    let normals = [glam::Vec3::Z; 3];
    recipe.ground.rules.assign(&places, &normals, &mut EvalScratch::default(), &mut materials);
    assert_eq!(materials, [0, 1, 0]);
    let (message, at) = refused(&rule.replace("above: 5, below: 20", ""), "base: 0");
    assert!(message.starts_with("give either `above` or `below`"), "{message}");
    assert_eq!(at, "(of: \"x\", )");
}

#[test]
fn an_error_in_a_formula_has_its_line_column_and_path() {
    for (members, ground, expected, text) in [
        (
            "fields: { \"hills\": \"fbm(30)\" },",
            "density: \"z - hils\"",
            "there is no name `hils`; is `hills` meant? (w.ron:3:24, ground.density)",
            "hils",
        ),
        (
            "",
            "density: \"sphere(1, (0, 0, 0), 3)\"",
            "3 arguments are given without a name, at most 2 may be: sphere(radius, at: (0, 0, 0)) (w.ron:3:41, \
             ground.density)",
            "3",
        ),
        (
            "fields: { \"a\": \"b + 1\", \"b\": \"2 * a\" },",
            "base: 0",
            "the definition goes round in a circle: a -> b -> a (w.ron:2:17, fields.a)",
            "b",
        ),
        (
            "fields: { \"f(n)\":\n\"sphere(n) + // é\n  box(n)\" },",
            "base: 0, detail: [(name: \"d\", field: \"f(2)\")]",
            "`size` of `box` must be a vector of 3 numbers, found a number, called at w.ron:5:48 (w.ron:4:7, \
             fields.f(n))",
            "n",
        ),
        (
            "",
            "base: 0, solids: [(name: \"s\", op: Add, at: World(0, 0, 0), shape: Field(\"\\x73phere(\\\n   -2)\"))]",
            "radius of sphere is -2, but must be more than 0 (w.ron:4:4, ground.solids[0].shape)",
            "-2",
        ),
        (
            "fields: { \"a\": \"1\", \"b\": \"2\", \"a\": \"3\" },",
            "base: 0",
            "the name \"a\" is already that of w.ron:2:12 (w.ron:2:32, fields.a)",
            "a",
        ),
        (
            "fields: { \"f(x)\": \"1\" },",
            "base: 0",
            "the name `x` is already taken by the language (w.ron:2:14, fields.f(x))",
            "x",
        ),
        (
            "fields: { \"unused\": r#\"noise(3, seed: \"a\") + hil\"# },",
            "base: 0",
            "there is no name `hil` (w.ron:2:46, fields.unused)",
            "hil",
        ),
        (
            "",
            "base: 0, detail: [(name: \"d\", noise: (wavelength: 3), field: \"1\")]",
            "give either `noise` or `field`, not both (w.ron:3:28, ground.detail[0])",
            "(name: \"d\", noise: (wavelength: 3), field: \"1\")",
        ),
    ] {
        let (message, at) = refused(members, ground);
        assert_eq!((message.as_str(), at.as_str()), (expected, text));
    }
}

#[test]
fn a_bomb_of_a_million_nodes_is_refused_at_its_place() {
    let nested = "(".repeat(1_000_000);
    let (message, _) = refused("", &format!("density: \"{nested}\""));
    assert_eq!(message, "the formula has 1000000 bytes, at most 65536 may be (w.ron:3:20, ground.density)");
    let (message, _) = refused("", &format!("density: \"{}\"", "(".repeat(60_000)));
    assert_eq!(message, "brackets and signs are nested deeper than 256 levels (w.ron:3:276, ground.density)");
    let doubling: String = (0..100_000).map(|i| format!("\"a{i}\": \"a{0} + a{0}\",", i + 1)).collect();
    let (message, _) = refused(&format!("fields: {{ {doubling} }},"), "density: \"a0\"");
    assert!(message.starts_with("there are more than 16384 definitions, at most 16384 may be"), "{message}");
    let doubling: String = (0..1000).map(|i| format!("\"a{i}\": \"a{0} + a{0}\",", i + 1)).collect();
    let (message, at) = refused(&format!("fields: {{ {doubling} \"a1000\": \"x\" }},"), "density: \"a0\"");
    assert!(message.starts_with("definitions are nested deeper than 128 levels (w.ron:2:"), "{message}");
    assert_eq!(at, "a873");
    let shape = format!("{}Sphere(radius: 1){}", "Union(of: [".repeat(300_000), "])".repeat(300_000));
    let solid = format!("base: 0, solids: [(name: \"s\", op: Add, at: World(0, 0, 0), shape: {shape})]");
    let (message, _) = refused("", &solid);
    assert!(message.starts_with("exceeded recursion limit"), "{message}");
}

/// A folder with files.
fn folder(files: &[(&str, &str)]) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in files {
        let file = folder.path().join(name);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, text).unwrap();
    }
    let file = folder.path().join("w.ron");
    (folder, file)
}

/// What is said of a world that uses files, with paths seen from its folder.
fn refused_with(files: &[(&str, &str)], members: &str) -> String {
    let (folder, file) = folder(files);
    let error = recipe::parse(&file, &world(members, "base: 0")).expect_err("the world is wrong");
    error.to_string().replace(&format!("{}/", folder.path().display()), "")
}

#[test]
fn files_of_formulas_use_each_other() {
    let (_folder, file) = folder(&[
        ("lib/a.ron", "Fields(use: [\"b.ron\"], fields: { \"ball(n)\": \"sphere(n * two)\" })"),
        ("lib/b.ron", "// two\nFields(fields: { \"two\": \"2\" })"),
    ]);
    let text = world("use: [\"lib/a.ron\", \"lib/b.ron\"],", "density: \"ball(two)\"");
    let recipe = recipe::parse(&file, &text).unwrap();
    assert_eq!(at(&recipe, 0.0, 0.0, 6.0), 2.0);
}

#[test]
fn errors_in_files_of_formulas_name_the_file_and_its_place() {
    let one = |text| [("lib/a.ron", text)];
    for (files, members, expected) in [
        (
            &one("Fields(fields: {\n  \"a\": \"sphere(0)\" })")[..],
            "use: [\"lib/a.ron\"],",
            "radius of sphere is 0, but must be more than 0 (lib/a.ron:2:16, fields.a)",
        ),
        (
            &one("Fields(use: [\"a.ron\"])")[..],
            "use: [\"lib/a.ron\"],",
            "the file uses itself: lib/a.ron -> a.ron (lib/a.ron:1:14, use[0])",
        ),
        (
            &one("Fields(use: [\"none.ron\"])")[..],
            "use: [\"lib/a.ron\"],",
            "cannot read the formulas of lib/none.ron: No such file or directory (os error 2) (lib/a.ron:1:14, use[0])",
        ),
        (
            &one("Fields(fields: { \"a\": \"1\" })")[..],
            "use: [\"lib/a.ron\"], fields: { \"a\": \"2\" },",
            "the name \"a\" is already that of lib/a.ron:1:19 (w.ron:2:32, fields.a)",
        ),
        (
            &one("Fields(field: {})")[..],
            "use: [\"lib/a.ron\"],",
            "unexpected field named `field` in `Fields`, expected either `use` or `fields` (lib/a.ron:1:8, field)",
        ),
    ] {
        assert_eq!(refused_with(files, members), expected);
    }
    let not_text = folder(&[("w.txt", "")]);
    fs::write(not_text.0.path().join("a.ron"), [b'F', 0xff]).unwrap();
    let error =
        recipe::parse(&not_text.1, &world("use: [\"a.ron\"],", "base: 0")).expect_err("it is no text");
    assert!(error.to_string().starts_with("the world file is not UTF-8 text from byte 1 on ("), "{error}");
    assert!(error.file.ends_with("a.ron"), "{error}");
}

#[test]
fn the_schema_lists_what_formulas_may_call() {
    let schema = recipe::raw::schema().to_string();
    for name in weald_field::formula::signatures() {
        assert!(schema.contains(&format!("\"{name}\"")), "{name} is missing");
    }
}

#[test]
fn a_long_row_of_files_is_refused() {
    let files: Vec<(String, String)> =
        (0..70).map(|i| (format!("{i}.ron"), format!("Fields(use: [\"{}.ron\"])", i + 1))).collect();
    let files: Vec<(&str, &str)> = files.iter().map(|(a, b)| (a.as_str(), b.as_str())).collect();
    let message = refused_with(&files, "use: [\"0.ron\"],");
    assert_eq!(message, "more than 64 files of formulas are used (63.ron:1:14, use[0])");
}
