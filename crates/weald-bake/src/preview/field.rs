//! Pictures of fields: cuts through them with their lines of equal value, and the boxes in which pruning sees them.
//!
//! `Tape → boxes → values → Picture`. [`cut`] draws a plane of a field as a figure: inside warm, outside cool, the
//! surface as a strong line, other values as thin ones at even steps, with axes, a scale bar and a legend. It shows the
//! cubes of the lattice that the plane runs through, divided where the field's bounds do not decide whether a cube is
//! inside or outside: there a bake evaluates the field, elsewhere it does not. [`solid()`] shows a field as a lit body.
//!
//! ```
//! use glam::DVec3;
//! use weald_bake::preview::field::{CutSettings, cut};
//! use weald_field::{Expr, Tape};
//!
//! let ball = Tape::new(&Expr::sphere(DVec3::ZERO, 5.0))?;
//! let drawn = cut(&ball, &CutSettings { width: 400, height: 300, ..CutSettings::default() })?;
//! assert_eq!(drawn.picture.width, 400);
//! assert!(drawn.least < -4.9 && drawn.decided > 0.5, "{} {}", drawn.least, drawn.decided);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use glam::{DVec2, Vec2};
use weald_field::Tape;
use weald_space::Axis;

use super::settings::FARTHEST;
use super::{Picture, PreviewError};

mod boxes;
pub(super) mod canvas;
mod figure;
pub(super) mod lettering;
mod lines;
mod ramp;
mod sheet;
mod solid;

#[cfg(test)]
mod tests;

pub use sheet::{contact_sheet, reduced};
pub use solid::{SolidError, SolidSettings, solid};

use boxes::{Leaf, Verdict, Window};
use canvas::{Pass, mix};
use figure::Layout;
use lines::Samples;
use ramp::Ramp;

/// Longest side of a cut, pixels: so much takes some 300 MB.
pub const MAX_CUT_SIDE: u32 = 4096;
/// No box is drawn with a shorter side, pixels.
const LEAST_BOX: f64 = 6.0;
/// How much paler the colours of decided boxes are.
const PALE: f32 = 0.42;
const PAPER: [u8; 3] = [252, 251, 248];
const INK: [u8; 3] = [38, 36, 34];
/// Lines of equal value between the least and the greatest, about.
const LINES: f64 = 14.0;

/// A plane across an axis.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Plane {
    /// The axis that it is across.
    pub axis: Axis,
    /// Where, in metres.
    pub at: f64,
}

/// What is drawn around and over a cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Furniture {
    /// Axes, scale bar, legend and boxes.
    Figure,
    /// Nothing but the field and its lines: for small pictures.
    Bare,
}

/// What a cut shows.
#[derive(Clone, Debug, PartialEq)]
pub struct CutSettings {
    /// The plane.
    pub plane: Plane,
    /// The rectangle of the plane that is shown, in metres to the right and upwards: its lower left and upper right
    /// corner. It is enlarged about its middle to the shape of the picture.
    pub area: [[f64; 2]; 2],
    /// Pixels across, from 1 to [`MAX_CUT_SIDE`].
    pub width: u32,
    /// Pixels down, from 1 to [`MAX_CUT_SIDE`].
    pub height: u32,
    /// The side in metres below which no box is divided: the cell of the lattice.
    pub cell_size: f64,
    /// What is drawn beside the field.
    pub furniture: Furniture,
    /// What stands above the figure.
    pub title: String,
}

impl Default for CutSettings {
    /// 16 m by 16 m about the origin, seen from above.
    fn default() -> Self {
        CutSettings {
            plane: Plane { axis: Axis::Z, at: 0.0 },
            area: [[-8.0; 2], [8.0; 2]],
            width: 1200,
            height: 900,
            cell_size: 0.125,
            furniture: Furniture::Figure,
            title: String::new(),
        }
    }
}

/// A cut, and what was found on it.
#[derive(Clone, Debug, PartialEq)]
pub struct Cut {
    /// The figure.
    pub picture: Picture,
    /// The rectangle that it shows, as in [`CutSettings::area`].
    pub area: [[f64; 2]; 2],
    /// The least value in it.
    pub least: f32,
    /// The greatest value in it.
    pub greatest: f32,
    /// What lines of equal value differ by.
    pub step: f32,
    /// The number of boxes.
    pub boxes: usize,
    /// The sides in metres of the smallest and the largest box.
    pub sides: [f64; 2],
    /// The part of the area, from 0 to 1, in which bounds alone tell inside from outside.
    pub decided: f64,
}

/// Draws a plane of a field.
///
/// # Errors
/// If a side of the picture is 0 or above [`MAX_CUT_SIDE`], the area is empty, not finite or too far away, or the cell
/// is not above zero.
pub fn cut(tape: &Tape, settings: &CutSettings) -> Result<Cut, PreviewError> {
    check(settings)?;
    let layout = Layout::new(settings);
    let window = layout.window(settings);
    let mut least = settings.cell_size;
    while least < LEAST_BOX * window.metres_per_pixel {
        least *= 2.0;
    }
    let leaves = boxes::boxes(tape, &window, least);
    let values = boxes::values(&leaves, &window);
    let found = found(&leaves, &values, &window);
    let picture = draw(settings, &layout, &window, &leaves, &values, &found);
    Ok(Cut { picture, ..found })
}

