//! A box of the lattice: its samples' signs as rows of bits, and the cells and edges where the sign changes.
//!
//! Signs are kept as one bit a lattice point, so that 64 cells are tested by a few shifts. Crossed edges and cells are
//! numbered by their place among the set bits ([`BitRows::rank`]): there is no map from positions to numbers.

use glam::{DVec3, I64Vec3};
use weald_space::{Aabb, Lattice, VoxelPos};

use crate::cell::CellMask;
use crate::error::ContourError;

/// Cells beyond a block's own on every side that are looked at, but make no triangles.
///
/// A cell's vertex may be moved by what its neighbours see: a neighbour's lost corner comes from one cell away, and
/// the claims on an empty cell between come from two. With two cells of halo every block that holds a cell computes
/// the same vertex for it, so that no vertex depends on how the world is cut into chunks.
pub const HALO: usize = 2;

/// Cells around a block in which fields are read.
pub const READ_CELLS: f64 = HALO as f64 + 1.0;

/// The most cells along one side of a block.
pub const MAX_CELLS: usize = 512;

/// A box of cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Block {
    /// The lowest cell.
    pub min: VoxelPos,
    /// Cells along each axis.
    pub cells: [usize; 3],
}

impl Block {
    /// The block of `cells` cells from `min`.
    ///
    /// # Errors
    /// If a side is 0 or above [`MAX_CELLS`].
    pub fn new(min: VoxelPos, cells: [usize; 3]) -> Result<Self, ContourError> {
        if cells.iter().any(|&side| side == 0 || side > MAX_CELLS) {
            return Err(ContourError::BlockSize { cells });
        }
        Ok(Block { min, cells })
    }

    /// The lowest lattice point of the block with its halo.
    #[must_use]
    pub fn padded_min(&self) -> VoxelPos {
        self.min + I64Vec3::splat(-(HALO as i64))
    }

    /// The box in which fields are read: the block, its halo, and a cell more, into which a vertex of the outermost cells
    /// may be offered.
    #[must_use]
    pub fn surroundings(&self, lattice: Lattice) -> Aabb {
        let min = self.min.0.as_dvec3() - READ_CELLS;
        let size = DVec3::from_array(self.cells.map(|side| side as f64)) + 2.0 * READ_CELLS;
        Aabb::new(min * lattice.cell_size(), (min + size) * lattice.cell_size())
    }

    /// Lattice points along each axis of the block with its halo.
    #[must_use]
    pub fn padded_points(&self) -> [usize; 3] {
        self.cells.map(|side| side + 2 * HALO + 1)
    }
}

/// A set of lattice points, edges or cells as rows of bits along x.
#[derive(Clone, Debug, Default)]
pub struct BitRows {
    dims: [usize; 3],
    words: usize,
    bits: Vec<u64>,
    before: Vec<u32>,
    count: u32,
}

impl BitRows {
    fn reset(&mut self, dims: [usize; 3]) {
        self.dims = dims;
        self.words = dims[0].div_ceil(64);
        self.bits.clear();
        self.bits.resize(self.words * dims[1] * dims[2], 0);
    }

    fn row(&self, y: usize, z: usize) -> &[u64] {
        let start = (z * self.dims[1] + y) * self.words;
        &self.bits[start..start + self.words]
    }

    fn row_mut(&mut self, y: usize, z: usize) -> &mut [u64] {
        let start = (z * self.dims[1] + y) * self.words;
        &mut self.bits[start..start + self.words]
    }

    fn number(&mut self) {
        self.before.clear();
        self.before.reserve(self.bits.len());
        let mut count = 0;
        for word in &self.bits {
            self.before.push(count);
            count += word.count_ones();
        }
        self.count = count;
    }

    /// Points, edges or cells along each axis.
    #[must_use]
    pub fn dims(&self) -> [usize; 3] {
        self.dims
    }

    /// How many bits are set.
    #[must_use]
    pub fn count(&self) -> usize {
        self.count as usize
    }

    /// Whether the bit is set.
    #[must_use]
    pub fn contains(&self, [x, y, z]: [usize; 3]) -> bool {
        self.bits[(z * self.dims[1] + y) * self.words + x / 64] >> (x % 64) & 1 != 0
    }

    /// How many set bits come before this one in the order z, y, x: the number of a set bit.
    #[must_use]
    pub fn rank(&self, [x, y, z]: [usize; 3]) -> usize {
        let word = (z * self.dims[1] + y) * self.words + x / 64;
        (self.before[word] + (self.bits[word] & ((1 << (x % 64)) - 1)).count_ones()) as usize
    }

