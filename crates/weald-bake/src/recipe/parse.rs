//! From the bytes of a world file to a recipe.

use std::fs::File;
use std::io::{self, Read as _};
use std::path::Path;
use std::sync::Arc;

use ron::error::{Error as RonError, SpannedError};
use ron::extensions::Extensions;
use serde::de::DeserializeOwned;

use super::error::{RecipeError, Source, Spot, Wrong};
use super::raw::VERSION;
use super::version::AnyRecipe;
use super::{Recipe, locate, resolve};

/// World files with more bytes are refused before they are read.
pub const MAX_BYTES: u64 = 8 << 20;

/// Reads a world file.
///
/// # Errors
/// If it, or the elevation that it names, cannot be read or used.
pub fn load(file: &Path) -> Result<Recipe, RecipeError> {
    let fail = |wrong: Wrong| RecipeError { wrong: Box::new(wrong), file: file.to_owned(), spot: None };
    let bytes = read_up_to(file, MAX_BYTES).map_err(|error| fail(Wrong::Unreadable(error)))?;
    let bytes = bytes.ok_or_else(|| fail(Wrong::TooLarge { limit: MAX_BYTES }))?;
    parse(file, &text(bytes).map_err(fail)?)
}

/// The bytes of a file, or nothing if there are more than the limit.
pub(super) fn read_up_to(file: &Path, limit: u64) -> io::Result<Option<Vec<u8>>> {
    let mut bytes = Vec::new();
    File::open(file)?.take(limit.saturating_add(1)).read_to_end(&mut bytes)?;
    Ok(Some(bytes).filter(|bytes| bytes.len() as u64 <= limit))
}

/// Bytes as text.
pub(super) fn text(bytes: Vec<u8>) -> Result<String, Wrong> {
    String::from_utf8(bytes).map_err(|error| Wrong::NotText { at: error.utf8_error().valid_up_to() })
}

/// Resolves the text of a world file; relative paths in it count from the folder of `file`.
///
/// # Errors
/// If it, or the elevation that it names, cannot be used.
pub fn parse(file: &Path, text: &str) -> Result<Recipe, RecipeError> {
    let source = Source { file: file.to_owned(), text: Arc::from(text) };
    resolve::resolve(&source, any(&source)?.into_latest())
}

/// Reads the version first: a file of a later one would fail at its first new field, which would hide the reason.
fn any(source: &Source) -> Result<AnyRecipe, RecipeError> {
    let found = &source.text[locate::span_of(&source.text, "version")];
    if !found.is_empty() && found.bytes().all(|b| b.is_ascii_digit()) && found.parse() != Ok(VERSION) {
        let wrong = Wrong::Version { found: found.to_owned(), latest: VERSION };
        return Err(source.error("version", wrong));
    }
    from_ron(source).map(AnyRecipe::V1)
}

/// Reads a value; an error has its place in the text.
pub(super) fn from_ron<T: DeserializeOwned>(source: &Source) -> Result<T, RecipeError> {
    let options = ron::Options::default().with_default_extension(Extensions::IMPLICIT_SOME);
    options.from_str(&source.text).map_err(|error| syntax_error(source, &error))
}

/// The deserializer points behind a value of the wrong type; such a value is shown as a whole instead.
fn syntax_error(source: &Source, SpannedError { code, span }: &SpannedError) -> RecipeError {
    let text = &source.text;
    let start = locate::offset_of(text, span.start.line, span.start.col);
    let end = locate::offset_of(text, span.end.line, span.end.col).max(start);
    let plain = sentence(code);
    let wrong_type = matches!(
        code,
        RonError::ExpectedFloat
            | RonError::ExpectedInteger
            | RonError::ExpectedString
            | RonError::ExpectedArray
            | RonError::ExpectedIdentifier
            | RonError::IntegerOutOfBounds
            | RonError::ExpectedDifferentLength { .. }
    );
    if !wrong_type {
        return source.error_at(start..end, Wrong::Syntax { message: plain });
    }
    let spot = Spot::of_path(text, &locate::path_at(text, start));
    let value: String = text[spot.bytes.clone()].chars().take(40).collect();
    let message = format!("{plain}, found {value}");
    source.refuse(Wrong::Syntax { message }, spot)
}

/// The deserializer's message as ours are: in lower case, without words that say nothing.
fn sentence(code: &RonError) -> String {
    let message = code.to_string();
    let message = message.strip_suffix(" instead").unwrap_or(&message);
    let message = message
        .strip_prefix("Unexpected missing")
        .map_or(message.to_owned(), |rest| format!("Missing{rest}"));
    let mut letters = message.chars();
    letters.next().map_or_else(String::new, |first| first.to_lowercase().chain(letters).collect())
}
