//! Vertices: one for each loop of crossings.
//!
//! A vertex lies at the minimizer of its loop's quadric over the cell ([`Quadric::minimizer_within`]). That loses a
//! corner which the loop sees but which lies in another cell; two further steps bring it back :
//!
//! - **Adopt.** If the free minimizer of a loop lies in a neighbouring cell with a single loop, and that cell's own
//!   planes agree with it, the neighbour's vertex goes there.
//! - **Borrow.** If it lies in an empty cell, the vertex of the cell across one of that cell's faces whose planes agree
//!   best goes there; if there is none, the vertex of the loop itself, where the cells between are empty too. An empty
//!   cell takes one vertex, and a cell gives its vertex once; the least error decides.
//!
//! A loop whose planes do not meet in its cell and that was not helped so is *refit*: if a crease of two of its planes, or
//! one plane alone, passes the cell on the surface, the vertex goes there. The least-squares compromise between three
//! planes lies on none of them.
//!
//! Adopting and borrowing read cells at most two away, so that a block with a halo of two computes what any other block would.
//! All places are in cells, counted from the lowest corner of the vertex's own cell, until they are rounded to
//! multiples of 2⁻¹³; nothing here depends on where the block lies.

use std::cmp::Ordering;

use glam::{DVec3, I64Vec3, Vec3};
use weald_field::{EvalScratch, Tape};
use weald_space::{Axis, CHUNK_CELLS, Lattice};

use crate::block::{Block, HALO, Signs};
use crate::cell::CellEdge;
use crate::hermite::Crossings;
use crate::qef::Quadric;
use crate::tables::loops;

/// Steps of a vertex position in a cell. With 2¹³ a position within a chunk takes 18 bits, and one within 2,048 cells
/// of a mesh's origin is exact in an `f32`; the rounding, 6·10⁻⁵ of a cell, is far below the corner gap of 2·10⁻³
/// that is asked for.
pub const POSITION_STEPS: f64 = 8192.0;

/// How far inside its cell a vertex stays. The embedding proof (decision 0009) needs vertices strictly
/// inside; a step of 2⁻¹⁰ survives the rounding of positions, and costs at most a thousandth of a cell at a corner
/// that lies exactly on a face. Ten times more would blunt corners (gap 0.25 cells at 10⁻²).
pub(crate) const MARGIN: f64 = 1.0 / 1024.0;

/// Blur of the planes where a loop's normals agree within 25 degrees. Smooth ground gets rounder triangles from a
/// large value; above 0.1 the surface starts to shrink (error 10 % more at 0.3).
pub(crate) const SMOOTH_SPREAD: f64 = 0.1;

/// Blur where they do not: there is a crease, and its place matters. 0.005 keeps a box's corner within 2·10⁻⁴ cells;
/// below, slivers double.
pub(crate) const SHARP_SPREAD: f64 = 0.005;

/// Cosine of 25 degrees.
pub(crate) const SMOOTH_COSINE: f64 = 0.9063;

/// Blur for a free minimizer that is offered to other cells: nearly none, only what keeps the matrix regular.
pub(crate) const FREE_SPREAD: f64 = 1e-3;

/// A loop has lost something if its mean squared distance from its planes exceeds this, in cells².
pub(crate) const LOST: f64 = 1e-4;

/// A neighbour agrees if its own mean squared distance grows by less than this, in cells².
pub(crate) const AGREES: f64 = 1e-5;

/// An offered place must lie this close to the surface, in cells, or it is the apex of nothing.
const OFF_SURFACE: f32 = 0.02;

/// Cosine of 18 degrees: crossings whose normals differ by less are of one plane, when a misfit is taken apart.
const ONE_PLANE_COSINE: f64 = 0.951;

/// A misfit with more planes than this is no corner but rough ground, and stays as it is.
const MOST_PLANES: usize = 4;

/// A sharp loop is a misfit if its mean squared distance from its planes exceeds this, in cells²: a vertex half a
/// thousandth of a cell off every plane.
const MISFIT: f64 = 2.5e-7;

/// A place fits a plane or crease if its mean squared distance is below this, in cells². Far less than curved ground
/// reaches, so that only what is flat is taken apart.
const FITS: f64 = 1e-7;

