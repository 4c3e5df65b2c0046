//! A grid in pieces that a card takes at once.

use weald_field::Grid;
use weald_space::VoxelPos;

/// Cuts a grid into pieces of at most `limit` points (1 if it is 0), each with the number of its first point. The
/// points of a piece follow each other in the grid: whole layers, or whole rows of a layer, or a part of a row.
pub(crate) fn pieces(grid: &Grid, limit: usize) -> impl Iterator<Item = (usize, Grid)> {
    let (grid, limit) = (*grid, limit.max(1));
    let [x, y, z] = grid.dims;
    let mut next = 0;
    std::iter::from_fn(move || {
        let first = next;
        if first >= grid.len() {
            return None;
        }
        let at = [first % x, first / x % y, first / (x * y)];
        let dims = if x * y <= limit {
            [x, y, (limit / (x * y)).min(z - at[2])]
        } else if x <= limit {
            [x, (limit / x).min(y - at[1]), 1]
        } else {
            [limit.min(x - at[0]), 1, 1]
        };
        let [dx, dy, dz] = at.map(|place| place as i64);
        next += dims.iter().product::<usize>();
        Some((first, Grid { min: grid.min + VoxelPos::new(dx, dy, dz).0, dims, ..grid }))
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use weald_space::Lattice;

    use super::*;

    proptest! {
        #[test]
        fn pieces_follow_each_other_and_fill_the_grid(
            dims in [0_usize..7, 0_usize..7, 0_usize..7],
            limit in 0_usize..80,
        ) {
            let grid = Grid { lattice: Lattice::new(1.0).unwrap(), min: VoxelPos::new(-3, 5, 70), dims };
            let mut points = Vec::new();
            for (first, piece) in pieces(&grid, limit) {
                prop_assert_eq!(first, points.len());
                prop_assert!(piece.len() <= limit.max(1) && !piece.is_empty());
                points.extend(voxels(&piece));
            }
            prop_assert_eq!(points, voxels(&grid));
        }
    }

    fn voxels(grid: &Grid) -> Vec<VoxelPos> {
        let [x, y, z] = grid.dims.map(|length| length as i64);
        let place = |i: i64| grid.min + VoxelPos::new(i % x, i / x % y, i / x / y).0;
        (0..x * y * z).map(place).collect()
    }
}
