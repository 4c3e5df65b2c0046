//! Wrong inputs: each gives one clear error and its exit code, and nothing is written over.
//!
//! The texts are golden files. A change of one of them is seen in review and is a line in the changelog.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::process::Command;

const WORLD: &str = r##"World(
    version: 1,
    name: "small",
    cell_size: 4.0,
    region: (min: (0, 0), max: (128, 128)),
    ground: (
        base: 3.0,
        solids: [
            (name: "hut", op: Add, at: World(64, 64, 5), shape: Box(size: (40, 30, 20))),
        ],
    ),
    materials: [(name: "grass", color: "#6f8f3f")],
    surface: (default: "grass"),
    picture: (size: (32, 16)),
)
"##;

const ON_ELEVATION: &str = r##"World(
    version: 1,
    name: "high",
    cell_size: 4.0,
    ground: (elevation: (file: "dem.tif")),
    materials: [(name: "grass", color: "#6f8f3f")],
    surface: (default: "grass"),
)
"##;

fn elevation() -> PathBuf {
    PathBuf::from("../../worlds/data/jacksboro.tif")
}

/// A folder of its own for one wrong input.
struct Bench(tempfile::TempDir);

impl Bench {
    fn new() -> Self {
        Bench(tempfile::tempdir().unwrap())
    }

    fn file(self, name: &str, bytes: impl AsRef<[u8]>) -> Self {
        fs::write(self.0.path().join(name), bytes).unwrap();
        self
    }

    /// The small world with a part of it replaced.
    fn world(self, from: &str, to: &str) -> Self {
        assert!(WORLD.contains(from), "the world has no {from}");
        self.file("w.ron", WORLD.replacen(from, to, 1))
    }

    fn run(&self, args: &[&str]) -> (i32, String) {
        let output = Command::new(env!("CARGO_BIN_EXE_weald"))
            .args(args)
            .current_dir(self.0.path())
            .env("NO_COLOR", "1")
            .output()
            .unwrap();
        let error = String::from_utf8(output.stderr).unwrap();
        (output.status.code().unwrap_or(-1), error)
    }

    fn files(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        let mut found = BTreeMap::new();
        let mut open = vec![self.0.path().to_owned()];
        while let Some(folder) = open.pop() {
            for entry in fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                match path.is_dir() {
                    true => open.push(path),
                    false if fs::metadata(&path).unwrap().len() > 1 << 24 => {}
                    false => drop(found.insert(path.clone(), fs::read(&path).unwrap())),
                }
            }
        }
        found
    }

    /// Runs the command, which must fail with `code`, leave all files as they are, and say what the golden file says.
    fn refuses(&self, name: &str, code: i32, args: &[&str]) {
        let before = self.files();
        let (found, error) = self.run(args);
        let after = self.files();
        for (path, bytes) in &before {
            assert_eq!(after.get(path), Some(bytes), "{name}: {} was touched", path.display());
        }
        insta::assert_snapshot!(name, format!("weald {}\nexit code {found}\n{}", args.join(" "), error));
        assert_eq!(found, code, "{name}: {error}");
    }
}

#[test]
fn a_world_file_that_cannot_be_read() {
    Bench::new().refuses("world_missing", 2, &["bake", "nothing.ron"]);
    Bench::new().file("w.ron", b"World(name: \"\xff\xfe\")").refuses("world_not_text", 2, &["bake", "w.ron"]);
    Bench::new().file("w.ron", "").refuses("world_empty", 2, &["bake", "w.ron"]);
    let huge = Bench::new().file("w.ron", "");
    fs::File::options().write(true).open(huge.0.path().join("w.ron")).unwrap().set_len(100 << 20).unwrap();
    huge.refuses("world_of_100_mb", 2, &["bake", "w.ron"]);
}

#[test]
fn a_world_file_that_is_no_world() {
    let bake = ["bake", "w.ron"];
    Bench::new().world("4.0,", "4.0").refuses("syntax", 2, &bake);
    Bench::new().world("base:", "bass:").refuses("unknown_field", 2, &bake);
    Bench::new().world("cell_size: 4.0", "cell_size: \"four\"").refuses("wrong_type", 2, &bake);
    Bench::new().world("op: Add", "op: Glue").refuses("unknown_variant", 2, &bake);
    Bench::new().world("    surface: (default: \"grass\"),\n", "").refuses("missing_field", 2, &bake);
    Bench::new().world("version: 1", "version: 9").refuses("later_version", 2, &bake);
}