/// What a crease may lie further off the surface than a single plane and still be preferred, in cells: a crease is what
/// the eye follows.
const CREASE_BONUS: f32 = 0.01;

/// The vertices of a block's cells.
#[derive(Debug, Default)]
pub struct Vertices {
    /// For each active cell its first vertex; there is one for each of its loops.
    pub first: Vec<u32>,
    /// In cells from the cell's lowest corner, rounded.
    pub places: Vec<DVec3>,
    /// Unit vectors that point outside: the mean of the loop's normals.
    pub normals: Vec<Vec3>,
    /// Vertices of the block's own cells that took over a neighbour's corner.
    pub adopted: u32,
    /// Vertices of the block's own cells that lie in an empty cell.
    pub borrowed: u32,
    /// The vertices that lie in an empty cell, in ascending order, each with its place within its own cell.
    pub own_places: Vec<(u32, DVec3)>,
    quadrics: Vec<Quadric>,
    offers: Vec<Offer>,
    misfits: Vec<Misfit>,
    points: Vec<DVec3>,
    values: Vec<f32>,
    gradients: Vec<Vec3>,
    field: EvalScratch,
}

/// A corner that a loop sees but cannot reach.
#[derive(Clone, Copy, Debug)]
struct Offer {
    cell: usize,
    vertex: usize,
    place: DVec3,
    rank: Rank,
}

/// Which of two offers goes first: a corner before a crease, then the lesser error, then the lower cell.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Rank {
    crease: bool,
    error: f64,
    from: [usize; 3],
}

impl Rank {
    fn order(&self, other: &Rank) -> Ordering {
        self.crease
            .cmp(&other.crease)
            .then(self.error.total_cmp(&other.error))
            .then(self.from.cmp(&other.from))
    }
}

/// A loop whose planes do not meet in its cell.
#[derive(Clone, Debug)]
struct Misfit {
    cell: usize,
    vertex: usize,
    /// Where it could lie, and whether that is on a crease.
    places: Vec<(DVec3, bool)>,
}

/// An offer that a cell takes.
#[derive(Clone, Copy, Debug)]
struct Gift {
    vertex: usize,
    rank: Rank,
    place: DVec3,
    borrowed: bool,
}

impl Vertices {
    /// Places the vertices of a block. Without a field (`None`), offers are not checked against it.
    pub fn find(
        &mut self,
        field: Option<(&Tape, Lattice)>,
        block: &Block,
        signs: &Signs,
        crossings: &Crossings,
    ) {
        self.start(signs);
        for (number, cell) in signs.cells.iter().enumerate() {
            let table = loops(cell.mask);
            let mut points = [DVec3::ZERO; 12];
            let mut normals = [DVec3::ZERO; 12];
            for index in 0..table.count {
                let mut count = 0;
                for edge in table.edges(index) {
                    let crossing = crossings.number(signs, edge.axis(), lower_end(cell.place(), edge));
                    points[count] = point_in_cell(edge, crossings.t[crossing]);
                    normals[count] = crossings.normals[crossing].as_dvec3();
                    count += 1;
                }
                self.place_loop(number, cell.place(), &points[..count], &normals[..count]);
            }
        }
        if let Some((tape, lattice)) = field {
            self.drop_offers_off_the_surface(tape, lattice, block, signs);
        }
        let moved = self.hand_over(block, signs);
        if let Some((tape, lattice)) = field {
            self.refit(tape, lattice, block, signs, &moved);
        }
    }

    fn start(&mut self, signs: &Signs) {
        self.first.clear();
        let mut next = 0;
        for cell in &signs.cells {
            self.first.push(next);
            next += u32::from(loops(cell.mask).count);
        }
        self.places.clear();
        self.normals.clear();
        self.quadrics.clear();
        self.offers.clear();
        self.misfits.clear();
        self.own_places.clear();
        (self.adopted, self.borrowed) = (0, 0);
    }

    /// The place of a vertex within its own cell, if it lies in an empty one beside it.
    #[must_use]
    pub fn own_place(&self, vertex: u32) -> Option<DVec3> {
        let at = self.own_places.binary_search_by_key(&vertex, |&(vertex, _)| vertex).ok()?;
        Some(self.own_places[at].1)
    }

