//! What can be wrong with a formula, and where.

use std::fmt;
use std::ops::Range;

use crate::error::FieldError;

/// A formula could not be used: what is wrong, and where.
///
/// Shown as text it says what is wrong only. The place is for hosts, which know the file that a text came from.
#[derive(Clone, Debug, PartialEq)]
pub struct FormulaError {
    /// What is wrong.
    pub wrong: Box<Wrong>,
    /// Where.
    pub place: Place,
    /// The calls that led there, if it is in a function, innermost first.
    pub calls: Vec<Place>,
}

/// Bytes of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The number that the host gave to the definition or formula.
    pub origin: usize,
    /// Which of its two texts is meant.
    pub part: Part,
    /// The bytes in that text.
    pub bytes: Range<usize>,
}

/// The texts of a definition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// The name, with parameters if there are any.
    Head,
    /// The formula.
    Body,
}

impl fmt::Display for FormulaError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.wrong.fmt(f)
    }
}

impl std::error::Error for FormulaError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&self.wrong)
    }
}

/// What can be wrong with a formula.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Wrong {
    /// A character that no formula has.
    #[error("the character {0:?} has no meaning in a formula")]
    Character(char),
    /// A text without its closing quote.
    #[error("the text lacks its closing {0}")]
    OpenText(char),
    /// Digits that make no number.
    #[error("{0} is not a number")]
    BadNumber(String),
    /// Another token was needed.
    #[error("expected {wanted}, found {found}")]
    Unexpected {
        /// What was needed.
        wanted: &'static str,
        /// What stands there.
        found: String,
    },
    /// A name that nothing has.
    #[error("there is no {what} `{name}`{}", hint(.near))]
    UnknownName {
        /// What was looked for: a name, a function, a method.
        what: &'static str,
        /// The name.
        name: String,
        /// Names that are like it, nearest first.
        near: Vec<String>,
    },
    /// A definition has the name of something else.
    #[error("the name `{name}` is already taken{}", by(*.language))]
    NameTaken {
        /// The name.
        name: String,
        /// Whether it belongs to the language, and not to the host or another definition.
        language: bool,
        /// The definition that has it, by its origin.
        first: Option<usize>,
    },
    /// A name without arguments is called, or a function is not.
    #[error("`{name}` is {is}: write {write}")]
    Misused {
        /// The name.
        name: String,
        /// What it is.
        is: &'static str,
        /// How it is written.
        write: String,
    },
    /// Too many arguments.
    #[error("{found} arguments are given without a name, at most {most} may be: {signature}")]
    TooManyArguments {
        /// How many are given without a name.
        found: usize,
        /// How many may be.
        most: usize,
        /// The function with its parameters.
        signature: String,
    },
    /// Too few arguments.
    #[error("the argument `{name}` is missing: {signature}")]
    MissingArgument {
        /// The parameter.
        name: String,
        /// The function with its parameters.
        signature: String,
    },
    /// A named argument that the function has not.
    #[error("there is no argument `{name}`: {signature}")]
    UnknownArgument {
        /// The name.
        name: String,
        /// The function with its parameters.
        signature: String,
    },
    /// An argument is given twice.
    #[error("the argument `{name}` is given twice: {signature}")]
    ArgumentTwice {
        /// The parameter.
        name: String,
        /// The function with its parameters.
        signature: String,
    },
    /// An argument without a name stands behind one with a name.
    #[error("an argument without a name stands behind one with a name: {signature}")]
    LatePosition {
        /// The function with its parameters.
        signature: String,
    },
    /// A value of one type where another is needed.
    #[error("{subject} must be {wanted}, found {found}")]
    Type {
        /// What has the value.
        subject: String,
        /// The type that is needed.
        wanted: String,
        /// The type that is found.
        found: String,
    },
    /// An operator between values that it does not join.
    #[error("{operator} does not join {left} and {right}")]
    Operands {
        /// The operator.
        operator: char,
        /// The type on its left.
        left: String,
        /// The type on its right.
        right: String,
    },
    /// A result is no number, or a very large one.
    #[error("the result is {value}, must be a number from -1e30 to 1e30")]
    Result {
        /// The result.
        value: f64,
    },
    /// A definition that needs itself.
    #[error("the definition goes round in a circle: {}", .circle.join(" -> "))]
    Cycle {
        /// The names on the circle, the first one again at the end.
        circle: Vec<String>,
    },
    /// Something is nested too deeply.
    #[error("{what} are nested deeper than {limit} levels")]
    TooDeep {
        /// What is nested.
        what: &'static str,
        /// The limit.
        limit: usize,
    },
    /// Something is too large.
    #[error("{what}, at most {limit} may be")]
    TooLarge {
        /// What there is, and how much of it.
        what: String,
        /// The limit.
        limit: usize,
    },
    /// A parameter is out of its range, or the field refuses what was built.
    #[error("{0}")]
    Field(#[from] FieldError),
}

fn hint(near: &[String]) -> String {
    match near {
        [] => String::new(),
        [all @ .., last] => {
            let all: Vec<String> = all.iter().map(|name| format!("`{name}`")).collect();
            let join = if all.is_empty() { "" } else { " or " };
            format!("; is {}{join}`{last}` meant?", all.join(", "))
        }
    }
}

fn by(language: bool) -> &'static str {
    if language { " by the language" } else { "" }
}

/// Up to three of the names, those that are most like `name` first.
///
/// Distance counts letters that are changed, added, left out or swapped with the next (optimal string alignment). More
/// than a third of the name is no likeness.
pub(super) fn nearest<'n>(name: &str, names: impl Iterator<Item = &'n str>) -> Vec<String> {
    let most = (name.chars().count() + 1) / 3;
    let mut near: Vec<(usize, &str)> = names
        .filter(|other| other.len().abs_diff(name.len()) <= 4 * most)
        .map(|other| (strsim::osa_distance(name, other), other))
        .filter(|&(distance, _)| distance <= most)
        .collect();
    near.sort_unstable();
    near.dedup();
    near.truncate(3);
    near.into_iter().map(|(_, other)| other.to_owned()).collect()
}
