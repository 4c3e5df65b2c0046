//! Ranges of the numbers in a world file.

use std::ops::RangeInclusive;

use glam::{DVec2, DVec3};

use super::error::{RecipeError, Source, Wrong};

/// Nothing lies further from the origin, in metres.
pub(super) const FAR: f64 = 10_000_000.0;
/// Nothing is higher or deeper, in metres.
pub(super) const HIGH: f64 = 20_000.0;
/// Places and sizes are multiples of this part of a metre, so that a world can be moved without a change of its bits.
const SNAP: f64 = 65_536.0;

/// The nearest multiple of 2⁻¹⁶ m.
pub(super) fn snap(metres: f64) -> f64 {
    (metres * SNAP).round() / SNAP
}

impl Source {
    /// The number, if it lies in the range.
    pub(super) fn number(
        &self,
        path: &str,
        value: f64,
        range: RangeInclusive<f64>,
        unit: &'static str,
    ) -> Result<f64, RecipeError> {
        if range.contains(&value) {
            return Ok(value);
        }
        Err(self.error(path, Wrong::Number { value, low: *range.start(), high: *range.end(), unit }))
    }

    /// A length in metres within the range, snapped.
    pub(super) fn metres(
        &self,
        path: &str,
        value: f64,
        range: RangeInclusive<f64>,
    ) -> Result<f64, RecipeError> {
        self.number(path, value, range, " m").map(snap)
    }

    /// An angle in degrees, of up to one turn either way.
    pub(super) fn turn(&self, path: &str, value: f64) -> Result<f64, RecipeError> {
        self.number(path, value, -360.0..=360.0, "°")
    }

    /// A place of the plan in metres, snapped.
    pub(super) fn plan_place(&self, path: &str, (x, y): (f64, f64)) -> Result<DVec2, RecipeError> {
        let member = |i, value| self.metres(&format!("{path}[{i}]"), value, -FAR..=FAR);
        Ok(DVec2::new(member(0, x)?, member(1, y)?))
    }

    /// A place or an offset in metres, snapped.
    pub(super) fn place(&self, path: &str, (x, y, z): (f64, f64, f64)) -> Result<DVec3, RecipeError> {
        let plan = self.plan_place(path, (x, y))?;
        Ok(plan.extend(self.metres(&format!("{path}[2]"), z, -HIGH..=HIGH)?))
    }

    /// A range that begins below its end, both within `range`.
    pub(super) fn span(
        &self,
        path: &str,
        (low, high): (f64, f64),
        range: RangeInclusive<f64>,
        unit: &'static str,
    ) -> Result<(f64, f64), RecipeError> {
        let member = |i, value| self.number(&format!("{path}[{i}]"), value, range.clone(), unit);
        let (low, high) = (member(0, low)?, member(1, high)?);
        if low < high { Ok((low, high)) } else { Err(self.error(path, Wrong::EmptyRange { low, high })) }
    }

    /// Refuses a list with too few or too many entries.
    pub(super) fn count(
        &self,
        path: &str,
        what: &'static str,
        count: usize,
        range: RangeInclusive<usize>,
    ) -> Result<(), RecipeError> {
        if range.contains(&count) {
            return Ok(());
        }
        Err(self.error(path, Wrong::Count { what, count, low: *range.start(), high: *range.end() }))
    }

    /// Refuses a name that occurs twice in a list.
    pub(super) fn distinct<'a>(
        &self,
        list: &str,
        names: impl Iterator<Item = &'a str> + Clone,
    ) -> Result<(), RecipeError> {
        for (i, name) in names.clone().enumerate() {
            if let Some(first) = names.clone().take(i).position(|other| other == name) {
                let first = format!("{list}[{first}]");
                let wrong = Wrong::SameName { name: name.to_owned(), first };
                return Err(self.error(&format!("{list}[{i}].name"), wrong));
            }
        }
        Ok(())
    }
}