    fn place_loop(&mut self, cell: usize, at: [usize; 3], points: &[DVec3], normals: &[DVec3]) {
        let quadric = Quadric::new(points, normals);
        let mean_normal = normals.iter().sum::<DVec3>().try_normalize();
        let smooth = mean_normal.is_some_and(|mean| normals.iter().all(|n| n.dot(mean) > SMOOTH_COSINE));
        let spread = if smooth { SMOOTH_SPREAD } else { SHARP_SPREAD };
        let place = quadric.minimizer_within(spread, DVec3::splat(MARGIN), DVec3::splat(1.0 - MARGIN));
        let on_border =
            place.cmple(DVec3::splat(MARGIN)).any() || place.cmpge(DVec3::splat(1.0 - MARGIN)).any();
        let kept = quadric.error(place);
        let vertex = self.places.len();
        if on_border && kept > LOST {
            let corner = quadric.is_corner();
            let along_crease = if corner { None } else { across_a_face(&quadric) };
            let place = along_crease.unwrap_or_else(|| quadric.minimizer(FREE_SPREAD));
            let error = quadric.error(place);
            let near = place.cmpgt(DVec3::splat(-1.0)).all() && place.cmplt(DVec3::splat(2.0)).all();
            if near && error < (0.1 * kept).min(AGREES) {
                let rank = Rank { crease: !corner, error, from: order(at) };
                self.offers.push(Offer { cell, vertex, place, rank });
            }
        }
        if !smooth && kept > MISFIT {
            self.misfits.push(Misfit { cell, vertex, places: creases_and_planes(points, normals) });
        }
        self.places.push(rounded(place));
        self.normals.push(mean_normal.unwrap_or(normals[0]).as_vec3());
        self.quadrics.push(quadric);
    }

    fn drop_offers_off_the_surface(&mut self, tape: &Tape, lattice: Lattice, block: &Block, signs: &Signs) {
        if self.offers.is_empty() {
            return;
        }
        self.points.clear();
        self.points.extend(self.offers.iter().map(|offer| {
            let cell = block.padded_min() + I64Vec3::from_array(signs.cells[offer.cell].at.map(i64::from));
            (cell.0.as_dvec3() + rounded(offer.place)) * lattice.cell_size()
        }));
        self.values.resize(self.points.len(), 0.0);
        self.gradients.resize(self.points.len(), Vec3::ZERO);
        tape.duals(&self.points, &mut self.field, &mut self.values, &mut self.gradients);
        let cell_size = lattice.cell_size() as f32;
        let mut slot = 0;
        self.offers.retain(|_| {
            let (value, slope) = (self.values[slot].abs(), self.gradients[slot].length());
            slot += 1;
            value <= OFF_SURFACE * cell_size * slope.max(1e-6)
        });
    }

    /// Moves misfits to the surface; those that have moved already, sorted in `moved`, stay.
    fn refit(&mut self, tape: &Tape, lattice: Lattice, block: &Block, signs: &Signs, moved: &[usize]) {
        self.misfits.retain(|misfit| moved.binary_search(&misfit.vertex).is_err());
        if self.misfits.is_empty() {
            return;
        }
        let cell_size = lattice.cell_size();
        self.points.clear();
        for misfit in &self.misfits {
            let cell = block.padded_min() + I64Vec3::from_array(signs.cells[misfit.cell].at.map(i64::from));
            let base = cell.0.as_dvec3();
            self.points.push((base + self.places[misfit.vertex]) * cell_size);
            self.points.extend(misfit.places.iter().map(|(place, _)| (base + *place) * cell_size));
        }
        self.values.resize(self.points.len(), 0.0);
        self.gradients.resize(self.points.len(), Vec3::ZERO);
        tape.duals(&self.points, &mut self.field, &mut self.values, &mut self.gradients);
        let mut slot = 0;
        let mut off_surface = || {
            let off = self.values[slot].abs() / (self.gradients[slot].length().max(1e-6) * cell_size as f32);
            slot += 1;
            off
        };
        for misfit in &self.misfits {
            let mut least = off_surface() + CREASE_BONUS;
            for &(place, crease) in &misfit.places {
                let off = off_surface() + if crease { 0.0 } else { CREASE_BONUS };
                if off < least {
                    least = off;
                    self.places[misfit.vertex] = place;
                }
            }
        }
    }

