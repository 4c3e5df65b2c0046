//! Exit codes, and how errors are shown.

use std::fmt;
use std::io::{IsTerminal as _, Write as _};
use std::path::Path;

use miette::{Diagnostic, GraphicalReportHandler, GraphicalTheme, LabeledSpan, NamedSource, SourceCode};
use weald::bake::Error;
use weald::bake::recipe::{RecipeError, Wrong};
use weald::bake::store::StoreError;
use weald::contour::ContourError;
use weald::mesh::gltf::GltfError;

/// Done.
pub(crate) const OK: u8 = 0;
/// A check found defects.
pub(crate) const DEFECTS: u8 = 1;
/// The command line or the world file is wrong. The parser of the command line exits with it too.
pub(crate) const USAGE: u8 = 2;
/// Input data cannot be read.
pub(crate) const DATA: u8 = 3;
/// An output cannot be written.
pub(crate) const OUTPUT: u8 = 4;
/// Interrupted; what was made is kept.
pub(crate) const INTERRUPTED: u8 = 5;
/// A bug in weald.
pub(crate) const BUG: u8 = 70;

/// Columns of an error message.
const WIDTH: usize = 100;

/// Why a command failed: a message, where it applies a part of the world file, and the exit code.
#[derive(Debug)]
pub(crate) struct Failure {
    message: String,
    source: Option<Box<(NamedSource<String>, LabeledSpan)>>,
    code: u8,
}

impl Failure {
    /// A failure without a place in a world file.
    pub(crate) fn new(code: u8, message: impl Into<String>) -> Self {
        Failure { message: message.into(), source: None, code }
    }

    /// The exit code.
    pub(crate) fn code(&self) -> u8 {
        self.code
    }

    /// Shows the failure on standard error: in colour on a terminal.
    pub(crate) fn print(&self) {
        let colour = std::io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none();
        let theme = if colour { GraphicalTheme::unicode() } else { GraphicalTheme::unicode_nocolor() };
        let mut text = String::new();
        let handler = GraphicalReportHandler::new_themed(theme).with_width(WIDTH).with_links(false);
        if handler.render_report(&mut text, self).is_err() {
            text = format!("{}\n", self.message);
        }
        let _ = std::io::stderr().write_all(text.as_bytes());
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Failure {}

impl Diagnostic for Failure {
    fn source_code(&self) -> Option<&dyn SourceCode> {
        self.source.as_deref().map(|(source, _)| source as &dyn SourceCode)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        self.source.as_deref().map(|(_, label)| {
            Box::new(std::iter::once(label.clone())) as Box<dyn Iterator<Item = LabeledSpan>>
        })
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        match error {
            Error::Recipe(error) => error.into(),
            Error::Store(error) => error.into(),
            Error::Contour {
                source:
                    ContourError::BordersDisagree { .. }
                    | ContourError::Patch { .. }
                    | ContourError::Unsettled { .. }
                    | ContourError::NotInCut { .. },
                ..
            } => Failure::new(BUG, error.to_string()),
            Error::Gltf(GltfError::TooLarge { .. }) => Failure::new(OUTPUT, error.to_string()),
            Error::ChunkList(_) => Failure::new(DATA, error.to_string()),
            Error::Region(_)
            | Error::Roots(_)
            | Error::Cut(_)
            | Error::Select(_)
            | Error::Plan(_)
            | Error::Picture(_)
            | Error::Contour { .. }
            | Error::Threads { .. } => Failure::new(USAGE, error.to_string()),
            Error::Gltf(_) | Error::Input { .. } => Failure::new(DATA, error.to_string()),
            Error::Interrupted => Failure::new(INTERRUPTED, error.to_string()),
            Error::Union(_) => Failure::new(BUG, error.to_string()),
        }
    }
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        let code = if matches!(error, StoreError::Read { .. }) { DATA } else { OUTPUT };
        Failure::new(code, error.to_string())
    }
}

impl From<RecipeError> for Failure {
    fn from(error: RecipeError) -> Self {
        let code = match *error.wrong {
            Wrong::Elevation(_) | Wrong::Georeference(_) => DATA,
            _ => USAGE,
        };
        let message = error.to_string();
        let source = error.spot.map(|spot| {
            let named = NamedSource::new(error.file.display().to_string(), spot.text.to_string());
            let length = spot.bytes.len().clamp(1, 60);
            Box::new((named, LabeledSpan::new(Some("here".to_owned()), spot.bytes.start, length)))
        });
        Failure { message, source, code }
    }
}

/// An error about the content of a file that was baked before.
pub(crate) fn in_file(error: &Error, file: &Path) -> Failure {
    Failure::new(DATA, format!("{error} ({})", file.display()))
}

/// A panic is a bug: it says so and exits with [`BUG`], from whatever thread.
pub(crate) fn panics_are_bugs() {
    let default = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |info| {
        default(info);
        let _ = writeln!(std::io::stderr(), "This is a bug in weald {}.", env!("CARGO_PKG_VERSION"));
        std::process::exit(BUG.into());
    }));
}