#[test]
fn a_value_that_cannot_be() {
    let bake = ["bake", "w.ron"];
    Bench::new().world("4.0", "-4.0").refuses("cell_size_negative", 2, &bake);
    Bench::new().world("4.0", "3.0").refuses("cell_size_no_power_of_two", 2, &bake);
    Bench::new().world("3.0", "NaN").refuses("not_a_number", 2, &bake);
    Bench::new().world("(40, 30, 20)", "(40, -30, 20)").refuses("negative_size", 2, &bake);
    Bench::new().world("default: \"grass\"", "default: \"moss\"").refuses("unknown_material", 2, &bake);
    Bench::new().world("#6f8f3f", "green").refuses("no_colour", 2, &bake);
    Bench::new().world("base: 3.0", "base: 3.0, elevation: (file: \"a\")").refuses(
        "base_and_elevation",
        2,
        &bake,
    );
    let levels = |count: &str| Bench::new().world("version: 1,", &format!("version: 1, levels: {count},"));
    levels("0").refuses("no_levels", 2, &bake);
    levels("9").refuses("nine_levels", 2, &bake);
    let nothing = ("op: Add, at: World(64, 64, 5)", "op: Keep, at: World(64, 64, 500)");
    Bench::new().world(nothing.0, nothing.1).refuses("no_surface", 2, &bake);
}

/// The small world with a formula as a layer of its ground.
fn with_formula(members: &str, formula: &str) -> Bench {
    let layer = format!("base: 3.0,\n        detail: [(name: \"layer\", field: {formula:?})],");
    let text = WORLD.replacen("base: 3.0,", &layer, 1);
    Bench::new().file("w.ron", text.replacen("    ground:", &format!("{members}    ground:"), 1))
}

#[test]
fn a_formula_that_is_wrong() {
    let bake = ["bake", "w.ron"];
    let hills = "    fields: { \"hills\": \"fbm(40, flat: true) * 3\" },\n";
    with_formula(hills, "2 * hils").refuses("formula_unknown_name", 2, &bake);
    with_formula("", "sphere(1, (0, 0, 0), 3)").refuses("formula_number_of_arguments", 2, &bake);
    let circle = "    fields: { \"a\": \"b + 1\", \"b\": \"2 * c\", \"c\": \"a\" },\n";
    with_formula(circle, "a").refuses("formula_cycle", 2, &bake);
    with_formula("", "sphere(2 * x)").refuses("formula_type_mix_up", 2, &bake);
    with_formula("", "sphere(2").refuses("formula_open_bracket", 2, &bake);
}

#[test]
fn a_formula_that_is_a_bomb() {
    let bake = ["bake", "w.ron"];
    with_formula("", &"(".repeat(1000)).refuses("formula_nested", 2, &bake);
    let chain = |length: usize| -> String {
        (0..length).map(|i| format!("        \"a{i}\": \"a{0} + a{0}\",\n", i + 1)).collect()
    };
    let fields = |entries: String| format!("    fields: {{\n{entries}    }},\n");
    with_formula(&fields(chain(1000) + "        \"a1000\": \"x\",\n"), "a0").refuses(
        "formula_chain",
        2,
        &bake,
    );
    with_formula(&fields(chain(100_000)), "a0").refuses("formula_too_many", 2, &bake);
    let nest = format!("{}Sphere(radius: 1){}", "Union(of: [".repeat(1000), "])".repeat(1000));
    Bench::new().world("Box(size: (40, 30, 20))", &nest).refuses("nested_shapes", 2, &bake);
}

