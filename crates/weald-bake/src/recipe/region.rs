//! The part of the plan that is baked.

use glam::DVec2;
use weald_space::{CHUNK_CELLS, Lattice, Lod};

use super::check::FAR;
use super::error::{Extent, Wrong};

/// Cells of the coarsest level of elevation that must lie around a region: samples and normals reach beyond the outermost
/// chunk.
pub const MARGIN_CELLS: f64 = 3.0;
/// Most chunk columns of a region: 16,384 km² at cells of 4 m.
const MAX_COLUMNS: f64 = 1_000_000.0;
/// Side of the default region in metres.
const DEFAULT_SIDE: f64 = 4096.0;

/// A rectangle of whole chunks. They are counted in the finest; those of the coarsest level that is baked tile it too.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Region {
    /// South-western chunk (x, y), the first that belongs to it.
    pub min: [i64; 2],
    /// North-eastern chunk (x, y), the first that belongs to it no more.
    pub max: [i64; 2],
}

impl Region {
    /// The smallest region around a rectangle in metres that chunks of the coarsest level tile.
    ///
    /// # Errors
    /// If the rectangle is empty or too large, or the region leaves the elevation.
    pub fn around(
        asked: Extent,
        lattice: Lattice,
        coarsest: Lod,
        elevation: Option<Extent>,
    ) -> Result<Self, Wrong> {
        for axis in 0..2 {
            let (low, high) = (asked.min[axis], asked.max[axis]);
            for value in [low, high] {
                if !(-FAR..=FAR).contains(&value) {
                    return Err(Wrong::Number { value, low: -FAR, high: FAR, unit: " m" });
                }
            }
            if low >= high {
                return Err(Wrong::EmptyRange { low, high });
            }
        }
        let region = Region::tiled(asked, lattice, coarsest);
        let columns = (region.max[0] - region.min[0]) as f64 * (region.max[1] - region.min[1]) as f64;
        if columns > MAX_COLUMNS {
            return Err(Wrong::Number {
                value: columns,
                low: 1.0,
                high: MAX_COLUMNS,
                unit: " chunk columns",
            });
        }
        match elevation {
            Some(elevation) => region.stay_inside(asked, elevation, lattice, coarsest),
            None => Ok(region),
        }
    }

    /// The smallest rectangle of whole chunks of a level around one in metres.
    fn tiled(asked: Extent, lattice: Lattice, lod: Lod) -> Self {
        let side = CHUNK_CELLS as f64 * lattice.level(lod).cell_size();
        Region {
            min: asked.min.map(|metres| (metres / side).floor() as i64 * lod.cells()),
            max: asked.max.map(|metres| (metres / side).ceil() as i64 * lod.cells()),
        }
    }

    /// What deserves attention where the chunks of the coarsest level need more ground than the finest would.
    #[must_use]
    pub fn note_of_growth(self, asked: Extent, lattice: Lattice, coarsest: Lod) -> Option<String> {
        let side = CHUNK_CELLS as f64 * lattice.level(coarsest).cell_size();
        (self != Region::tiled(asked, lattice, Lod::FINEST)).then(|| {
            let extent = self.extent(lattice);
            format!(
                "the region reaches {extent} m: chunks of the coarsest level, {side} m wide, must tile it"
            )
        })
    }

    fn stay_inside(
        self,
        asked: Extent,
        elevation: Extent,
        lattice: Lattice,
        coarsest: Lod,
    ) -> Result<Self, Wrong> {
        let margin = MARGIN_CELLS * lattice.level(coarsest).cell_size();
        let widened = self.extent(lattice);
        let inside = |axis: usize| {
            elevation.min[axis] <= widened.min[axis] - margin
                && widened.max[axis] + margin <= elevation.max[axis]
        };
        if inside(0) && inside(1) {
            return Ok(self);
        }
        Err(Wrong::OutsideElevation { region: asked, widened, elevation, margin })
    }

    /// The default region: 4,096 m by 4,096 m in the middle of the elevation, or less where that is smaller; without
    /// elevation, or in whole chunks of the coarsest level, it may be more.
    ///
    /// # Errors
    /// If the elevation holds no whole chunk of the coarsest level.
    pub fn middle(lattice: Lattice, coarsest: Lod, elevation: Option<Extent>) -> Result<Self, Wrong> {
        let half = DVec2::splat(0.5 * DEFAULT_SIDE);
        let Some(extent) = elevation else {
            let asked = Extent { min: (-half).to_array(), max: half.to_array() };
            return Region::around(asked, lattice, coarsest, None);
        };
        let side = CHUNK_CELLS as f64 * lattice.level(coarsest).cell_size();
        let margin = MARGIN_CELLS * lattice.level(coarsest).cell_size();
        let (low, high) = (DVec2::from(extent.min) + margin, DVec2::from(extent.max) - margin);
        let centre = (low + high) * 0.5;
        let first = (low.max(centre - half) / side).ceil();
        let last = (high.min(centre + half) / side).floor();
        let chunk = |v: DVec2| v.to_array().map(|chunks| chunks as i64 * coarsest.cells());
        let region = Region { min: chunk(first), max: chunk(last) };
        if first.cmplt(last).all() {
            return Ok(region);
        }
        let widened =
            Region { min: region.min, max: region.min.map(|c| c + coarsest.cells()) }.extent(lattice);
        Err(Wrong::OutsideElevation { region: widened, widened, elevation: extent, margin })
    }

