//! Vertices: one for each loop of crossings.
//!
//! A vertex lies at the minimizer of its loop's quadric over the cell ([`Quadric::minimizer_within`]). That loses a
//! corner which the loop sees but which lies in another cell; two further steps bring it back (research: policy O,
//! steps 3 and 4):
//!
//! - **Adopt.** If the free minimizer of a loop lies in a neighbouring cell with a single loop, and that cell's own
//!   planes agree with it, the neighbour's vertex goes there.
//! - **Borrow.** If it lies in an empty cell, the vertex itself goes there, if all cells of the box that holds both are
//!   empty but its own, and no better claim exists on any of them.
//!
//! Both read cells at most two away, so that a block with a halo of two computes what any other block would.
//! All places are in cells, counted from the lowest corner of the vertex's own cell, until they are rounded to
//! multiples of 2⁻¹³; nothing here depends on where the block lies.

use glam::{DVec3, I64Vec3, Vec3};
use weald_field::{EvalScratch, Tape};
use weald_space::{Axis, Lattice};

use crate::block::{Block, HALO, Signs};
use crate::cell::CellEdge;
use crate::hermite::Crossings;
use crate::qef::Quadric;
use crate::tables::loops;

/// Steps of a vertex position in a cell. With 2¹³ a position within a chunk takes 18 bits, and one within 2,048 cells
/// of a mesh's origin is exact in an `f32`; the rounding, 6·10⁻⁵ of a cell, is far below the corner gap of 2·10⁻³
/// that is asked for.
pub const POSITION_STEPS: f64 = 8192.0;

/// How far inside its cell a vertex stays. The embedding proof (research: positions, section 3) needs vertices strictly
/// inside; a step of 2⁻¹⁰ survives the rounding of positions, and costs at most a thousandth of a cell at a corner
/// that lies exactly on a face. Ten times more would blunt corners (gap 0.25 cells at 10⁻²).
const MARGIN: f64 = 1.0 / 1024.0;

/// Blur of the planes where a loop's normals agree within 25 degrees. Smooth ground gets rounder triangles from a
/// large value; above 0.1 the surface starts to shrink (error 10 % more at 0.3).
const SMOOTH_SPREAD: f64 = 0.1;

/// Blur where they do not: there is a crease, and its place matters. 0.005 keeps a box's corner within 2·10⁻⁴ cells;
/// below, slivers double.
const SHARP_SPREAD: f64 = 0.005;

/// Cosine of 25 degrees.
const SMOOTH_COSINE: f64 = 0.9063;

/// Blur for a free minimizer that is offered to other cells: nearly none, only what keeps the matrix regular.
const FREE_SPREAD: f64 = 1e-3;

/// A loop has lost something if its mean squared distance from its planes exceeds this, in cells².
const LOST: f64 = 1e-4;

/// A neighbour agrees if its own mean squared distance grows by less than this, in cells².
const AGREES: f64 = 1e-5;

/// An offered place must lie this close to the surface, in cells, or it is the apex of nothing.
const OFF_SURFACE: f32 = 0.02;

/// The vertices of a block's cells.
#[derive(Clone, Debug, Default)]
pub struct Vertices {
    /// For each active cell its first vertex; there is one for each of its loops.
    pub first: Vec<u32>,
    /// In cells from the cell's lowest corner, rounded.
    pub places: Vec<DVec3>,
    /// Unit vectors that point outside: the mean of the loop's normals.
    pub normals: Vec<Vec3>,
    /// Vertices that took over a neighbour's corner.
    pub adopted: u32,
    /// Vertices that lie in an empty cell.
    pub borrowed: u32,
    quadrics: Vec<Quadric>,
    offers: Vec<Offer>,
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
    error: f64,
}

