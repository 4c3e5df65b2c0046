//! Where geometry may be lost: features thinner than a cell, which no lattice point saw.
//!
//! A surface that passes between the lattice points leaves no sign change, and dual contouring cannot know of it. The
//! field's bounds can: where they do not exclude zero over a cell, and neither the cell nor one that touches it is
//! crossed, there may be a plate, a twig or a small bubble. Bounds are no proof that there is one; but where none are
//! listed, nothing was lost.

use weald_field::{EvalScratch, Grid, Tape};
use weald_space::{Aabb, Lattice, VoxelPos};

use crate::block::{Block, HALO, Signs};
use crate::error::ContourError;

/// What the search keeps between blocks.
#[derive(Debug, Default)]
pub struct ThinScratch {
    samples: Vec<f32>,
    signs: Signs,
    field: EvalScratch,
}

/// Lists the cells of a block in which a feature may be lost, in the order of z, y, x.
///
/// Boxes whose bounds exclude zero are left out whole, and the tape is pruned on the way down [Duff 1992]; only cells near
/// to a surface are looked at by themselves.
///
/// # Errors
/// If the field is not finite at a lattice point.
///
/// [Duff 1992]: T. Duff, Interval Arithmetic and Recursive Subdivision for Implicit Functions and Constructive Solid
/// Geometry, SIGGRAPH 1992.
pub fn thin_features(
    tape: &Tape,
    lattice: Lattice,
    block: &Block,
    scratch: &mut ThinScratch,
) -> Result<Vec<VoxelPos>, ContourError> {
    let grid = Grid { lattice, min: block.padded_min(), dims: block.padded_points() };
    scratch.samples.resize(grid.len(), 0.0);
    tape.sample(&grid, &mut scratch.field, &mut scratch.samples);
    scratch.signs.find(block, &scratch.samples)?;
    let mut found = Vec::new();
    let mut open = vec![([0; 3], block.cells, tape.clone())];
    while let Some((low, size, tape)) = open.pop() {
        let corner = |offset: [usize; 3]| {
            let cell = glam::I64Vec3::from_array(offset.map(|c| c as i64));
            lattice.world_from_voxel(block.min + cell).0
        };
        let high: [usize; 3] = std::array::from_fn(|axis| low[axis] + size[axis]);
        let trace = tape.trace(Aabb::new(corner(low), corner(high)));
        if trace.range().lo >= 0.0 || trace.range().hi < 0.0 {
            continue;
        }
        if size == [1; 3] {
            if !is_near_crossed(&scratch.signs, low.map(|c| c + HALO)) {
                found.push(block.min + glam::I64Vec3::from_array(low.map(|c| c as i64)));
            }
            continue;
        }
        let pruned = trace.pruned().unwrap_or(tape);
        let longest = (0..3).max_by_key(|&axis| size[axis]).unwrap_or(0);
        let half = size[longest] / 2;
        let (mut lower, mut upper, mut middle) = (size, size, low);
        lower[longest] = half;
        upper[longest] -= half;
        middle[longest] += half;
        open.push((low, lower, pruned.clone()));
        open.push((middle, upper, pruned));
    }
    found.sort_unstable_by_key(|cell| (cell.0.z, cell.0.y, cell.0.x));
    Ok(found)
}

/// Whether a cell of the padded block or one that touches it is crossed.
fn is_near_crossed(signs: &Signs, place: [usize; 3]) -> bool {
    (0..27)
        .any(|i| signs.cell([place[0] + i % 3 - 1, place[1] + i / 3 % 3 - 1, place[2] + i / 9 - 1]).is_some())
}