    /// The set bits in the order of their numbers.
    pub fn iter(&self) -> impl Iterator<Item = [usize; 3]> + '_ {
        self.bits.iter().enumerate().filter(|&(_, &word)| word != 0).flat_map(move |(i, &word)| {
            let (row, first) = (i / self.words, i % self.words * 64);
            let (y, z) = (row % self.dims[1], row / self.dims[1]);
            SetBits(word).map(move |bit| [first + bit, y, z])
        })
    }
}

struct SetBits(u64);

impl Iterator for SetBits {
    type Item = usize;
    fn next(&mut self) -> Option<usize> {
        if self.0 == 0 {
            return None;
        }
        let bit = self.0.trailing_zeros() as usize;
        self.0 &= self.0 - 1;
        Some(bit)
    }
}

/// A cell that the surface crosses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ActiveCell {
    /// Counted from the lowest cell of the padded block.
    pub at: [u16; 3],
    /// The signs at its corners.
    pub mask: CellMask,
}

impl ActiveCell {
    /// The cell's place in the padded block.
    #[must_use]
    pub fn place(&self) -> [usize; 3] {
        self.at.map(usize::from)
    }
}

/// Where the sign changes in a block. Kept between blocks, so that a steady stream of chunks allocates nothing.
#[derive(Clone, Debug, Default)]
pub struct Signs {
    inside: BitRows,
    /// Edges with a sign change, by axis; an edge is named by its lower end.
    pub edges: [BitRows; 3],
    cell_bits: BitRows,
    /// Cells with a sign change, in the order of their numbers.
    pub cells: Vec<ActiveCell>,
}

impl Signs {
    /// Finds the sign changes of the samples of a padded block. A sample below zero lies inside; zero lies outside.
    ///
    /// # Errors
    /// If the number of samples is not that of the block's points, or one of them is not finite.
    pub fn find(&mut self, block: &Block, samples: &[f32]) -> Result<(), ContourError> {
        let points = block.padded_points();
        let expected = points.iter().product();
        if samples.len() != expected {
            return Err(ContourError::SampleCount { found: samples.len(), expected });
        }
        self.find_inside(block, points, samples)?;
        self.find_edges(points);
        self.find_cells(points);
        Ok(())
    }

    fn find_inside(
        &mut self,
        block: &Block,
        points: [usize; 3],
        samples: &[f32],
    ) -> Result<(), ContourError> {
        self.inside.reset(points);
        let words = self.inside.words;
        for (row, values) in samples.chunks_exact(points[0]).enumerate() {
            let bits = &mut self.inside.bits[row * words..(row + 1) * words];
            let mut finite = true;
            for (word, values) in bits.iter_mut().zip(values.chunks(64)) {
                for (bit, value) in values.iter().enumerate() {
                    *word |= u64::from(*value < 0.0) << bit;
                    finite &= value.is_finite();
                }
            }
            if !finite {
                let x = values.iter().position(|v| !v.is_finite()).unwrap_or(0);
                let at = [x as i64, (row % points[1]) as i64, (row / points[1]) as i64];
                return Err(ContourError::NotFinite {
                    at: block.padded_min() + I64Vec3::from_array(at),
                    value: values[x],
                });
            }
        }
        Ok(())
    }

    fn find_edges(&mut self, points: [usize; 3]) {
        let [nx, ny, nz] = points;
        for (axis, edges) in self.edges.iter_mut().enumerate() {
            edges.reset(points);
            let (last_y, last_z) = (ny - usize::from(axis == 1), nz - usize::from(axis == 2));
            for z in 0..last_z {
                for y in 0..last_y {
                    let low = self.inside.row(y, z);
                    let found = edges.row_mut(y, z);
                    match axis {
                        0 => {
                            for (w, word) in found.iter_mut().enumerate() {
                                *word = low[w] ^ shifted_down(low, w);
                            }
                            clear_from(found, nx - 1);
                        }
                        1 => xor_into(found, low, self.inside.row(y + 1, z)),
                        _ => xor_into(found, low, self.inside.row(y, z + 1)),
                    }
                }
            }
            edges.number();
        }
    }

    fn find_cells(&mut self, points: [usize; 3]) {
        let [nx, ny, nz] = points.map(|n| n - 1);
        self.cell_bits.reset([nx, ny, nz]);
        self.cells.clear();
        for z in 0..nz {
            for y in 0..ny {
                let rows = [(0, 0), (1, 0), (0, 1), (1, 1)].map(|(v, w)| self.inside.row(y + v, z + w));
                let words = self.cell_bits.words;
                for w in 0..words {
                    let (mut any, mut all) = (0, u64::MAX);
                    for row in rows {
                        let next = shifted_down(row, w);
                        any |= row[w] | next;
                        all &= row[w] & next;
                    }
                    let mut active = any & !all;
                    if w == words - 1 && nx % 64 != 0 {
                        active &= (1 << (nx % 64)) - 1;
                    }
                    self.cell_bits.bits[(z * ny + y) * words + w] = active;
                    for bit in SetBits(active) {
                        let mut mask = 0;
                        for (i, row) in rows.iter().enumerate() {
                            let two = row[w] >> bit & 1 | (shifted_down(row, w) >> bit & 1) << 1;
                            mask |= (two as u8) << (2 * i);
                        }
                        let at = [(w * 64 + bit) as u16, y as u16, z as u16];
                        self.cells.push(ActiveCell { at, mask: CellMask(mask) });
                    }
                }
            }
        }
        self.cell_bits.number();
    }

