//! Where posts lie: from the model tags of a GeoTIFF to an origin and a step.
//!
//! The tags map raster coordinates to model coordinates (GeoTIFF 1.0, section 2.6). Whether the whole numbers of
//! raster coordinates are corners or middles of pixels is told by the raster type; a post is always a middle. So the
//! same tags put posts half a pixel apart under the two types, as they do in GDAL.

use glam::DVec2;
use weald_space::ops;

use crate::elevation::{Placement, Registration, RowOrder};
use crate::error::Fault;
use crate::tags::{self, Tags};

/// Model coordinates from raster coordinates: `x = a·i + b·j + c`, `y = d·i + e·j + f`.
#[derive(Clone, Copy, Debug)]
struct Affine {
    a: f64,
    b: f64,
    c: f64,
    d: f64,
    e: f64,
    f: f64,
}

/// How large the off-diagonal terms may be, as a share of the diagonal ones, before a grid counts as rotated. Over
/// 20,000 posts a share of 10⁻⁹ displaces the last by 2 % of a thousandth of a step, while a
/// rotation of a hundredth of a degree is a share of 10⁻⁴.
const ROTATION_TOLERANCE: f64 = 1e-9;

/// The placement of the posts, and whether a negative vertical scale was taken as a positive one. None where the file
/// has no georeference.
pub(crate) fn of(
    tags: &Tags<'_>,
    height: usize,
    registration: Registration,
) -> Result<Option<(Placement, bool)>, Fault> {
    let Some((affine, negative_scale)) = affine(tags)? else {
        return Ok(None);
    };
    let Affine { a, b, c, d, e, f } = affine;
    if [a, b, c, d, e, f].iter().any(|term| !term.is_finite()) {
        return Err(Fault::georeference("it is not finite"));
    }
    let (across, down) = (a.abs().max(d.abs()), b.abs().max(e.abs()));
    if across == 0.0 || down == 0.0 {
        return Err(Fault::georeference("posts would lie on one another: a pixel has no size"));
    }
    let slack = ROTATION_TOLERANCE * across.min(down);
    if b.abs() > slack || d.abs() > slack {
        let row = ops::atan2(d, a).to_degrees();
        let column = ops::atan2(b, -e).to_degrees();
        return Err(Fault::Rotated { angle_deg: row, shear_deg: row - column });
    }
    if a < 0.0 {
        return Err(Fault::georeference("its columns run from east to west; turn it first"));
    }
    let middle = match registration {
        Registration::Area => 0.5,
        Registration::Point => 0.0,
    };
    let first_row = f + middle * e;
    let (row_order, south) = if e < 0.0 {
        (RowOrder::NorthFirst, first_row + (height - 1) as f64 * e)
    } else {
        (RowOrder::SouthFirst, first_row)
    };
    let origin = DVec2::new(c + middle * a, south);
    Ok(Some((Placement { origin, step: DVec2::new(a, e.abs()), registration, row_order }, negative_scale)))
}

fn affine(tags: &Tags<'_>) -> Result<Option<(Affine, bool)>, Fault> {
    let scale = tags.doubles(tags::MODEL_PIXEL_SCALE)?;
    let ties = tags.doubles(tags::MODEL_TIEPOINT)?;
    let matrix = tags.doubles(tags::MODEL_TRANSFORMATION)?;
    match (scale.as_deref(), ties.as_deref(), matrix.as_deref()) {
        (Some([across, down, ..]), Some([i, j, _, x, y, _, ..]), _) => {
            let (a, e) = (*across, -down.abs());
            let affine = Affine { a, b: 0.0, c: x - i * a, d: 0.0, e, f: y - j * e };
            Ok(Some((affine, *down < 0.0)))
        }
        (_, _, Some([a, b, _, c, d, e, _, f, ..])) => {
            Ok(Some((Affine { a: *a, b: *b, c: *c, d: *d, e: *e, f: *f }, false)))
        }
        (None, None, None) => Ok(None),
        (None, Some(ties), None) if ties.len() > 6 => Err(Fault::georeference(format_args!(
            "it is {} control points without a regular grid; warp it first",
            ties.len() / 6
        ))),
        _ => Err(Fault::georeference(
            "it has a pixel scale without a tie point, or the reverse, or too few numbers",
        )),
    }
}
