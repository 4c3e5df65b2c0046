//! Lengths on the WGS 84 ellipsoid.
//!
//! Radii of curvature after any textbook of geodesy (Snyder, *Map Projections: A Working Manual*, 1987, section 3).
//! Other datums differ from WGS 84 by some 100 m in position, but by about 10⁻⁴ in lengths, so that one ellipsoid
//! serves for all.

use weald_space::ops;

/// The equatorial radius in metres.
pub(crate) const EQUATORIAL: f64 = 6_378_137.0;
const FLATTENING: f64 = 1.0 / 298.257_223_563;
const ECCENTRICITY_SQUARED: f64 = FLATTENING * (2.0 - FLATTENING);

/// Metres for a small step from a place at this latitude, in radians: to the east for a radian of longitude, and to the
/// north for a radian of latitude.
pub(crate) fn metres_per_radian(latitude: f64) -> (f64, f64) {
    let (sine, cosine) = ops::sin_cos(latitude);
    let w_squared = 1.0 - ECCENTRICITY_SQUARED * sine * sine;
    let prime_vertical = EQUATORIAL / ops::sqrt(w_squared);
    let meridian = prime_vertical * (1.0 - ECCENTRICITY_SQUARED) / w_squared;
    (prime_vertical * cosine, meridian)
}

/// The length of the meridian between two latitudes in radians, in metres, positive to the north.
///
/// Simpson's rule with 32 intervals: the meridian's radius varies so slowly that even from pole to pole the error stays
/// below a micrometre.
pub(crate) fn meridian_arc(from: f64, to: f64) -> f64 {
    const INTERVALS: u32 = 32;
    let step = (to - from) / f64::from(INTERVALS);
    let radius = |index: u32| metres_per_radian(from + f64::from(index) * step).1;
    let inner: f64 = (1..INTERVALS)
        .map(|index| if index % 2 == 1 { 4.0 * radius(index) } else { 2.0 * radius(index) })
        .sum();
    (radius(0) + inner + radius(INTERVALS)) * step / 3.0
}

/// The latitude in radians of a northing in Web Mercator (EPSG:3857), in its metres.
pub(crate) fn web_mercator_latitude(northing: f64) -> f64 {
    ops::atan(ops::sinh(northing / EQUATORIAL))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn radii_are_those_of_the_tables() {
        let (east, north) = metres_per_radian(0.0);
        assert!((east - 6_378_137.0).abs() < 1e-6);
        assert!((north - 6_335_439.327).abs() < 1e-3);
        let (_, north) = metres_per_radian(90_f64.to_radians());
        assert!((north - 6_399_593.626).abs() < 1e-3);
    }

    #[test]
    fn a_quarter_of_the_meridian_has_its_length() {
        let quarter = meridian_arc(0.0, 90_f64.to_radians());
        assert!((quarter - 10_001_965.729).abs() < 1e-3, "{quarter}");
        assert!((meridian_arc(0.3, -0.8) + meridian_arc(-0.8, 0.3)).abs() < 1e-6);
    }

    #[test]
    fn web_mercator_ends_at_the_latitude_that_makes_it_square() {
        let north = web_mercator_latitude(EQUATORIAL * std::f64::consts::PI).to_degrees();
        assert!((north - 85.051_128_78).abs() < 1e-8, "{north}");
    }
}
