//! The names of the language: what they take, what they make, and how.
//!
//! One table serves the checks, the messages, the guide and [`signatures`].

use std::fmt;

use weald_space::Seed;

use super::error::Wrong;
use super::value::{Condition, Scalar, Value};
use super::{functions, noises, shapes, transforms};
use crate::error::FieldError;
use crate::expr::Expr;

/// A name of the language, as a line of its reference.
///
/// Shown as text it is `name(parameter, parameter: default)`, with a dot before the name of a method.
#[derive(Clone, Copy, Debug)]
pub struct Signature {
    /// The name.
    pub name: &'static str,
    /// How it is used.
    pub usage: Usage,
    /// What it takes, in the order of arguments without names.
    pub params: &'static [Parameter],
    /// One line about what it makes.
    pub doc: &'static str,
    pub(super) build: fn(&Args) -> Result<Value, Wrong>,
}

/// How a name of the language is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Usage {
    /// Without arguments: `x`.
    Constant,
    /// With arguments: `sphere(5)`.
    Function,
    /// With any number of fields first, at least so many: `union(a, b, c)`.
    Variadic(usize),
    /// Behind a field: `a.at((1, 2, 3))`.
    Method,
}

/// A parameter of a name of the language.
#[derive(Clone, Copy, Debug)]
pub struct Parameter {
    /// The name.
    pub name: &'static str,
    /// What it may be.
    pub kind: ParameterKind,
    /// What it is where it is left out; `None` if it must be given.
    pub default: Option<Fallback>,
}

/// What a parameter is where it is left out.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Fallback {
    /// This number.
    Number(f64),
    /// This point, offset or direction.
    Point([f64; 3]),
    /// This word.
    Word(&'static str),
    /// This answer.
    Flag(bool),
    /// Something that no argument says, such as a seed from the name of the definition.
    Nothing,
}

/// What a parameter may be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ParameterKind {
    /// A number known when compiled, within limits.
    Number(Limit),
    /// A field, or a number.
    Field,
    /// Three numbers.
    Point,
    /// Two numbers, the first less than the second.
    Span,
    /// Two numbers that are not equal.
    Pair,
    /// One of these words.
    Word(&'static [&'static str]),
    /// `true` or `false`.
    Flag,
    /// A number or a text from which random numbers are drawn.
    Seed,
    /// A comparison.
    Condition,
    /// A list of vectors with so many numbers, or of one more if `extra`.
    Points {
        /// Numbers a vector.
        size: usize,
        /// Whether a vector may have one number more.
        extra: bool,
        /// The least number of vectors.
        least: usize,
    },
    /// Three whole numbers from 0 to 1,000,000.
    Counts,
}

/// Which numbers may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// All.
    Any,
    /// More than 0.
    Positive,
    /// 0 or more.
    NotNegative,
    /// Whole numbers from 1 to 32.
    Octaves,
}

impl Limit {
    const fn text(self) -> &'static str {
        match self {
            Limit::Any => "a number",
            Limit::Positive => "more than 0",
            Limit::NotNegative => "0 or more",
            Limit::Octaves => "a whole number from 1 to 32",
        }
    }

    fn holds(self, value: f64) -> bool {
        match self {
            Limit::Any => true,
            Limit::Positive => value > 0.0,
            Limit::NotNegative => value >= 0.0,
            Limit::Octaves => (1.0..=32.0).contains(&value) && value.fract() == 0.0,
        }
    }
}

impl fmt::Display for ParameterKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ParameterKind::Number(Limit::Any) => f.write_str("a number"),
            ParameterKind::Number(limit) => write!(f, "a number, {}", limit.text()),
            ParameterKind::Field => f.write_str("a field or a number"),
            ParameterKind::Point => f.write_str("a vector of 3 numbers"),
            ParameterKind::Span => f.write_str("a vector of 2 numbers, the first less than the second"),
            ParameterKind::Pair => f.write_str("a vector of 2 numbers that differ"),
            ParameterKind::Word(words) => write!(f, "one of {}", words.join(", ")),
            ParameterKind::Flag => f.write_str("true or false"),
            ParameterKind::Seed => f.write_str("a number or a text"),
            ParameterKind::Condition => f.write_str("a comparison such as a < b"),
            ParameterKind::Points { size, extra, least } => {
                let or = if *extra { format!(" or {}", size + 1) } else { String::new() };
                write!(f, "a list of {least} or more vectors of {size}{or} numbers")
            }
            ParameterKind::Counts => f.write_str("a vector of 3 whole numbers from 0 to 1000000"),
        }
    }
}

