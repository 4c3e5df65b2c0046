//! From posts in the units of a file to posts in local metres around an anchor.
//!
//! Degrees become metres by the local equirectangular map at the anchor: east is the anchor's parallel, north its
//! meridian, each with the radius of curvature that the WGS 84 ellipsoid has there. The grid stays regular, which is
//! what a heightfield needs; the price is that parallels north and south of the anchor are drawn as long as the
//! anchor's own. [`Georeferenced::distortion`] says how much that is. Web Mercator (EPSG:3857) is stretched by a
//! factor that grows to the poles; it goes through the same map. Other projections are taken as they are, with their
//! own scale: that of UTM differs from 1 by less than 0.1 % within its zone, that of a map of a continent by more.

use glam::DVec2;
use weald_space::ops;

use crate::elevation::{Crs, Elevation, Placement};
use crate::ellipsoid::{self, metres_per_radian};
use crate::voids::{self, VoidPolicy};

/// Heights in metres on a regular grid in local metres, x to the east and y to the north.
///
/// Invariant: `posts` has `width · height` entries, row 0 is the southernmost, and no entry is NaN or infinite.
#[derive(Clone, Debug, PartialEq)]
pub struct LocalGrid {
    /// The post in column 0 of row 0, in metres from the anchor.
    pub origin: DVec2,
    /// From a post to the next one east and the next one north, in metres; both are positive.
    pub step: DVec2,
    /// Posts in a row.
    pub width: usize,
    /// Rows.
    pub height: usize,
    /// Heights in metres, row by row.
    pub posts: Vec<f32>,
}

impl LocalGrid {
    /// Where a post is, in metres from the anchor.
    #[must_use]
    pub fn place(&self, x: usize, y: usize) -> DVec2 {
        self.origin + self.step * DVec2::new(x as f64, y as f64)
    }
}

/// The place that becomes (0, 0).
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub enum Anchor {
    /// The middle of the raster.
    #[default]
    Centre,
    /// A longitude and a latitude in degrees. Only for coordinates in degrees and Web Mercator.
    Degrees {
        /// Degrees east.
        lon: f64,
        /// Degrees north.
        lat: f64,
    },
    /// A place in the file's own coordinates (for a file without a georeference: metres from its south-west post).
    File {
        /// The first coordinate, to the east.
        x: f64,
        /// The second coordinate, to the north.
        y: f64,
    },
}

/// How an elevation is brought to local metres.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub struct GeoreferenceSettings {
    /// The place that becomes (0, 0).
    pub anchor: Anchor,
    /// What becomes of posts without a height.
    pub voids: VoidPolicy,
}

/// A grid in local metres, and what it cost.
#[derive(Clone, Debug, PartialEq)]
pub struct Georeferenced {
    /// The grid.
    pub grid: LocalGrid,
    /// The anchor in the file's coordinates.
    pub anchor: DVec2,
    /// The worst distance in metres, over the posts, between where a post is put and where it is: its distance from the
    /// anchor's meridian along its own parallel, and its distance from the anchor's parallel along a meridian, both on
    /// the ellipsoid. None where the projection is not known here.
    pub distortion: Option<f64>,
    /// How many voids were filled.
    pub filled: usize,
    /// The factor from stored samples to metres, where it is not 1, and the height of sample 0 where that is not 0.
    pub height_scale: Option<(f64, f64)>,
}

/// An elevation could not be brought to local metres.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum GeoreferenceError {
    /// There are voids, and the policy is to refuse them.
    #[error(
        "{count} of {total} posts are void, the first in column {x}, row {y} from the south; choose to fill them, or \
         give elevation without voids"
    )]
    Voids {
        /// How many voids there are.
        count: usize,
        /// How many posts there are.
        total: usize,
        /// The column of the first void.
        x: usize,
        /// Its row, counted from the south.
        y: usize,
    },
    /// No post has a height, so there is nothing to fill from.
    #[error("none of the {total} posts has a height")]
    AllVoid {
        /// How many posts there are.
        total: usize,
    },
    /// The anchor is given in degrees, but the file's coordinates cannot be computed from degrees here.
    #[error(
        "the anchor is given in degrees, but the elevation is in {found}; give it in the file's coordinates"
    )]
    AnchorInDegrees {
        /// What the file's coordinates are.
        found: String,
    },
    /// The anchor is not a place on the map.
    #[error("the anchor ({x}, {y}) is not a place: {why}")]
    Anchor {
        /// The first coordinate.
        x: f64,
        /// The second coordinate.
        y: f64,
        /// What is wrong.
        why: &'static str,
    },
    /// The latitudes of a raster in degrees lie beyond the poles.
    #[error("the posts' latitudes, {south} to {north}, are not all between -90 and 90")]
    Latitudes {
        /// The southernmost.
        south: f64,
        /// The northernmost.
        north: f64,
    },
    /// Scaling leaves heights that are not finite.
    #[error("scaling by {scale} gives heights that are not finite")]
    Heights {
        /// The factor.
        scale: f64,
    },
}

