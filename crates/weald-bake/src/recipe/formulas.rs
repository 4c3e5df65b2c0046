//! The formulas of a world: those of its own file and of the files that it uses.
//!
//! A file of formulas may use others; each is read once, whoever uses it. All names are one list. Where a formula is
//! wrong, its bytes are found again in the text of its file, through the escapes of the string that it stands in.

use std::collections::BTreeMap;
use std::fs;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;

use weald_field::Expr;
use weald_field::formula::{self, Definition, Definitions, FormulaError, Host, Part, Place};
use weald_space::Seed;

use super::error::{RecipeError, Source, Spot, Wrong};
use super::locate;
use super::parse;
use super::raw::{FieldsRaw, LibraryRaw, RecipeRaw};

/// A world may use so many files of formulas.
pub const MAX_LIBRARIES: usize = 64;
/// All files of formulas may have so many bytes together.
pub const MAX_LIBRARY_BYTES: u64 = 8 << 20;

/// The formulas that a world file may use.
#[derive(Debug)]
pub(super) struct Formulas {
    definitions: Definitions,
    texts: Texts,
}

/// Where each formula stands, by the origin that its errors name.
#[derive(Debug, Default)]
struct Texts {
    files: Vec<Source>,
    places: Vec<(usize, Written)>,
}

#[derive(Clone, Debug)]
enum Written {
    /// An entry of `fields`.
    Entry(usize),
    /// A string at a path.
    Path(String),
}

impl Formulas {
    /// Reads the files that the world uses, and checks all definitions. `names` are the fields that the world itself
    /// gives to formulas.
    pub(super) fn new(
        source: &Source,
        raw: &RecipeRaw,
        seed: Seed,
        names: BTreeMap<String, Expr>,
    ) -> Result<Self, RecipeError> {
        let mut library =
            Library { texts: Texts::default(), entries: Vec::new(), known: Vec::new(), bytes: 0 };
        library.add(source.clone(), &raw.uses, &raw.fields, &mut Vec::new())?;
        let Library { texts, entries, .. } = library;
        let all = entries.iter().enumerate();
        let definitions = all.map(|(origin, (head, body))| Definition { head, body, origin });
        let host = Host { seed: seed.child("fields"), names };
        let mut definitions = Definitions::new(definitions, host).map_err(|error| texts.error(error))?;
        definitions.check().map_err(|error| texts.error(error))?;
        Ok(Formulas { definitions, texts })
    }

    /// The field of the formula at `path` in the world file. `label` names what its noise draws from.
    pub(super) fn field(&mut self, path: &str, label: &str, formula: &str) -> Result<Expr, RecipeError> {
        let origin = self.texts.places.len();
        self.texts.places.push((0, Written::Path(path.to_owned())));
        self.definitions.field(label, formula, origin).map_err(|error| self.texts.error(error))
    }
}

/// Files on their way to definitions.
struct Library {
    texts: Texts,
    /// Name and formula.
    entries: Vec<(String, String)>,
    /// The files that were read, by their canonical paths.
    known: Vec<PathBuf>,
    bytes: u64,
}

impl Library {
    /// Adds what a file uses, then what it defines. `way` leads from the world file to this one.
    fn add(
        &mut self,
        source: Source,
        uses: &[String],
        FieldsRaw(fields): &FieldsRaw,
        way: &mut Vec<(PathBuf, String)>,
    ) -> Result<(), RecipeError> {
        let number = self.texts.files.len();
        self.texts.files.push(source.clone());
        for (i, file) in uses.iter().enumerate() {
            self.use_file(&source, &format!("use[{i}]"), file, way)?;
        }
        for (i, (name, formula)) in fields.iter().enumerate() {
            self.texts.places.push((number, Written::Entry(i)));
            self.entries.push((name.clone(), formula.clone()));
        }
        Ok(())
    }

