//! Which material a vertex has.
//!
//! Rules are tried in order; the first that fits decides. A rule asks for a range of heights, of slopes, and of a
//! field's values, so that grass gives way to rock where it is steep and to snow where it is high, with borders that
//! wander where another field shifts them.
//!
//! ```
//! use glam::{DVec3, Vec3};
//! use weald_field::{EvalScratch, MaterialIndex, MaterialRules, Rule};
//!
//! let (grass, rock, snow) = (MaterialIndex(0), MaterialIndex(1), MaterialIndex(2));
//! let rules = MaterialRules::new(
//!     vec![
//!         Rule { slope: 35.0..90.0, ..Rule::always(rock) },
//!         Rule { height: 2000.0..f64::INFINITY, ..Rule::always(snow) },
//!     ],
//!     grass,
//! )?;
//! let positions = [DVec3::ZERO, DVec3::ZERO, DVec3::Z * 2500.0];
//! let normals = [Vec3::Z, Vec3::X, Vec3::Z];
//! let mut materials = [0; 3];
//! rules.assign(&positions, &normals, &mut EvalScratch::default(), &mut materials);
//! assert_eq!(materials, [grass.0, rock.0, snow.0]);
//! # Ok::<(), weald_field::FieldError>(())
//! ```

use std::ops::Range;

use glam::{DVec3, Vec3};
use weald_space::ops;

use crate::error::FieldError;
use crate::expr::Expr;
use crate::tape::BLOCK;
use crate::tape::{EvalScratch, Tape};
use crate::term::require;

/// The place of a material in the world's list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct MaterialIndex(pub u8);

/// Where a material lies. All ranges hold their start and not their end.
#[derive(Clone, Debug, PartialEq)]
pub struct Rule {
    /// The material.
    pub material: MaterialIndex,
    /// Metres above the world's zero.
    pub height: Range<f64>,
    /// Degrees between the normal and the vertical: 0 is level ground, 90 a wall, 180 a ceiling. A range that ends at
    /// 180 or above holds ceilings too; one that ends at 90 or above holds walls.
    pub slope: Range<f64>,
    /// A field, and the values that it must have.
    pub noise: Option<(Expr, Range<f32>)>,
    /// A field in metres that is added to the height before it is compared, so that the border wanders.
    pub border: Option<Expr>,
}

impl Rule {
    /// A rule that fits everywhere: start from it and narrow it.
    #[must_use]
    pub fn always(material: MaterialIndex) -> Self {
        Rule {
            material,
            height: f64::NEG_INFINITY..f64::INFINITY,
            slope: 0.0..f64::INFINITY,
            noise: None,
            border: None,
        }
    }
}

/// Ordered rules, compiled.
#[derive(Clone, Debug)]
pub struct MaterialRules {
    rules: Vec<Compiled>,
    default: MaterialIndex,
}

#[derive(Clone, Debug)]
struct Compiled {
    material: MaterialIndex,
    height: Range<f64>,
    /// The vertical part of a unit normal must be above `upright.0` and at most `upright.1`.
    upright: (f32, f32),
    noise: Option<(Tape, Range<f32>)>,
    border: Option<Tape>,
}

impl MaterialRules {
    /// Compiles rules; `default` is for what fits none.
    ///
    /// # Errors
    /// If an end of a range is not a number, or a field does not compile.
    pub fn new(rules: Vec<Rule>, default: MaterialIndex) -> Result<Self, FieldError> {
        let rules = rules.iter().map(Compiled::new).collect::<Result<_, _>>()?;
        Ok(MaterialRules { rules, default })
    }

    /// The material of each vertex, from its position in metres and its unit normal.
    ///
    /// # Panics
    /// If `normals` or `out` does not have one entry a position.
    pub fn assign(&self, positions: &[DVec3], normals: &[Vec3], scratch: &mut EvalScratch, out: &mut [u8]) {
        assert_eq!(normals.len(), positions.len(), "one normal a vertex");
        assert_eq!(out.len(), positions.len(), "one material a vertex");
        let blocks = positions.chunks(BLOCK).zip(normals.chunks(BLOCK)).zip(out.chunks_mut(BLOCK));
        for ((positions, normals), out) in blocks {
            let mut open: Vec<usize> = (0..positions.len()).collect();
            for rule in &self.rules {
                rule.settle(&mut open, positions, normals, scratch, out);
            }
            open.iter().for_each(|&vertex| out[vertex] = self.default.0);
        }
    }
}

impl Compiled {
    fn new(rule: &Rule) -> Result<Self, FieldError> {
        let number = |name, range: &Range<f64>| {
            let is_number = |end: f64| !end.is_nan();
            require("material rule", name, [range.start, range.end], is_number, "a number")
        };
        number("height", &rule.height)?;
        number("slope", &rule.slope)?;
        if let Some((_, range)) = &rule.noise {
            number("noise", &(f64::from(range.start)..f64::from(range.end)))?;
        }
        let cosine = |degrees: f64| ops::sin_cos_deg(degrees).1 as f32;
        let steepest = match rule.slope.end {
            end if end >= 180.0 => -2.0,
            end if end <= 0.0 => 2.0,
            // Walls are upright: their normals lie level up to rounding.
            90.0 => -1e-6,
            end => cosine(end),
        };
        let levellest = match rule.slope.start {
            start if start <= 0.0 => 2.0,
            start if start > 180.0 => -2.0,
            start => cosine(start),
        };
        let noise = match &rule.noise {
            Some((expr, range)) => Some((Tape::new(expr)?, range.clone())),
            None => None,
        };
        Ok(Compiled {
            material: rule.material,
            height: rule.height.clone(),
            upright: (steepest, levellest),
            noise,
            border: rule.border.as_ref().map(Tape::new).transpose()?,
        })
    }

    /// Gives its material to those of the open vertices that fit, and takes them off the list. Fields are evaluated
    /// only where the rest fits.
    fn settle(
        &self,
        open: &mut Vec<usize>,
        positions: &[DVec3],
        normals: &[Vec3],
        scratch: &mut EvalScratch,
        out: &mut [u8],
    ) {
        let (steepest, levellest) = self.upright;
        let mut fits: Vec<usize> = open.to_vec();
        fits.retain(|&v| normals[v].z > steepest && normals[v].z <= levellest);
        let mut at = Vec::with_capacity(fits.len());
        let mut values = [0.0; BLOCK];
        let mut evaluate = |tape: &Tape, vertices: &[usize], values: &mut [f32]| {
            at.clear();
            at.extend(vertices.iter().map(|&v| positions[v]));
            tape.values(&at, scratch, &mut values[..vertices.len()]);
        };
        if let Some(border) = &self.border {
            evaluate(border, &fits, &mut values);
        }
        let mut shift = values.iter();
        fits.retain(|&v| {
            self.height.contains(&(positions[v].z + shift.next().map_or(0.0, |&m| f64::from(m))))
        });
        if let Some((tape, range)) = &self.noise {
            evaluate(tape, &fits, &mut values);
            let mut value = values.iter();
            fits.retain(|_| value.next().is_some_and(|value| range.contains(value)));
        }
        fits.iter().for_each(|&v| out[v] = self.material.0);
        open.retain(|v| fits.binary_search(v).is_err());
    }
}