/// A vertex that would like to lie in an empty cell.
struct Claim {
    vertex: usize,
    error: f64,
    place: DVec3,
    empty: Vec<[usize; 3]>,
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
                self.place_loop(number, &points[..count], &normals[..count]);
            }
        }
        if let Some((tape, lattice)) = field {
            self.drop_offers_off_the_surface(tape, lattice, block, signs);
        }
        self.borrow_and_adopt(signs);
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
        (self.adopted, self.borrowed) = (0, 0);
    }

    fn place_loop(&mut self, cell: usize, points: &[DVec3], normals: &[DVec3]) {
        let quadric = Quadric::new(points, normals);
        let mean_normal = normals.iter().sum::<DVec3>().try_normalize();
        let smooth = mean_normal.is_some_and(|mean| normals.iter().all(|n| n.dot(mean) > SMOOTH_COSINE));
        let spread = if smooth { SMOOTH_SPREAD } else { SHARP_SPREAD };
        let place = quadric.minimizer_within(spread, DVec3::splat(MARGIN), DVec3::splat(1.0 - MARGIN));
        let on_border =
            place.cmple(DVec3::splat(MARGIN)).any() || place.cmpge(DVec3::splat(1.0 - MARGIN)).any();
        if on_border {
            let free = quadric.minimizer(FREE_SPREAD);
            let (kept, error) = (quadric.error(place), quadric.error(free));
            let near = free.cmpgt(DVec3::splat(-1.0)).all() && free.cmplt(DVec3::splat(2.0)).all();
            if near && kept > LOST && error < 0.1 * kept {
                self.offers.push(Offer {
                    cell,
                    vertex: self.places.len(),
                    place: free,
                    error,
                });
            }
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
        tape.duals(
            &self.points,
            &mut self.field,
            &mut self.values,
            &mut self.gradients,
        );
        let cell_size = lattice.cell_size() as f32;
        let mut slot = 0;
        self.offers.retain(|_| {
            let (value, slope) = (self.values[slot].abs(), self.gradients[slot].length());
            slot += 1;
            value <= OFF_SURFACE * cell_size * slope.max(1e-6)
        });
    }

    fn borrow_and_adopt(&mut self, signs: &Signs) {
        let offers = std::mem::take(&mut self.offers);
        let mut claims = Vec::new();
        let mut gifts: Vec<(usize, f64, [usize; 3], DVec3)> = Vec::new();
        for offer in &offers {
            let from = signs.cells[offer.cell].place();
            let Some(target) = shifted(from, offer.place.floor(), signs) else {
                continue;
            };
            match signs.cell(target) {
                Some(cell) if cell != offer.cell && loops(signs.cells[cell].mask).count == 1 => {
                    let vertex = self.first[cell] as usize;
                    let place = offer.place - offer.place.floor();
                    let inside = place.cmpge(DVec3::splat(MARGIN)).all()
                        && place.cmple(DVec3::splat(1.0 - MARGIN)).all();
                    let quadric = &self.quadrics[vertex];
                    if inside && quadric.error(place) <= quadric.error(self.places[vertex]) + AGREES {
                        gifts.push((vertex, offer.error, from, place));
                    }
                }
                None => claims.extend(self.claim(offer, signs)),
                Some(_) => {}
            }
        }
        let lent = self.settle_claims(&claims, signs);
        gifts.sort_by(|a, b| {
            a.0.cmp(&b.0)
                .then(a.1.total_cmp(&b.1))
                .then(order(a.2).cmp(&order(b.2)))
        });
        gifts.dedup_by_key(|gift| gift.0);
        for (vertex, _, _, place) in gifts {
            if !lent.contains(&vertex) {
                self.places[vertex] = rounded(place);
                self.adopted += 1;
            }
        }
        self.offers = offers;
    }

    fn claim(&self, offer: &Offer, signs: &Signs) -> Option<Claim> {
        let cell = &signs.cells[offer.cell];
        if loops(cell.mask).count != 1 {
            return None;
        }
        let low = offer.place.cmplt(DVec3::ZERO);
        let high = offer.place.cmpgt(DVec3::ONE);
        let reach = |axis: usize| {
            if low.test(axis) {
                -1..=0
            } else {
                0..=i64::from(high.test(axis))
            }
        };
        for axis in 0..3 {
            let (a, b) = (*reach(axis).start() as f64, *reach(axis).end() as f64 + 1.0);
            if !(a + MARGIN..=b - MARGIN).contains(&offer.place[axis]) {
                return None;
            }
        }
        let mut empty = Vec::new();
        for z in reach(2) {
            for y in reach(1) {
                for x in reach(0) {
                    let step = DVec3::new(x as f64, y as f64, z as f64);
                    if step != DVec3::ZERO {
                        let place = shifted(cell.place(), step, signs)?;
                        if signs.cell(place).is_some() {
                            return None;
                        }
                        empty.push(place);
                    }
                }
            }
        }
        Some(Claim {
            vertex: offer.vertex,
            error: offer.error,
            place: offer.place,
            empty,
        })
    }

    /// Grants each claim that is the best on all of its cells; returns the vertices that moved.
    fn settle_claims(&mut self, claims: &[Claim], signs: &Signs) -> Vec<usize> {
        let mut by_cell: Vec<([usize; 3], usize)> = claims
            .iter()
            .enumerate()
            .flat_map(|(number, claim)| claim.empty.iter().map(move |&cell| (cell, number)))
            .collect();
        let cell_of = |number: usize| {
            let cell = self
                .first
                .partition_point(|&first| first as usize <= claims[number].vertex)
                - 1;
            order(signs.cells[cell].place())
        };
        by_cell.sort_by(|a, b| {
            let rank = |number: usize| claims[number].error;
            order(a.0)
                .cmp(&order(b.0))
                .then(rank(a.1).total_cmp(&rank(b.1)))
                .then_with(|| cell_of(a.1).cmp(&cell_of(b.1)))
        });
        let mut lost = vec![false; claims.len()];
        for pair in by_cell.windows(2) {
            if pair[0].0 == pair[1].0 {
                lost[pair[1].1] = true;
            }
        }
        let mut moved = Vec::new();
        for (claim, lost) in claims.iter().zip(lost) {
            if !lost {
                self.places[claim.vertex] = rounded(claim.place);
                self.borrowed += 1;
                moved.push(claim.vertex);
            }
        }
        moved
    }
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

fn rounded(place: DVec3) -> DVec3 {
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
    Axis::ALL
        .iter()
        .all(|a| (HALO..HALO + block.cells[a.index()]).contains(&place[a.index()]))
}