impl fmt::Display for Fallback {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Fallback::Number(value) => write!(f, "{value}"),
            Fallback::Point([x, y, z]) => write!(f, "({x}, {y}, {z})"),
            Fallback::Word(word) => f.write_str(word),
            Fallback::Flag(flag) => write!(f, "{flag}"),
            Fallback::Nothing => f.write_str("none"),
        }
    }
}

impl fmt::Display for Signature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Signature { name, usage, params, .. } = self;
        let mut list: Vec<String> = Vec::new();
        match usage {
            Usage::Constant => return f.write_str(name),
            Usage::Variadic(least) => {
                list.extend(["a", "b"].iter().take(*least).map(|&name| name.to_owned()));
                list.push("...".to_owned());
            }
            Usage::Function | Usage::Method => {}
        }
        list.extend(params.iter().map(|param| match param.default {
            Some(default) => format!("{}: {default}", param.name),
            None => param.name.to_owned(),
        }));
        let dot = if *usage == Usage::Method { "." } else { "" };
        write!(f, "{dot}{name}({})", list.join(", "))
    }
}

/// All names of the language, by subject.
pub fn signatures() -> impl Iterator<Item = &'static Signature> + Clone {
    [functions::SIGNATURES, noises::SIGNATURES, shapes::SIGNATURES, transforms::SIGNATURES]
        .into_iter()
        .flatten()
}

/// The name of the language, but for methods.
pub(super) fn find(name: &str) -> Option<&'static Signature> {
    signatures().find(|signature| signature.usage != Usage::Method && signature.name == name)
}

/// The method of this name.
pub(super) fn find_method(name: &str) -> Option<&'static Signature> {
    signatures().find(|signature| signature.usage == Usage::Method && signature.name == name)
}

/// An argument of the kind that its parameter asks for.
#[derive(Clone, Debug)]
pub(super) enum Arg {
    Scalar(Scalar),
    /// As many of the numbers as the parameter asks for.
    Numbers([f64; 3]),
    Word(&'static str),
    Flag(bool),
    Seed(Option<String>),
    Condition(Condition),
    Points(Vec<Vec<f64>>),
    Nothing,
}

/// The arguments of a call, one a parameter.
#[derive(Clone, Debug)]
pub(super) struct Args {
    /// What stands before the dot of a method.
    pub(super) receiver: Option<Expr>,
    /// The first arguments of a variadic function.
    pub(super) rest: Vec<Scalar>,
    pub(super) args: Vec<Arg>,
    /// What noise draws from if no argument says so.
    pub(super) seed: Seed,
}

/// Each of these takes an argument of the kind that the table names for it.
///
/// # Panics
/// All of them, if the table names another kind: a test calls every name of the language.
impl Args {
    pub(super) fn receiver(&self) -> &Expr {
        self.receiver.as_ref().expect("a method has a receiver")
    }

    pub(super) fn scalar(&self, i: usize) -> &Scalar {
        match &self.args[i] {
            Arg::Scalar(scalar) => scalar,
            other => panic!("argument {i} is {other:?}, but the table names a field"),
        }
    }

    pub(super) fn field(&self, i: usize) -> Expr {
        self.scalar(i).expr()
    }

    pub(super) fn number(&self, i: usize) -> f64 {
        match &self.args[i] {
            Arg::Scalar(Scalar::Number(value)) => *value,
            other => panic!("argument {i} is {other:?}, but the table names a number"),
        }
    }

    pub(super) fn point(&self, i: usize) -> glam::DVec3 {
        glam::DVec3::from_array(self.given(i).expect("a point has a default, or must be given"))
    }

    pub(super) fn span(&self, i: usize) -> std::ops::Range<f64> {
        let [start, end, _] = self.given(i).expect("a span must be given");
        start..end
    }

    /// A vector, if it was given.
    pub(super) fn given(&self, i: usize) -> Option<[f64; 3]> {
        match &self.args[i] {
            Arg::Numbers(numbers) => Some(*numbers),
            Arg::Nothing => None,
            other => panic!("argument {i} is {other:?}, but the table names a vector"),
        }
    }

    pub(super) fn word(&self, i: usize) -> &'static str {
        match &self.args[i] {
            Arg::Word(word) => word,
            other => panic!("argument {i} is {other:?}, but the table names a word"),
        }
    }

    pub(super) fn flag(&self, i: usize) -> bool {
        matches!(self.args[i], Arg::Flag(true))
    }

    pub(super) fn seed(&self, i: usize) -> Seed {
        match &self.args[i] {
            Arg::Seed(Some(label)) => self.seed.child(label),
            _ => self.seed,
        }
    }

    pub(super) fn condition(&self, i: usize) -> &Condition {
        match &self.args[i] {
            Arg::Condition(condition) => condition,
            other => panic!("argument {i} is {other:?}, but the table names a condition"),
        }
    }