#[test]
fn files_of_formulas_that_cannot_be_used() {
    let bake = ["bake", "w.ron"];
    let using = |file: &str| with_formula(&format!("    use: [\"{file}\"],\n"), "1");
    using("rock.ron").refuses("library_missing", 2, &bake);
    let circle = using("a.ron").file("a.ron", "Fields(use: [\"b.ron\"])");
    circle.file("b.ron", "Fields(use: [\"a.ron\"])").refuses("library_cycle", 2, &bake);
    using("a.ron").file("a.ron", "Fields(\n    fields: { \"rock(size)\": \"sphere(siz)\" },\n)\n").refuses(
        "library_unknown_name",
        2,
        &bake,
    );
    let world = using("a.ron").file("a.ron", "World()");
    world.refuses("library_that_is_a_world", 2, &bake);
}

#[test]
fn elevation_that_cannot_be_used() {
    let bake = ["bake", "w.ron"];
    let on = |dem: &[u8]| Bench::new().file("w.ron", ON_ELEVATION).file("dem.tif", dem);
    Bench::new().file("w.ron", ON_ELEVATION).refuses("elevation_missing", 3, &bake);
    on(b"this is no raster at all").refuses("elevation_no_tiff", 3, &bake);
    on(b"").refuses("elevation_empty", 3, &bake);
    let whole = fs::read(elevation()).expect("the example's elevation");
    on(&whole[..whole.len() / 2]).refuses("elevation_truncated", 3, &bake);
    let far = ON_ELEVATION.replace("cell_size", "region: (min: (0, 0), max: (40000, 500)),\n    cell_size");
    on(&whole).file("w.ron", far).refuses("region_outside_elevation", 2, &bake);
    on(&whole).refuses(
        "region_flag_outside_elevation",
        2,
        &["bake", "w.ron", "--region", "-20000,0,500,500"],
    );
}

#[test]
fn an_output_that_cannot_be_written() {
    let bench = || Bench::new().file("w.ron", WORLD);
    bench().file("plain", "a file").refuses(
        "output_under_a_file",
        4,
        &["bake", "w.ron", "--out", "plain/out"],
    );
    bench().refuses("output_is_not_ours", 4, &["bake", "w.ron", "--out", "."]);
    bench().refuses("disk_full", 4, &["bake", "w.ron", "--out", "out", "--store-limit", "0"]);
    Bench::new().file("hill.ron", "mine").refuses("new_over_a_file", 4, &["new", "hill"]);
}

#[test]
fn flags_and_folders_that_make_no_sense() {
    let bench = || Bench::new().file("w.ron", WORLD);
    bench().refuses("region_flag_of_three", 2, &["bake", "w.ron", "--region", "1,2,3"]);
    bench().refuses("region_flag_empty", 2, &["bake", "w.ron", "--region", "128,0,0,128"]);
    bench().refuses("no_threads", 2, &["bake", "w.ron", "--jobs", "0"]);
    bench().refuses("verify_no_folder", 3, &["verify", "nothing"]);
    bench().file("world.glb", "no mesh").refuses("verify_no_mesh", 3, &["verify", "."]);
    bench().refuses("new_without_a_name", 2, &["new", "a b"]);
    bench().refuses("verify_no_cuts", 2, &["verify", ".", "--cuts", "0"]);
    bench().refuses("verify_seed_without_cuts", 2, &["verify", ".", "--seed", "3"]);
    bench().refuses("verify_cuts_of_a_file", 2, &["verify", "w.ron", "--cuts", "3"]);
    bench().refuses("verify_cuts_of_no_bake", 3, &["verify", ".", "--cuts", "3"]);
    bench().file("chunks.json", "{}").refuses("verify_no_list_of_chunks", 3, &["verify", ".", "--cuts", "3"]);
    bench().refuses("preview_eye_without_target", 2, &["preview", "w.ron", "--eye", "1,2,3"]);
    bench().refuses("preview_target_without_eye", 2, &["preview", "w.ron", "--target", "1,2,3"]);
    bench().refuses("preview_plan_with_eye", 2, &["preview", "w.ron", "--plan", "--eye", "1,2,3"]);
    bench().refuses("preview_pixels_without_levels", 2, &["preview", "w.ron", "--pixels", "2"]);
    let no_pixels = ["preview", "w.ron", "--levels", "--pixels", "0"];
    bench().refuses("preview_levels_of_no_pixels", 2, &no_pixels);
}