/// The elevation in local metres around an anchor, its samples scaled to heights in metres and its voids treated by
/// policy.
///
/// # Errors
/// If there are voids and the policy refuses them, or nothing but voids; if the anchor is no place in the file's
/// coordinates; if latitudes lie beyond the poles. See [`GeoreferenceError`].
pub fn georeference(
    elevation: &Elevation,
    settings: &GeoreferenceSettings,
) -> Result<Georeferenced, GeoreferenceError> {
    let GeoreferenceSettings { anchor, voids } = *settings;
    let frame = Frame::of(elevation)?;
    let anchor = frame.anchor(elevation, anchor)?;
    let (origin, step) = frame.local(anchor);
    let distortion = frame.distortion(anchor, origin, step);

    let (scale, offset) = height_scale(elevation);
    let mut posts = elevation.posts.clone();
    if (scale, offset) != (1.0, 0.0) {
        for post in &mut posts {
            *post = (f64::from(*post) * scale + offset) as f32;
        }
        if posts.iter().any(|post| post.is_infinite()) {
            return Err(GeoreferenceError::Heights { scale });
        }
    }
    let (width, height) = (elevation.width, elevation.height);
    let filled = voids::treat(&mut posts, width, voids)?;
    Ok(Georeferenced {
        grid: LocalGrid { origin, step, width, height, posts },
        anchor,
        distortion,
        filled,
        height_scale: ((scale, offset) != (1.0, 0.0)).then_some((scale, offset)),
    })
}

fn height_scale(elevation: &Elevation) -> (f64, f64) {
    let metres = elevation.vertical_unit.metres();
    elevation.scaling.map_or((metres, 0.0), |scaling| (scaling.scale * metres, scaling.offset * metres))
}

/// How the file's coordinates become metres.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Map {
    Degrees,
    WebMercator,
    Plain { metres_per_unit: f64 },
}

/// The posts in the file's coordinates.
#[derive(Clone, Copy, Debug)]
struct Frame {
    map: Map,
    origin: DVec2,
    step: DVec2,
    last: DVec2,
}

const WEB_MERCATOR: [u16; 2] = [3857, 3785];

impl Frame {
    fn of(elevation: &Elevation) -> Result<Self, GeoreferenceError> {
        let map = match &elevation.crs {
            Crs::Geographic { .. } => Map::Degrees,
            Crs::Projected { epsg: Some(code), .. } if WEB_MERCATOR.contains(code) => Map::WebMercator,
            Crs::Projected { metres_per_unit, .. } => Map::Plain { metres_per_unit: *metres_per_unit },
            Crs::None => Map::Plain { metres_per_unit: 1.0 },
        };
        let (map, origin, step) = match elevation.placement {
            Some(Placement { origin, step, .. }) => (map, origin, step),
            None => (Map::Plain { metres_per_unit: 1.0 }, DVec2::ZERO, DVec2::splat(elevation.spacing)),
        };
        let steps = DVec2::new((elevation.width - 1) as f64, (elevation.height - 1) as f64);
        let frame = Frame { map, origin, step, last: origin + step * steps };
        if map == Map::Degrees && (origin.y < -90.0 || frame.last.y > 90.0) {
            return Err(GeoreferenceError::Latitudes { south: origin.y, north: frame.last.y });
        }
        Ok(frame)
    }

    fn anchor(&self, elevation: &Elevation, anchor: Anchor) -> Result<DVec2, GeoreferenceError> {
        let place = match (anchor, self.map) {
            (Anchor::Centre, _) => (self.origin + self.last) * 0.5,
            (Anchor::File { x, y }, _) => DVec2::new(x, y),
            (Anchor::Degrees { lon, lat }, Map::Degrees) => DVec2::new(lon, lat),
            (Anchor::Degrees { lon, lat }, Map::WebMercator) => web_mercator(lon, lat),
            (Anchor::Degrees { .. }, Map::Plain { .. }) => {
                let found = match (&elevation.placement, elevation.crs.epsg()) {
                    (None, _) => "no coordinate system".to_owned(),
                    (_, Some(code)) => format!("projected coordinates (EPSG:{code})"),
                    (_, None) => "projected coordinates".to_owned(),
                };
                return Err(GeoreferenceError::AnchorInDegrees { found });
            }
        };
        let refuse = |why| Err(GeoreferenceError::Anchor { x: place.x, y: place.y, why });
        if !place.is_finite() {
            return refuse("it is not finite");
        }
        if self.map == Map::Degrees && place.y.abs() >= 89.9 {
            return refuse("east is not defined within 0.1° of a pole");
        }
        Ok(self.near(place))
    }

    /// The same place with a longitude within half a turn of the raster's middle.
    fn near(&self, place: DVec2) -> DVec2 {
        if self.map != Map::Degrees {
            return place;
        }
        let turns = (((self.origin.x + self.last.x) * 0.5 - place.x) / 360.0).round();
        DVec2::new(place.x + turns * 360.0, place.y)
    }