    /// The region in metres.
    #[must_use]
    pub fn extent(self, lattice: Lattice) -> Extent {
        let side = CHUNK_CELLS as f64 * lattice.cell_size();
        Extent { min: self.min.map(|c| c as f64 * side), max: self.max.map(|c| c as f64 * side) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lattice() -> Lattice {
        Lattice::new(4.0).unwrap()
    }

    fn extent(x0: f64, y0: f64, x1: f64, y1: f64) -> Extent {
        Extent { min: [x0, y0], max: [x1, y1] }
    }

    #[test]
    fn a_region_is_widened_to_whole_chunks() {
        let region = Region::around(extent(-1.0, 0.0, 128.0, 129.0), lattice(), Lod::FINEST, None).unwrap();
        assert_eq!(region, Region { min: [-1, 0], max: [1, 2] });
        assert_eq!(region.extent(lattice()), extent(-128.0, 0.0, 128.0, 256.0));
    }

    #[test]
    fn elevation_must_reach_three_cells_beyond_the_region() {
        let asked = extent(0.0, 0.0, 128.0, 128.0);
        let enough = extent(-12.0, -12.0, 140.0, 140.0);
        assert!(Region::around(asked, lattice(), Lod::FINEST, Some(enough)).is_ok());
        for axis in 0..2 {
            let mut short = enough;
            short.max[axis] -= 0.5;
            let error = Region::around(asked, lattice(), Lod::FINEST, Some(short));
            assert!(matches!(error, Err(Wrong::OutsideElevation { .. })));
        }
    }

    #[test]
    fn empty_endless_and_huge_regions_are_refused() {
        for asked in [
            extent(0.0, 0.0, 0.0, 10.0),
            extent(5.0, 0.0, 1.0, 10.0),
            extent(f64::NAN, 0.0, 1.0, 1.0),
            extent(0.0, 0.0, f64::INFINITY, 1.0),
            extent(-9e6, -9e6, 9e6, 9e6),
        ] {
            assert!(Region::around(asked, lattice(), Lod::FINEST, None).is_err(), "{asked:?}");
        }
    }

    #[test]
    fn the_default_region_lies_inside_the_elevation() {
        for size in [300.0, 1000.0, 5000.0, 20_000.0] {
            let elevation = extent(7.0, -40.0, 7.0 + size, -40.0 + size);
            let region = Region::middle(lattice(), Lod::FINEST, Some(elevation)).unwrap();
            assert!(region.stay_inside(elevation, elevation, lattice(), Lod::FINEST).is_ok());
        }
        assert!(Region::middle(lattice(), Lod::FINEST, Some(extent(0.0, 0.0, 100.0, 100.0))).is_err());
    }

    #[test]
    fn the_chunks_of_the_coarsest_level_tile_a_region() {
        let coarsest = Lod::new(3).unwrap();
        let asked = extent(-1.0, 0.0, 128.0, 1025.0);
        let region = Region::around(asked, lattice(), coarsest, None).unwrap();
        assert_eq!(region, Region { min: [-8, 0], max: [8, 16] });
        let note = region.note_of_growth(asked, lattice(), coarsest).expect("it grew");
        assert!(note.contains("1024 m wide"), "{note}");
        let exact = extent(-1024.0, 0.0, 1024.0, 2048.0);
        let region = Region::around(exact, lattice(), coarsest, None).unwrap();
        assert_eq!(region.note_of_growth(exact, lattice(), coarsest), None);

        let enough = extent(-1120.0, -96.0, 1120.0, 2144.0);
        assert!(Region::around(exact, lattice(), coarsest, Some(enough)).is_ok());
        let short = extent(-1120.0, -96.0, 1120.0, 2143.5);
        let error = Region::around(exact, lattice(), coarsest, Some(short));
        assert!(matches!(error, Err(Wrong::OutsideElevation { margin: 96.0, .. })));
        let middle = Region::middle(lattice(), coarsest, Some(enough)).unwrap();
        assert_eq!(middle, Region { min: [-8, 0], max: [8, 16] });
    }
}