/// What is told of a cut, without its picture.
fn found(leaves: &[Leaf], values: &[f32], window: &Window) -> Cut {
    let finite = || values.iter().copied().filter(|v| v.is_finite());
    let (least, greatest) =
        (finite().fold(f32::INFINITY, f32::min), finite().fold(f32::NEG_INFINITY, f32::max));
    let (least, greatest) = if least <= greatest { (least, greatest) } else { (0.0, 0.0) };
    let spread = f64::from(greatest) - f64::from(least);
    let mut decided = 0;
    let mut sides = [f64::INFINITY, 0.0_f64];
    for leaf in leaves {
        sides = [sides[0].min(leaf.side), sides[1].max(leaf.side)];
        if leaf.verdict != Verdict::Open {
            let pixels = window.pixels(leaf);
            decided += pixels.columns.len() * pixels.rows.len();
        }
    }
    Cut {
        picture: Picture { width: 0, height: 0, rgb8: Vec::new() },
        area: [window.low().to_array(), window.high().to_array()],
        least,
        greatest,
        step: figure::round_step(spread / LINES) as f32,
        boxes: leaves.len(),
        sides,
        decided: decided as f64 / (window.width * window.height) as f64,
    }
}

fn draw(
    settings: &CutSettings,
    layout: &Layout,
    window: &Window,
    leaves: &[Leaf],
    values: &[f32],
    found: &Cut,
) -> Picture {
    let (width, height) = (settings.width, settings.height);
    let mut picture = Picture { width, height, rgb8: PAPER.repeat(width as usize * height as usize) };
    let ramp = Ramp::new();
    let reach = found.greatest.abs().max(found.least.abs()).max(f32::MIN_POSITIVE);
    let figure = settings.furniture == Furniture::Figure;
    for leaf in leaves {
        let pixels = window.pixels(leaf);
        for row in pixels.rows {
            for column in pixels.columns.clone() {
                let color = ramp.color(values[row * window.width + column] / reach);
                let pale = figure && leaf.verdict != Verdict::Open;
                layout.set(&mut picture, column, row, if pale { mix(color, PAPER, PALE) } else { color });
            }
        }
    }
    let mut pass = Pass::new(&picture);
    if figure {
        outline_boxes(&mut pass, layout, window, leaves);
        pass.lay(&mut picture, INK, 0.16);
    }
    let samples = Samples { values, width: window.width };
    let unit = layout.unit;
    let from_panel = |piece: [Vec2; 2]| piece.map(|p| p + layout.origin());
    samples.multiples(found.step, |piece| pass.stroke(from_panel(piece), 0.35 * unit.max(0.6)));
    pass.lay(&mut picture, INK, 0.5);
    samples.zero(|piece| pass.stroke(from_panel(piece), 1.3 * unit.max(0.55)));
    pass.lay(&mut picture, [16, 14, 12], 1.0);
    if figure {
        layout.furnish(&mut picture, &mut pass, settings, window, found, &ramp);
    }
    picture
}

fn outline_boxes(pass: &mut Pass, layout: &Layout, window: &Window, leaves: &[Leaf]) {
    let end = Vec2::new(window.width as f32, window.height as f32);
    for leaf in leaves {
        let (low, high) = (window.pixel(leaf.low), window.pixel(leaf.low + leaf.side));
        let low_corner = DVec2::new(low.x, high.y).as_vec2().clamp(Vec2::ZERO, end);
        let high_corner = DVec2::new(high.x, low.y).as_vec2().clamp(Vec2::ZERO, end);
        pass.outline(low_corner + layout.origin(), high_corner + layout.origin(), 0.0);
    }
}

fn check(settings: &CutSettings) -> Result<(), PreviewError> {
    let CutSettings { plane, area, width, height, cell_size, .. } = settings;
    let sides = 1..=MAX_CUT_SIDE;
    if !sides.contains(width) || !sides.contains(height) {
        return Err(PreviewError::CutSize { width: *width, height: *height });
    }
    let [min, max] = area.map(DVec2::from);
    if !(min.is_finite() && max.is_finite() && min.cmplt(max).all()) {
        return Err(PreviewError::CutArea { min: min.to_array(), max: max.to_array() });
    }
    let far = min.abs().max(max.abs()).max_element().max(plane.at.abs());
    for (setting, value, least, most) in [
        ("the cut's farthest coordinate", far, 0.0, FARTHEST),
        ("the cut's side in metres", (max - min).min_element(), 1e-3, FARTHEST),
        ("cell_size", *cell_size, 1e-6, FARTHEST),
    ] {
        if !(least <= value && value <= most) {
            return Err(PreviewError::Setting { setting, value, least, most });
        }
    }
    Ok(())
}
