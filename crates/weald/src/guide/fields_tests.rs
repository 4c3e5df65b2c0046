//! The chapter on fields names all of the language.

use weald_field::formula::{Usage, signatures};

const FIELDS: &str = include_str!("fields.md");

/// A row of the chapter's tables.
fn row(signature: &weald_field::formula::Signature) -> String {
    format!("| `{signature}` | {} |", signature.doc)
}

#[test]
fn every_name_of_the_formula_language_is_in_its_chapter() {
    let rows: Vec<String> = signatures().map(row).collect();
    let missing: Vec<&str> =
        rows.iter().map(String::as_str).filter(|row| !FIELDS.lines().any(|line| line == *row)).collect();
    assert!(missing.is_empty(), "not in fields.md:\n{}", missing.join("\n"));
    assert!(signatures().any(|signature| signature.usage == Usage::Method));
}

#[test]
fn the_chapter_names_nothing_else() {
    let rows: Vec<String> = signatures().map(row).collect();
    let table = FIELDS.lines().filter(|line| line.starts_with("| `"));
    let unknown: Vec<&str> = table.filter(|line| !rows.iter().any(|row| row == line)).collect();
    assert!(unknown.is_empty(), "not of the language:\n{}", unknown.join("\n"));
}