    /// Returns the vertices that moved, in ascending order.
    fn hand_over(&mut self, block: &Block, signs: &Signs) -> Vec<usize> {
        let mut gifts = Vec::new();
        let mut into_empty: Vec<([usize; 3], &Offer)> = Vec::new();
        for offer in &self.offers {
            let from = signs.cells[offer.cell].place();
            let Some(target) = shifted(from, offer.place.floor(), signs) else {
                continue;
            };
            match signs.cell(target) {
                Some(cell) => {
                    gifts.extend(self.gift(offer, cell, offer.place - offer.place.floor(), block, signs))
                }
                None => into_empty.push((target, offer)),
            }
        }
        into_empty.sort_by(|a, b| order(a.0).cmp(&order(b.0)).then_with(|| a.1.rank.order(&b.1.rank)));
        for (at, &(empty, offer)) in into_empty.iter().enumerate() {
            if at == 0 || into_empty[at - 1].0 != empty {
                let borrower = self.borrower(empty, offer, block, signs);
                gifts.extend(borrower.or_else(|| self.reach(empty, offer, &into_empty, block, signs)));
            }
        }
        gifts.sort_by(|a, b| a.vertex.cmp(&b.vertex).then_with(|| a.rank.order(&b.rank)));
        gifts.dedup_by_key(|gift| gift.vertex);
        for gift in &gifts {
            if gift.borrowed {
                self.own_places.push((gift.vertex as u32, self.places[gift.vertex]));
            }
            self.places[gift.vertex] = rounded(gift.place);
            let cell = self.first.partition_point(|&first| first as usize <= gift.vertex) - 1;
            if is_own(block, signs.cells[cell].place()) {
                self.adopted += u32::from(!gift.borrowed);
                self.borrowed += u32::from(gift.borrowed);
            }
        }
        gifts.iter().map(|gift| gift.vertex).collect()
    }

    /// What an offer is to the cell numbered `cell`, if it has one loop and its planes agree. `place` counts from that
    /// cell.
    fn gift(&self, offer: &Offer, cell: usize, place: DVec3, block: &Block, signs: &Signs) -> Option<Gift> {
        let vertex = self.first[cell] as usize;
        if loops(signs.cells[cell].mask).count != 1 || leans_out(block, signs.cells[cell].place(), place) {
            return None;
        }
        let outside = place.cmplt(DVec3::ZERO) | place.cmpgt(DVec3::ONE);
        for axis in 0..3 {
            // The cell's own span, or where the place lies beyond it, that of both cells.
            let low = if place[axis] < 0.0 { -1.0 } else { 0.0 } + MARGIN;
            let high = if place[axis] > 1.0 { 2.0 } else { 1.0 } - MARGIN;
            if !(low..=high).contains(&place[axis]) {
                return None;
            }
        }
        let quadric = &self.quadrics[vertex];
        let own = quadric.error(self.places[vertex]);
        (quadric.error(place) <= own.min(LOST) + AGREES).then_some(Gift {
            vertex,
            rank: offer.rank,
            place,
            borrowed: outside.any(),
        })
    }

    /// The gift to a neighbour across one of an empty cell's faces: to the loop itself if it lies there, else to the one
    /// whose planes agree best.
    fn borrower(&self, empty: [usize; 3], offer: &Offer, block: &Block, signs: &Signs) -> Option<Gift> {
        let in_empty = offer.place - offer.place.floor();
        let mut best: Option<(f64, Gift)> = None;
        for axis in 0..3 {
            for side in [-1.0, 1.0] {
                let mut step = DVec3::ZERO;
                step[axis] = side;
                let neighbour = shifted(empty, step, signs).and_then(|place| signs.cell(place));
                let gift = neighbour.and_then(|cell| self.gift(offer, cell, in_empty - step, block, signs));
                let Some(gift) = gift else { continue };
                if gift.vertex == offer.vertex {
                    return Some(gift);
                }
                let error = self.quadrics[gift.vertex].error(gift.place);
                if best.as_ref().is_none_or(|(least, _)| error < *least) {
                    best = Some((error, gift));
                }
            }
        }
        best.map(|(_, gift)| gift)
    }

