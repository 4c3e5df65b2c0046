//! A picture for every op of the formula language, and the page that shows them.
//!
//! With `WEALD_BLESS` set, the pictures and the page are written; else they are compared with what is there, pixel by
//! pixel.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod entries;
mod indexed;

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use entries::{Entry, GROUPS, Look};
use glam::DVec3;
use rayon::prelude::*;
use weald_bake::preview::Picture;
use weald_bake::preview::field::{
    CutSettings, Furniture, Plane, SolidSettings, contact_sheet, cut, reduced, solid,
};
use weald_field::formula::{Definition, Definitions, Host, signatures};
use weald_field::{Expr, Tape};
use weald_space::Seed;

const WIDTH: u32 = 220;
const HEIGHT: u32 = 160;
const COLUMNS: u32 = 8;
/// All that the gallery may take in the repository.
const MOST_BYTES: u64 = 1_500_000;

fn docs() -> PathBuf {
    PathBuf::from("../../docs")
}

fn folder() -> PathBuf {
    docs().join("pictures/fields")
}

fn file_name(entry: &Entry) -> String {
    format!("{}.png", entry.name.replace(", ", "_"))
}

fn entries() -> impl Iterator<Item = &'static Entry> {
    GROUPS.iter().flat_map(|group| group.entries)
}

fn field(entry: &Entry) -> Expr {
    let names = entries::data().into_iter().map(|(name, field)| (name.to_owned(), field)).collect();
    let host = Host { seed: Seed::new(7), names };
    let mut definitions = Definitions::new(std::iter::empty::<Definition>(), host).unwrap();
    let field = definitions.field("gallery", entry.formula, 0);
    field.unwrap_or_else(|error| panic!("{}: {error}", entry.name))
}

fn picture(entry: &Entry) -> Picture {
    let (width, height) = (WIDTH, HEIGHT);
    let field = field(entry);
    match entry.look {
        Look::Body(half) => {
            let kept = Expr::cuboid(DVec3::ZERO, DVec3::splat(half - 0.07), 0.0);
            // Off the lattice, as what people build is.
            let aside = DVec3::new(0.083, 0.107, 0.061);
            let tape = Tape::new(&field.intersection(&kept).translated(aside)).unwrap();
            let cell_size = 0.25;
            let low = DVec3::splat(-half - cell_size);
            let side = 2.0 * (half + cell_size);
            let settings = SolidSettings { low, side, cell_size, width, height, ..SolidSettings::default() };
            solid(&tape, &settings).unwrap_or_else(|error| panic!("{}: {error}", entry.name))
        }
        Look::Cut(axis, half) => {
            let area = [[-half; 2], [half; 2]];
            let settings = CutSettings {
                plane: Plane { axis, at: 0.0 },
                area,
                width,
                height,
                furniture: Furniture::Bare,
                ..CutSettings::default()
            };
            cut(&Tape::new(&field).unwrap(), &settings).unwrap().picture
        }
    }
}

fn is_blessing() -> bool {
    std::env::var_os("WEALD_BLESS").is_some()
}

/// Holds that a picture is that of a file, or writes it.
fn hold(file: &Path, picture: &Picture) -> Result<(), String> {
    let (shown, bytes) = indexed::indexed(picture);
    if is_blessing() {
        fs::write(file, bytes).map_err(|error| error.to_string())?;
        return Ok(());
    }
    let there = fs::read(file).ok().and_then(|bytes| indexed::decode(&bytes));
    let there = there.ok_or_else(|| format!("{} is not there, or no picture", file.display()))?;
    if there == shown {
        return Ok(());
    }
    let off = there.rgb8.iter().zip(&shown.rgb8).filter(|(a, b)| a != b).count();
    Err(format!("{}: {off} of {} channels differ", file.display(), shown.rgb8.len()))
}