    /// Longitude and latitude in radians of a place; none in coordinates that this crate cannot convert.
    fn radians(&self, place: DVec2) -> Option<DVec2> {
        match self.map {
            Map::Degrees => Some(DVec2::new(place.x.to_radians(), place.y.to_radians())),
            Map::WebMercator => {
                Some(DVec2::new(place.x / ellipsoid::EQUATORIAL, ellipsoid::web_mercator_latitude(place.y)))
            }
            Map::Plain { .. } => None,
        }
    }

    /// Origin and step of the grid in local metres.
    fn local(&self, anchor: DVec2) -> (DVec2, DVec2) {
        let metres = match self.map {
            Map::Plain { metres_per_unit } => DVec2::splat(metres_per_unit),
            Map::Degrees => {
                let (east, north) = metres_per_radian(anchor.y.to_radians());
                DVec2::new(east, north) * 1_f64.to_radians()
            }
            Map::WebMercator => {
                let latitude = ellipsoid::web_mercator_latitude(anchor.y);
                let (east, north) = metres_per_radian(latitude);
                DVec2::new(east, north * ops::cos(latitude)) / ellipsoid::EQUATORIAL
            }
        };
        ((self.origin - anchor) * metres, self.step * metres)
    }

    /// The worst displacement. Along each edge it grows with the distance from the anchor, so that it is worst in a
    /// corner, or where an edge crosses the equator and parallels begin to shrink again.
    fn distortion(&self, anchor: DVec2, origin: DVec2, step: DVec2) -> Option<f64> {
        let anchor_radians = self.radians(anchor)?;
        let mut rows = vec![self.origin.y, self.last.y];
        if self.origin.y < 0.0 && self.last.y > 0.0 {
            rows.push(0.0);
        }
        let metres = step / self.step;
        let mut worst = 0.0_f64;
        for x in [self.origin.x, self.last.x] {
            for &y in &rows {
                let put = origin + (DVec2::new(x, y) - self.origin) * metres;
                let place = self.radians(DVec2::new(x, y))?;
                let east = metres_per_radian(place.y).0 * (place.x - anchor_radians.x);
                let north = ellipsoid::meridian_arc(anchor_radians.y, place.y);
                worst = worst.max(put.distance(DVec2::new(east, north)));
            }
        }
        Some(worst)
    }
}

/// Web Mercator coordinates, in its metres, of a place in degrees.
fn web_mercator(lon: f64, lat: f64) -> DVec2 {
    let latitude = lat.to_radians();
    let northing = ops::ln(ops::tan(std::f64::consts::FRAC_PI_4 + 0.5 * latitude));
    DVec2::new(lon.to_radians(), northing) * ellipsoid::EQUATORIAL
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(map: Map, origin: DVec2, step: DVec2, last: DVec2) -> Frame {
        Frame { map, origin, step, last }
    }

    #[test]
    fn web_mercator_and_degrees_agree_around_the_same_place() {
        let (south_west, north_east) = (DVec2::new(11.0, 46.9), DVec2::new(11.02, 46.92));
        let mercator = |place: DVec2| web_mercator(place.x, place.y);
        let middle = mercator((south_west + north_east) * 0.5);
        let (origin, last) = (mercator(south_west), mercator(north_east));
        let frame = frame(Map::WebMercator, origin, (last - origin) / 100.0, last);
        let (local, step) = frame.local(middle);
        let (east, north) = metres_per_radian(46.91_f64.to_radians());
        let expected = DVec2::new(east, north) * 0.01_f64.to_radians();
        assert!((local + expected).abs().max_element() < 0.5, "{local} against {expected}");
        let opposite = local + step * 100.0;
        assert!((opposite - expected).abs().max_element() < 0.5, "{opposite} against {expected}");
        assert!(frame.distortion(middle, local, step).expect("known map") < 1.0);
    }

    #[test]
    fn distortion_vanishes_at_the_anchor_and_grows_away_from_it() {
        let small = frame(Map::Degrees, DVec2::new(10.0, 45.0), DVec2::splat(0.001), DVec2::new(10.1, 45.1));
        let large = frame(Map::Degrees, DVec2::new(9.0, 44.0), DVec2::splat(0.01), DVec2::new(11.0, 46.0));
        let worst = |frame: Frame| {
            let anchor = (frame.origin + frame.last) * 0.5;
            let (origin, step) = frame.local(anchor);
            frame.distortion(anchor, origin, step).expect("known map")
        };
        assert!(worst(small) < 5.0, "{}", worst(small));
        assert!(worst(large) > 100.0 * worst(small) * 0.5, "{} {}", worst(large), worst(small));
    }

    #[test]
    fn an_anchor_across_the_date_line_is_near() {
        let frame = frame(Map::Degrees, DVec2::new(179.0, 10.0), DVec2::splat(0.1), DVec2::new(181.0, 11.0));
        assert_eq!(frame.near(DVec2::new(-179.5, 10.5)), DVec2::new(180.5, 10.5));
    }
}