    /// The gift of an offer to its own cell, if the empty cell lies across an edge or a corner of it: all cells between
    /// must be empty, and no other offer may want one of them.
    fn reach(
        &self,
        empty: [usize; 3],
        offer: &Offer,
        into_empty: &[([usize; 3], &Offer)],
        block: &Block,
        signs: &Signs,
    ) -> Option<Gift> {
        let gift = self.gift(offer, offer.cell, offer.place, block, signs)?;
        let between = cells_between(signs.cells[offer.cell].place(), empty);
        let free = between.iter().all(|&cell| signs.cell(cell).is_none());
        let wanted = into_empty.iter().any(|(other, by)| {
            let theirs = cells_between(signs.cells[by.cell].place(), *other);
            *other != empty && theirs.iter().any(|cell| between.contains(cell))
        });
        (free && !wanted).then_some(gift)
    }
}

/// Whether a place that counts from a cell of an inner layer of its chunk lies in the outermost one.
///
/// What is empty there may be filled by a finer neighbour, and cells of inner layers must not depend on the chunks around.
fn leans_out(block: &Block, cell: [usize; 3], place: DVec3) -> bool {
    let local =
        |axis: usize, by: i64| (block.padded_min().0[axis] + cell[axis] as i64 + by).rem_euclid(CHUNK_CELLS);
    let on_border = |c: i64| c == 0 || c == CHUNK_CELLS - 1;
    let is_inner = (0..3).all(|axis| !on_border(local(axis, 0)));
    is_inner && (0..3).any(|axis| on_border(local(axis, place[axis].floor() as i64)))
}

/// The cells of the box that two neighbouring cells span, without the first.
fn cells_between(from: [usize; 3], to: [usize; 3]) -> Vec<[usize; 3]> {
    let span = |axis: usize| from[axis].min(to[axis])..=from[axis].max(to[axis]);
    let mut cells = Vec::with_capacity(7);
    for z in span(2) {
        for y in span(1) {
            cells.extend(span(0).map(|x| [x, y, z]).filter(|&cell| cell != from));
        }
    }
    cells
}

/// The best place in the box of the cell and a neighbour across one of its faces, if the planes meet there.
///
/// Along a crease there is a choice: the free minimizer may lie where two cells want it, while each could have its own
/// piece of the crease straight above.
fn across_a_face(quadric: &Quadric) -> Option<DVec3> {
    let mut best: Option<(f64, DVec3)> = None;
    for axis in 0..3 {
        for above in [false, true] {
            let (mut low, mut high) = (DVec3::splat(MARGIN), DVec3::splat(1.0 - MARGIN));
            if above {
                high[axis] += 1.0;
            } else {
                low[axis] -= 1.0;
            }
            let place = quadric.minimizer_within(FREE_SPREAD, low, high);
            let error = quadric.error(place);
            if error < AGREES && best.is_none_or(|(least, _)| error < least) {
                best = Some((error, place));
            }
        }
    }
    best.map(|(_, place)| place)
}

/// Where a misfit's vertex could lie instead: on the crease of each two of its planes, then on each plane alone.
fn creases_and_planes(points: &[DVec3], normals: &[DVec3]) -> Vec<(DVec3, bool)> {
    let mut planes: Vec<Vec<usize>> = Vec::new();
    for (i, normal) in normals.iter().enumerate() {
        match planes.iter_mut().find(|plane| normals[plane[0]].dot(*normal) > ONE_PLANE_COSINE) {
            Some(plane) => plane.push(i),
            None => planes.push(vec![i]),
        }
    }
    if planes.len() > MOST_PLANES {
        return Vec::new();
    }
    let solve = |members: &[usize]| {
        let pick = |from: &[DVec3]| members.iter().map(|&i| from[i]).collect::<Vec<_>>();
        let quadric = Quadric::new(&pick(points), &pick(normals));
        let place = quadric.minimizer_within(SHARP_SPREAD, DVec3::splat(MARGIN), DVec3::splat(1.0 - MARGIN));
        (quadric.error(place) < FITS).then(|| rounded(place))
    };
    let mut places = Vec::new();
    if planes.len() > 2 {
        for (i, one) in planes.iter().enumerate() {
            for other in &planes[..i] {
                places.extend(solve(&[one.as_slice(), other.as_slice()].concat()).map(|place| (place, true)));
            }
        }
    }
    places.extend(planes.iter().filter_map(|plane| solve(plane)).map(|place| (place, false)));
    places
}