    pub(super) fn points(&self, i: usize) -> &[Vec<f64>] {
        match &self.args[i] {
            Arg::Points(points) => points,
            other => panic!("argument {i} is {other:?}, but the table names points"),
        }
    }
}

impl Parameter {
    /// What the parameter is where it is left out.
    pub(super) fn default_arg(&self) -> Option<Arg> {
        Some(match self.default? {
            Fallback::Number(value) => Arg::Scalar(Scalar::Number(value)),
            Fallback::Point(point) => Arg::Numbers(point),
            Fallback::Word(word) => Arg::Word(word),
            Fallback::Flag(flag) => Arg::Flag(flag),
            Fallback::Nothing if self.kind == ParameterKind::Seed => Arg::Seed(None),
            Fallback::Nothing => Arg::Nothing,
        })
    }

    /// The argument that a value makes for this parameter of `function`.
    pub(super) fn arg(&self, function: &'static str, value: &Value) -> Result<Arg, Wrong> {
        let mistyped = || Wrong::Type {
            subject: format!("`{}` of `{function}`", self.name),
            wanted: self.kind.to_string(),
            found: value.type_name(),
        };
        let out_of_range = |value: f64, limit: &'static str| {
            Wrong::Field(FieldError::Parameter { op: function, name: self.name, value, limit })
        };
        match (self.kind, value) {
            (ParameterKind::Number(limit), Value::Scalar(Scalar::Number(number))) => {
                let arg = Arg::Scalar(Scalar::Number(*number));
                if limit.holds(*number) { Ok(arg) } else { Err(out_of_range(*number, limit.text())) }
            }
            (ParameterKind::Field, Value::Scalar(scalar)) => Ok(Arg::Scalar(scalar.clone())),
            (ParameterKind::Point, Value::Vector(_)) => {
                numbers::<3>(value).map(Arg::Numbers).ok_or_else(mistyped)
            }
            (ParameterKind::Counts, Value::Vector(_)) => {
                let counts = numbers::<3>(value).ok_or_else(mistyped)?;
                let is_count = |count: f64| (0.0..=1e6).contains(&count) && count.fract() == 0.0;
                let bad = counts.into_iter().find(|&count| !is_count(count));
                bad.map_or(Ok(Arg::Numbers(counts)), |bad| {
                    Err(out_of_range(bad, "a whole number from 0 to 1000000"))
                })
            }
            (ParameterKind::Span | ParameterKind::Pair, Value::Vector(_)) => {
                let [low, high] = numbers::<2>(value).ok_or_else(mistyped)?;
                match self.kind {
                    ParameterKind::Span if low >= high => Err(out_of_range(high, "more than its begin")),
                    _ if low == high => Err(out_of_range(high, "other than its begin")),
                    _ => Ok(Arg::Numbers([low, high, 0.0])),
                }
            }
            (ParameterKind::Word(words), Value::Text(text)) => {
                let word = words.iter().find(|&&word| *word == **text);
                word.map(|word| Arg::Word(word)).ok_or_else(|| Wrong::Type {
                    subject: format!("`{}` of `{function}`", self.name),
                    wanted: self.kind.to_string(),
                    found: format!("'{text}'"),
                })
            }
            (ParameterKind::Flag, Value::Flag(flag)) => Ok(Arg::Flag(*flag)),
            (ParameterKind::Seed, Value::Text(text)) => Ok(Arg::Seed(Some(format!("={text}")))),
            (ParameterKind::Seed, Value::Scalar(Scalar::Number(number))) => {
                Ok(Arg::Seed(Some(format!("={number}"))))
            }
            (ParameterKind::Condition, Value::Condition(condition)) => Ok(Arg::Condition(condition.clone())),
            (ParameterKind::Points { size, extra, least }, Value::List(items)) => {
                let points: Option<Vec<Vec<f64>>> = items.iter().map(all_numbers).collect();
                let fits = |point: &Vec<f64>| point.len() == size || (extra && point.len() == size + 1);
                let points = points.filter(|points| points.iter().all(fits) && points.len() >= least);
                points.map(Arg::Points).ok_or_else(mistyped)
            }
            _ => Err(mistyped()),
        }
    }
}

fn numbers<const N: usize>(value: &Value) -> Option<[f64; N]> {
    all_numbers(value)?.try_into().ok()
}

fn all_numbers(value: &Value) -> Option<Vec<f64>> {
    let Value::Vector(parts) = value else { return None };
    let number = |part: &Scalar| match part {
        Scalar::Number(value) => Some(*value),
        Scalar::Field(_) => None,
    };
    parts.iter().map(number).collect()
}
