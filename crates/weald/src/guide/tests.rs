//! The worlds and tables of the guide and the README are true, and so is the map in ARCHITECTURE.md.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use weald_bake::plan::plan;
use weald_bake::recipe::{self, raw};

const WORLD_FILE: &str = include_str!("world_file.md");

const CHAPTERS: [(&str, &str); 11] = [
    ("README.md", include_str!("../../../../README.md")),
    ("getting_started.md", include_str!("getting_started.md")),
    ("world_file.md", WORLD_FILE),
    ("ground.md", include_str!("ground.md")),
    ("fields.md", include_str!("fields.md")),
    ("materials.md", include_str!("materials.md")),
    ("elevation.md", include_str!("elevation.md")),
    ("baking.md", include_str!("baking.md")),
    ("checking.md", include_str!("checking.md")),
    ("contouring.md", include_str!("contouring.md")),
    ("guarantees.md", include_str!("guarantees.md")),
];

/// What a part of a world is completed with, each field on a line of its own.
const REST: [&str; 6] = [
    "version: 1,",
    "name: \"part\",",
    "cell_size: 2.0,",
    "ground: (base: 0.0),",
    "materials: [(name: \"grass\", color: \"#6f8f3f\"), (name: \"rock\", color: \"#857d72\"), \
     (name: \"stone\", color: \"#b9ad98\")],",
    "surface: (default: \"grass\"),",
];

/// The blocks of a language in a chapter, each with the number of its first line.
fn blocks(text: &str, language: &str) -> Vec<(usize, String)> {
    let mut found: Vec<(usize, String)> = Vec::new();
    let mut open: Option<bool> = None;
    for (number, line) in text.lines().enumerate() {
        match (line.strip_prefix("```"), open) {
            (Some(info), None) => {
                open = Some(info == language);
                if info == language {
                    found.push((number + 2, String::new()));
                }
            }
            (Some(_), Some(_)) => open = None,
            (None, Some(true)) => {
                let (_, block) = found.last_mut().expect("a block is open");
                *block += line;
                *block += "\n";
            }
            (None, _) => {}
        }
    }
    found
}

/// A block as a whole world: fields that it lacks are those of [`REST`].
fn whole(block: &str) -> String {
    if block.starts_with("World(") {
        return block.to_owned();
    }
    let has = |field: &&str| {
        let name = field.split(':').next().unwrap_or_default();
        block.lines().any(|line| line.strip_prefix(name).is_some_and(|rest| rest.starts_with(':')))
    };
    let rest: Vec<&str> = REST.iter().copied().filter(|field| !has(field)).collect();
    format!("World(\n{block}{}\n)", rest.join("\n"))
}

#[test]
fn every_world_in_the_guide_and_the_readme_is_in_order() {
    let file = repository().join("worlds/guide.ron");
    let mut worlds = 0;
    for (chapter, text) in CHAPTERS {
        for (line, block) in blocks(text, "ron") {
            let recipe = recipe::parse(&file, &whole(&block));
            let recipe = recipe.unwrap_or_else(|error| panic!("{chapter}:{line}: {error}"));
            assert!(recipe.warnings.is_empty(), "{chapter}:{line}: {:?}", recipe.warnings);
            plan(&recipe, recipe.region).unwrap_or_else(|error| panic!("{chapter}:{line}: {error}"));
            worlds += 1;
        }
    }
    assert!(worlds >= 7, "only {worlds} worlds were found");
}

/// The fields of each part of a world, as the JSON Schema names them.
fn fields_of_schema() -> BTreeMap<String, BTreeSet<String>> {
    let schema = raw::schema();
    let mut found = BTreeMap::new();
    let mut note = |name: &str, part: &serde_json::Value| {
        if let Some(properties) = part["properties"].as_object() {
            found.insert(name.to_owned(), properties.keys().cloned().collect());
        }
    };
    note("World", &schema);
    for (name, part) in schema["$defs"].as_object().expect("the schema has parts") {
        note(name, part);
    }
    for shape in schema["$defs"]["Shape"]["oneOf"].as_array().expect("there are several shapes") {
        for (name, part) in shape["properties"].as_object().expect("a shape has fields") {
            note(name, part);
        }
    }
    found
}