fn order([x, y, z]: [usize; 3]) -> [usize; 3] {
    [z, y, x]
}

/// The place a few cells away, if it lies in the padded block.
fn shifted(place: [usize; 3], by: DVec3, signs: &Signs) -> Option<[usize; 3]> {
    let size = signs.cell_dims();
    let mut moved = [0; 3];
    for axis in 0..3 {
        let c = place[axis] as i64 + by[axis] as i64;
        if c < 0 || c >= size[axis] as i64 {
            return None;
        }
        moved[axis] = c as usize;
    }
    Some(moved)
}

/// A place in cells, rounded to the steps of a vertex position.
pub(crate) fn rounded(place: DVec3) -> DVec3 {
    (place * POSITION_STEPS).round() / POSITION_STEPS
}

/// The lower end of a cell's edge, in the frame of the cell's place.
#[must_use]
pub fn lower_end(cell: [usize; 3], edge: CellEdge) -> [usize; 3] {
    let corner = edge.low_corner();
    std::array::from_fn(|axis| cell[axis] + (corner >> axis & 1) as usize)
}

/// A crossing's place in its cell.
#[must_use]
pub fn point_in_cell(edge: CellEdge, t: f32) -> DVec3 {
    let corner = edge.low_corner();
    let mut point = DVec3::from_array(std::array::from_fn(|axis| f64::from(corner >> axis & 1)));
    point[edge.axis().index()] += f64::from(t);
    point
}

/// Whether a cell of the padded block belongs to the block itself.
#[must_use]
pub fn is_own(block: &Block, place: [usize; 3]) -> bool {
    Axis::ALL.iter().all(|a| (HALO..HALO + block.cells[a.index()]).contains(&place[a.index()]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use weald_field::{Expr, Grid};
    use weald_space::VoxelPos;

    /// T18: on a cube whose corners and edges lie inside their cells, the clamp changes nothing.
    #[test]
    fn the_clamp_costs_no_sharpness_where_the_feature_is_in_its_cell() {
        let tape = Tape::new(&Expr::cuboid(DVec3::splat(12.0), DVec3::splat(7.37), 0.0)).unwrap();
        let lattice = Lattice::new(1.0).unwrap();
        let block = Block::new(VoxelPos::new(0, 0, 0), [24; 3]).unwrap();
        let mut samples = vec![0.0; block.padded_points().iter().product()];
        let grid = Grid { lattice, min: block.padded_min(), dims: block.padded_points() };
        tape.sample(&grid, &mut EvalScratch::default(), &mut samples);
        let (mut signs, mut crossings) = (Signs::default(), Crossings::default());
        signs.find(&block, &samples).unwrap();
        crossings.find(&tape, lattice, &block, &signs, &samples, &mut Default::default());
        let mut vertices = Vertices::default();
        vertices.find(Some((&tape, lattice)), &block, &signs, &crossings);
        let mut sharp = 0;
        for (quadric, place) in vertices.quadrics.iter().zip(&vertices.places) {
            let clamp =
                |spread| quadric.minimizer_within(spread, DVec3::splat(MARGIN), DVec3::splat(1.0 - MARGIN));
            for spread in [SMOOTH_SPREAD, SHARP_SPREAD] {
                assert_eq!(clamp(spread), quadric.minimizer(spread), "the clamp moved a vertex");
            }
            sharp += usize::from(*place == rounded(clamp(SHARP_SPREAD)) && quadric.is_corner());
        }
        assert_eq!(sharp, 8, "one vertex a corner");
        assert_eq!((vertices.adopted, vertices.borrowed), (0, 0));
    }
}