    /// Whether a lattice point of the padded block lies inside.
    #[must_use]
    pub fn is_inside(&self, place: [usize; 3]) -> bool {
        self.inside.contains(place)
    }

    /// Cells along each axis of the padded block.
    #[must_use]
    pub fn cell_dims(&self) -> [usize; 3] {
        self.cell_bits.dims
    }

    /// The number of the cell at this place of the padded block, if the surface crosses it.
    #[must_use]
    pub fn cell(&self, place: [usize; 3]) -> Option<usize> {
        self.cell_bits.contains(place).then(|| self.cell_bits.rank(place))
    }
}

fn shifted_down(row: &[u64], word: usize) -> u64 {
    row[word] >> 1 | row.get(word + 1).copied().unwrap_or(0) << 63
}

fn xor_into(out: &mut [u64], a: &[u64], b: &[u64]) {
    for ((out, a), b) in out.iter_mut().zip(a).zip(b) {
        *out = a ^ b;
    }
}

fn clear_from(row: &mut [u64], first: usize) {
    for (w, word) in row.iter_mut().enumerate() {
        let keep = first.saturating_sub(w * 64);
        if keep < 64 {
            *word &= (1 << keep) - 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn bit_rows_find_what_a_plain_walk_finds(
            cells in [1_usize..70, 1_usize..4, 1_usize..4], seed in any::<u64>(),
        ) {
            let block = Block::new(VoxelPos::new(3, -5, 7), cells).unwrap();
            let points = block.padded_points();
            let mut state = seed | 1;
            let samples: Vec<f32> = (0..points.iter().product())
                .map(|_| {
                    state ^= state << 13;
                    state ^= state >> 7;
                    state ^= state << 17;
                    if state % 5 < 2 { -1.0 } else { 0.0 }
                })
                .collect();
            let mut signs = Signs::default();
            signs.find(&block, &samples).unwrap();
            let inside = |p: [usize; 3]| samples[(p[2] * points[1] + p[1]) * points[0] + p[0]] < 0.0;
            let mut cells_seen = 0;
            let mut edges_seen = [0; 3];
            for z in 0..points[2] { for y in 0..points[1] { for x in 0..points[0] {
                let p = [x, y, z];
                for axis in 0..3 {
                    let mut q = p;
                    q[axis] += 1;
                    if q[axis] < points[axis] {
                        let crossed = inside(p) != inside(q);
                        prop_assert_eq!(signs.edges[axis].contains(p), crossed);
                        if crossed {
                            prop_assert_eq!(signs.edges[axis].rank(p), edges_seen[axis]);
                            edges_seen[axis] += 1;
                        }
                    }
                }
                if (0..3).all(|a| p[a] + 1 < points[a]) {
                    let mask = (0..8).fold(0, |m, i| {
                        m | u8::from(inside([x + (i & 1), y + (i >> 1 & 1), z + (i >> 2)])) << i
                    });
                    let found = signs.cell(p);
                    prop_assert_eq!(found.is_some(), mask != 0 && mask != 255);
                    if let Some(number) = found {
                        prop_assert_eq!(number, cells_seen);
                        prop_assert_eq!(signs.cells[number].mask.0, mask);
                        prop_assert_eq!(signs.cells[number].place(), p);
                        cells_seen += 1;
                    }
                }
            }}}
            prop_assert_eq!(signs.cells.len(), cells_seen);
            for axis in 0..3 {
                prop_assert_eq!(signs.edges[axis].count(), edges_seen[axis]);
                prop_assert_eq!(signs.edges[axis].iter().count(), edges_seen[axis]);
            }
        }
    }

    #[test]
    fn a_sample_that_is_no_number_is_named() {
        let block = Block::new(VoxelPos::new(10, 20, 30), [2, 2, 2]).unwrap();
        let mut samples = vec![1.0; 7 * 7 * 7];
        samples[(3 * 7 + 2) * 7 + 1] = f32::NAN;
        let error = Signs::default().find(&block, &samples).unwrap_err();
        assert!(matches!(error, ContourError::NotFinite { at, .. } if at == VoxelPos::new(9, 20, 31)));
    }
}