#[test]
fn every_op_looks_as_in_its_picture() {
    let folder = folder();
    fs::create_dir_all(&folder).unwrap();
    let all: Vec<&Entry> = entries().collect();
    let taken: Vec<Picture> = all.par_iter().map(|entry| picture(entry)).collect();
    let mut wrong = Vec::new();
    let mut small = Vec::new();
    for (entry, picture) in all.iter().zip(&taken) {
        wrong.extend(hold(&folder.join(file_name(entry)), picture).err());
        small.push((entry.name, reduced(picture, 2)));
    }
    let (_, sheet) = indexed::indexed(&contact_sheet(&small, COLUMNS));
    let text = base64(&sheet);
    let file = folder.join("sheet.base64");
    if is_blessing() {
        fs::write(&file, &text).unwrap();
    } else if fs::read_to_string(&file).unwrap_or_default() != text {
        wrong.push(format!("{} is not the sheet of these pictures", file.display()));
    }
    assert!(wrong.is_empty(), "{}\nWEALD_BLESS=1 takes these pictures anew", wrong.join("\n"));
}

#[test]
fn every_name_of_the_language_has_a_picture_and_no_other() {
    // What is the same everywhere shows nothing.
    let unseen = ["pi", "true", "false"];
    let language: BTreeSet<&str> =
        signatures().map(|signature| signature.name).filter(|name| !unseen.contains(name)).collect();
    let data: Vec<&str> = entries::data().iter().map(|(name, _)| *name).collect();
    let shown: BTreeSet<&str> =
        entries().map(|entry| entry.name.split(',').next().unwrap_or_default()).collect();
    let shown_of_language: BTreeSet<&str> = shown.into_iter().filter(|name| !data.contains(name)).collect();
    assert_eq!(shown_of_language, language);
}

#[test]
fn the_page_shows_every_picture_with_its_formula() {
    let mut page = String::from(
        "# What fields can be made of\n\n\
         Every name of the formula language at work, each picture made of the formula beside it. How fields are written \
         is in the guide: [`fields.md`](../crates/weald/src/guide/fields.md). Written by the test `gallery` of \
         `weald-bake`: change what it shows there.\n",
    );
    for group in GROUPS {
        let _ = write!(page, "\n## {}\n\n", group.title);
        if !group.about.is_empty() {
            let _ = write!(page, "{}\n\n", group.about);
        }
        let _ = writeln!(page, "| picture | formula | what it does |\n|---|---|---|");
        for entry in group.entries {
            let name = entry.name.split(',').next().unwrap_or_default();
            let signature = signatures().find(|signature| signature.name == name);
            let what = signature.map_or_else(
                || "given by the world".to_owned(),
                |signature| format!("`{signature}`: {}", signature.doc),
            );
            let _ = writeln!(
                page,
                "| ![{}](pictures/fields/{}) | `{}` | {what} |",
                entry.name,
                file_name(entry).replace(' ', "%20"),
                entry.formula
            );
        }
    }
    let file = docs().join("fields.md");
    if is_blessing() {
        fs::write(&file, page).unwrap();
    } else {
        assert_eq!(fs::read_to_string(&file).unwrap_or_default(), page, "WEALD_BLESS=1 writes the page anew");
    }
}

#[test]
fn the_gallery_is_small() {
    let files = fs::read_dir(folder()).unwrap().map(|file| file.unwrap());
    let known: BTreeSet<String> = entries().map(file_name).chain(["sheet.base64".to_owned()]).collect();
    let mut bytes = 0;
    for file in files {
        let name = file.file_name().to_string_lossy().into_owned();
        assert!(known.contains(&name), "{name} is a picture of nothing");
        bytes += file.metadata().unwrap().len();
    }
    assert!(bytes < MOST_BYTES, "{bytes} bytes");
}

/// Base 64 by RFC 4648, for a page that holds a picture.
fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for group in bytes.chunks(3) {
        let bits = (0..3).fold(0_u32, |bits, i| bits << 8 | u32::from(group.get(i).copied().unwrap_or(0)));
        for digit in 0..4 {
            let known = digit <= group.len();
            let at = (bits >> (18 - 6 * digit) & 63) as usize;
            text.push(if known { char::from(DIGITS[at]) } else { '=' });
        }
    }
    text
}

#[test]
fn base_64_is_that_of_the_rfc() {
    for (bytes, text) in [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foobar", "Zm9vYmFy")] {
        assert_eq!(base64(bytes.as_bytes()), text);
    }
}