/// The fields of each part of a world, as the tables of the guide name them.
fn fields_of_guide() -> BTreeMap<String, BTreeSet<String>> {
    let mut found: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let mut part = String::new();
    for line in WORLD_FILE.lines() {
        if let Some(heading) = line.strip_prefix("### `") {
            part = heading.trim_end_matches('`').to_owned();
        } else if let Some(row) = line.strip_prefix("| `") {
            let field = row.split('`').next().unwrap_or_default().to_owned();
            assert!(found.entry(part.clone()).or_default().insert(field), "{part}: {line}");
        }
    }
    found
}

#[test]
fn the_tables_name_every_field_and_no_other() {
    assert_eq!(fields_of_guide(), fields_of_schema());
}

/// The README's and the guide's tables of exit codes are those of each other.
#[test]
fn exit_codes_are_told_alike() {
    let codes = |text: &str| -> Vec<String> {
        let rows = text.lines().skip_while(|line| !line.starts_with("| code |"));
        rows.take_while(|line| line.starts_with('|')).map(str::to_owned).collect()
    };
    let baking = codes(include_str!("baking.md"));
    assert_eq!(baking.len(), 9);
    assert_eq!(codes(CHAPTERS[0].1), baking);
}

fn repository() -> PathBuf {
    PathBuf::from("../..")
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

#[test]
fn the_graph_of_the_architecture_is_that_of_the_manifests() {
    let text = read(&repository().join("ARCHITECTURE.md"));
    let drawn: BTreeSet<String> =
        text.lines().filter(|line| line.contains(" --> ")).map(str::to_owned).collect();
    let mut used = BTreeSet::new();
    for entry in fs::read_dir(repository().join("crates")).expect("there are crates") {
        let folder = entry.expect("a folder").path();
        let name = folder.file_name().expect("a name").to_string_lossy().into_owned();
        let manifest = read(&folder.join("Cargo.toml"));
        let section = manifest.lines().skip_while(|line| *line != "[dependencies]").skip(1);
        for line in section.take_while(|line| !line.starts_with('[')) {
            let dependency = line.split(['.', ' ']).next().unwrap_or_default();
            if dependency == "weald" || dependency.starts_with("weald-") {
                used.insert(format!("    {name} --> {dependency}"));
            }
        }
    }
    assert_eq!(drawn, used);
}

/// Each step names its file first; what it names after that, if it looks like a function or type, is in the crates.
#[test]
fn the_eight_files_of_a_bake_are_there_with_what_is_named_in_them() {
    let text = read(&repository().join("ARCHITECTURE.md"));
    let mut sources = String::new();
    let mut open = vec![repository().join("crates")];
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(&folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            match path.extension() {
                None if path.is_dir() => open.push(path),
                Some(extension) if extension == "rs" => sources += &read(&path),
                _ => {}
            }
        }
    }
    let steps: Vec<&str> = text.lines().filter(|line| line.contains(". **`crates/")).collect();
    assert_eq!(steps.len(), 8);
    for step in steps {
        let mut names = step.split('`').skip(1).step_by(2);
        let file = names.next().expect("a step names its file");
        assert!(repository().join(file).is_file(), "{file}");
        let identifiers = names.flat_map(|name| name.split("::"));
        for name in identifiers.filter(|name| name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')) {
            let defined = ["fn ", "struct ", "enum ", "mod ", "type "];
            let found = defined.iter().any(|kind| sources.contains(&format!("{kind}{name}")));
            assert!(found, "{name} of {file}");
        }
    }
}

#[test]
fn the_error_in_the_readme_is_the_one_that_comes() {
    let (_, readme) = CHAPTERS[0];
    let (_, world) = &blocks(readme, "ron")[0];
    let error = recipe::parse(Path::new("hill.ron"), &world.replace("radius: 8", "radius: -15"));
    let error = error.expect_err("no ball has a radius of -15 m").to_string();
    assert!(readme.lines().any(|line| line == error), "{error}");
}