    fn use_file(
        &mut self,
        user: &Source,
        path: &str,
        name: &str,
        way: &mut Vec<(PathBuf, String)>,
    ) -> Result<(), RecipeError> {
        let file = user.beside(name);
        let unreadable = |error| {
            let file = file.clone();
            user.error(path, Wrong::UnreadableLibrary { file, error })
        };
        let canonical = fs::canonicalize(&file).map_err(unreadable)?;
        if let Some(first) = way.iter().position(|(on, _)| *on == canonical) {
            let circle = way[first..].iter().map(|(_, name)| name.clone()).chain([name.to_owned()]);
            return Err(user.error(path, Wrong::UseCycle { circle: circle.collect() }));
        }
        if self.known.contains(&canonical) {
            return Ok(());
        }
        if self.known.len() == MAX_LIBRARIES {
            return Err(user.error(path, Wrong::TooManyLibraries { limit: MAX_LIBRARIES }));
        }
        self.known.push(canonical.clone());
        let bytes = parse::read_up_to(&file, MAX_LIBRARY_BYTES - self.bytes).map_err(unreadable)?;
        let too_large = || user.error(path, Wrong::LibrariesTooLarge { limit: MAX_LIBRARY_BYTES });
        let bytes = bytes.ok_or_else(too_large)?;
        self.bytes += bytes.len() as u64;
        let text = parse::text(bytes).map_err(|wrong| RecipeError {
            wrong: Box::new(wrong),
            file: file.clone(),
            spot: None,
        })?;
        let source = Source { file, text: Arc::from(text) };
        let LibraryRaw { uses, fields } = parse::from_ron(&source)?;
        way.push((canonical, name.to_owned()));
        self.add(source, &uses, &fields, way)?;
        way.pop();
        Ok(())
    }
}

impl Texts {
    /// The error of a world file that an error of a formula makes.
    fn error(&self, FormulaError { wrong, place, calls }: FormulaError) -> RecipeError {
        let (source, spot) = self.spot(&place);
        let wrong = match *wrong {
            formula::Wrong::NameTaken { name, language: false, first: Some(first) } => {
                let first = self.shown(&Place { origin: first, part: Part::Head, bytes: 0..0 });
                Wrong::SameName { name, first }
            }
            formula::Wrong::Field(error) => Wrong::Field(error),
            wrong => Wrong::Formula { wrong, calls: calls.iter().map(|call| self.shown(call)).collect() },
        };
        source.refuse(wrong, spot)
    }

    /// `file:line:column`.
    fn shown(&self, place: &Place) -> String {
        let (source, Spot { line, column, .. }) = self.spot(place);
        format!("{}:{line}:{column}", source.file.display())
    }

    fn spot(&self, Place { origin, part, bytes }: &Place) -> (&Source, Spot) {
        let (file, written) = &self.places[*origin];
        let source = &self.files[*file];
        let text = &source.text;
        let literal: Range<usize> = match written {
            Written::Path(path) => literal_in(text, locate::span_of(text, path)),
            Written::Entry(i) => {
                let entries = locate::entries_of(text, "fields");
                let (key, value) = entries.get(*i).cloned().unwrap_or((0..0, 0..0));
                if *part == Part::Head { key } else { value }
            }
        };
        let in_text = |inner| literal.start + locate::offset_in_literal(&text[literal.clone()], inner);
        let bytes = in_text(bytes.start)..in_text(bytes.end);
        let mut spot = Spot::of_bytes(text, bytes.start..bytes.end.max(bytes.start));
        if let Written::Path(path) = written {
            spot.path.clone_from(path);
        }
        (source, spot)
    }
}

/// The string literal in a value such as `Field("..")`.
fn literal_in(text: &str, value: Range<usize>) -> Range<usize> {
    let quote = text[value.clone()].find('"').unwrap_or(0);
    let before = text[value.start..value.start + quote].trim_end_matches('#');
    value.start + before.strip_suffix('r').unwrap_or(before).len()..value.end
}
