//! Fields as people write them: formulas in a text.
//!
//! `text → tokens → syntax → program → Expr`. The same formulas stand in the world file, in the studio and in Python.
//!
//! ```
//! use std::collections::BTreeMap;
//! use weald_field::formula::{Definition, Definitions, Host};
//! use weald_space::Seed;
//!
//! let library = [
//!     Definition { head: "hills", body: "fbm(wavelength: 300, octaves: 5, flat: true) * 40", origin: 0 },
//!     Definition { head: "rock(size)", body: "sphere(size).scale(2)", origin: 1 },
//! ];
//! let host = Host { seed: Seed::new(7), names: BTreeMap::new() };
//! let mut definitions = Definitions::new(library, host)?;
//! let field = definitions.field("ground", "max(z - hills, -rock(size: 5).at((0, 0, 10)))", 2)?;
//! # let _ = field;
//! # Ok::<(), weald_field::formula::FormulaError>(())
//! ```
//!
//! # The language
//!
//! | written | meant |
//! |---|---|
//! | `1`, `1.5`, `2e3` | numbers |
//! | `+ - * /`, `-a`, `a ^ 2` | arithmetic; an exponent is a number; `-a ^ 2` is `-(a ^ 2)` |
//! | `x`, `y`, `z` | the place: metres to the east, to the north, up |
//! | `(1, 2, 3)` | a vector of 2 to 4; vectors are added, and multiplied by numbers |
//! | `[(0, 0), (1, 2)]` | a list |
//! | `'here'`, `"here"` | a text |
//! | `sphere(5, at: (0, 0, 2))` | a call; arguments without a name come first, in the order of parameters |
//! | `sphere(5).at((0, 0, 2))` | a method: the field before the dot, changed |
//! | `if(a < b, then, otherwise)` | a choice at each place; `<` and `>` stand nowhere else |
//! | `// ..` | a comment, to the end of the line |
//!
//! A value is a *number* that is known when the formula is compiled, a *field* that depends on the place, a vector, a
//! list, a text, or `true` or `false`. A number may stand where a field is asked for, not the reverse: a radius is a
//! number. Numbers are computed in double precision; fields in single.
//!
//! [`signatures`] lists all names of the language with their parameters. Solids are negative inside, as everywhere:
//! `-a` is all that is outside of `a`.
//!
//! # Definitions
//!
//! A definition gives a name to a formula; with parameters, as in `rock(size, height: 3)`, it is a function. A default
//! may read the parameters before it. Definitions may use each other in any order, but not in a circle. A name of the
//! language cannot be defined anew.
//!
//! # Random numbers
//!
//! Noise draws from the seed of the world, the name of its definition and its place among the calls of noise there: so
//! two calls differ, and an edit of one definition leaves the noise of others as it was. An argument `seed`, a number or
//! a text, takes the place of the latter: it keeps a call's noise when another is written before it, and gives a
//! function other noise at each call.
//!
//! # Limits
//!
//! A formula has at most [`MAX_TEXT`] bytes and [`MAX_NESTING`] levels of brackets, a library [`MAX_DEFINITIONS`]
//! definitions in chains of at most [`MAX_HEIGHT`]. What they have of operators, names and numbers, and what they expand
//! to, is at most [`MAX_STEPS`] each. So no text costs more than a moment, and none makes the parser recurse without end.

mod builtin;
mod definitions;
mod error;
mod evaluate;
mod functions;
mod lex;
mod noises;
mod ops;
mod parse;
mod resolve;
mod shapes;
mod size;
mod transforms;
mod value;

#[cfg(test)]
mod tests;

pub use builtin::{Fallback, Limit, Parameter, ParameterKind, Signature, Usage, signatures};
pub use definitions::{Definition, Definitions, Host};
pub use error::{FormulaError, Part, Place, Wrong};
pub use lex::{MAX_NAME, MAX_TEXT};
pub use parse::MAX_NESTING;

/// A library may have so many definitions.
pub const MAX_DEFINITIONS: usize = 1 << 14;
/// Definitions that use definitions may form chains of so many.
pub const MAX_HEIGHT: usize = 128;
/// The formulas of a library, with all their calls, may expand to so many steps.
pub const MAX_STEPS: usize = 1 << 18;
