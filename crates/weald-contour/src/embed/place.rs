//! Vertices of loops, for leaves of any sizes and without a field.
//!
//! The rules are those of [`place`](crate::place), in units of the leaf: the constrained minimizer of the loop's quadric,
//! with two spreads; then *adopt*, where a loop sees a corner that lies in another leaf with one loop whose planes
//! agree. The leaves asked are those around the edges that the loop crosses, so that a vertex depends on its leaf and the
//! leaves around its edges alone. Nothing is borrowed, and nothing refit.

use std::cmp::Ordering;

use glam::{DVec3, Vec3};

use super::{point, rounded_in};
use crate::complex::{ABSENT, Complex, Leaf};
use crate::place::{AGREES, FREE_SPREAD, LOST, MARGIN, SHARP_SPREAD, SMOOTH_COSINE, SMOOTH_SPREAD, rounded};
use crate::qef::Quadric;

/// The vertices of a complex. Kept between patches, it allocates nothing.
#[derive(Clone, Debug, Default)]
pub struct LoopVertices {
    /// For each loop its vertex, in finest cells, rounded to steps of 2⁻¹³ of its leaf; `None` where a leaf beyond the
    /// patch might have offered it another.
    pub places: Vec<Option<DVec3>>,
    /// Unit vectors that point outside: the mean of the loop's normals.
    pub normals: Vec<Vec3>,
    /// Vertices that took over a corner.
    pub adopted: u32,
    quadrics: Vec<Quadric>,
    offers: Vec<Offer>,
    members: Vec<u32>,
    points: Vec<DVec3>,
    member_normals: Vec<DVec3>,
}

/// A corner or crease that a loop sees but cannot reach.
#[derive(Clone, Copy, Debug)]
struct Offer {
    /// The loop that may take it.
    to: u32,
    /// In its leaf, as a part of its size.
    place: DVec3,
    crease: bool,
    error: f64,
    /// Where the offering leaf lies from it.
    from: [i32; 3],
}

impl Offer {
    /// By taker, then a corner before a crease, then the lesser error, then the lower leaf.
    fn order(&self, other: &Offer) -> Ordering {
        (self.to, self.crease)
            .cmp(&(other.to, other.crease))
            .then(self.error.total_cmp(&other.error))
            .then(self.from.cmp(&other.from))
    }
}

/// Places the vertices of all loops.
pub fn place_loops(complex: &Complex, vertices: &mut LoopVertices) {
    vertices.places.clear();
    vertices.normals.clear();
    vertices.quadrics.clear();
    vertices.offers.clear();
    vertices.adopted = 0;
    for index in 0..complex.loops().len() {
        vertices.place(complex, index);
    }
    vertices.hand_over(complex);
    for index in 0..complex.loops().len() {
        if !is_known(complex, index) {
            vertices.places[index] = None;
        }
    }
}

impl LoopVertices {
    fn place(&mut self, complex: &Complex, index: usize) {
        let number = complex.loops()[index].leaf as usize;
        let Leaf { min, size, .. } = complex.leaves()[number];
        self.members.clear();
        self.members.extend_from_slice(complex.loop_edges(index));
        self.members.sort_unstable_by_key(|&edge| complex.place_in_order(edge as usize));
        let edges = self.members.iter().map(|&edge| &complex.edges()[edge as usize]);
        self.points.clear();
        self.points.extend(edges.clone().map(|edge| edge.crossing_from(min) / f64::from(size)));
        self.member_normals.clear();
        self.member_normals.extend(edges.map(|edge| edge.normal.as_dvec3()));

        let normals = &self.member_normals;
        let quadric = Quadric::new(&self.points, normals);
        let mean_normal = normals.iter().sum::<DVec3>().try_normalize();
        let smooth = mean_normal.is_some_and(|mean| normals.iter().all(|n| n.dot(mean) > SMOOTH_COSINE));
        let spread = if smooth { SMOOTH_SPREAD } else { SHARP_SPREAD };
        self.normals.push(mean_normal.unwrap_or(normals[0]).as_vec3());
        let (low, high) = (DVec3::splat(MARGIN), DVec3::splat(1.0 - MARGIN));
        let place = quadric.minimizer_within(spread, low, high);
        let kept = quadric.error(place);
        if kept > LOST && (place.cmple(low).any() || place.cmpge(high).any()) {
            let free = quadric.minimizer(FREE_SPREAD);
            let error = quadric.error(free);
            let near = free.cmpgt(DVec3::splat(-1.0)).all() && free.cmplt(DVec3::splat(2.0)).all();
            if near && error < (0.1 * kept).min(AGREES) {
                self.offer(complex, index, free, !quadric.is_corner(), error);
            }
        }
        self.places.push(Some(point(min) + rounded_in(place * f64::from(size), size)));
        self.quadrics.push(quadric);
    }

    /// Offers a place, in units of the loop's leaf, to the leaf around one of its edges that holds it.
    fn offer(&mut self, complex: &Complex, index: usize, place: DVec3, crease: bool, error: f64) {
        let own = complex.loops()[index].leaf;
        let Leaf { min, size, .. } = complex.leaves()[own as usize];
        let place = place * f64::from(size);
        let around = complex.loop_edges(index).iter().flat_map(|&edge| complex.edges()[edge as usize].around);
        for number in around.filter(|&number| number != ABSENT && number != own) {
            let leaf = complex.leaves()[number as usize];
            let from: [i32; 3] = std::array::from_fn(|axis| min[axis] - leaf.min[axis]);
            let in_leaf = (place + point(from)) / f64::from(leaf.size);
            if in_leaf.cmplt(DVec3::ZERO).any() || in_leaf.cmpge(DVec3::ONE).any() {
                continue;
            }
            let loops = complex.loops_of_leaf(number as usize);
            if loops.len() == 1 {
                let [x, y, z] = from;
                let to = loops.start as u32;
                self.offers.push(Offer { to, place: in_leaf, crease, error, from: [z, y, x] });
            }
            return;
        }
    }

    /// Gives each leaf the best of the offers that its own planes agree with.
    fn hand_over(&mut self, complex: &Complex) {
        let LoopVertices { places, quadrics, offers, adopted, .. } = self;
        offers.retain(|offer| {
            let to = offer.to as usize;
            let Leaf { min, size, .. } = complex.leaves()[complex.loops()[to].leaf as usize];
            let own = places[to].map_or(0.0, |at| quadrics[to].error((at - point(min)) / f64::from(size)));
            let within =
                offer.place.cmpge(DVec3::splat(MARGIN)) & offer.place.cmple(DVec3::splat(1.0 - MARGIN));
            within.all() && quadrics[to].error(offer.place) <= own.min(LOST) + AGREES
        });
        offers.sort_unstable_by(Offer::order);
        offers.dedup_by_key(|offer| offer.to);
        *adopted = offers.len() as u32;
        for offer in offers.iter() {
            let Leaf { min, size, .. } = complex.leaves()[complex.loops()[offer.to as usize].leaf as usize];
            places[offer.to as usize] = Some(point(min) + rounded(offer.place) * f64::from(size));
        }
    }
}

/// Whether all leaves that could have made the loop an offer are in the patch.
fn is_known(complex: &Complex, index: usize) -> bool {
    let leaf = complex.loops()[index].leaf as usize;
    let complete =
        |leaf: u32| complex.leaves().get(leaf as usize).is_some_and(|leaf| leaf.complete || leaf.beyond);
    complex.loops_of_leaf(leaf).len() > 1
        || complex
            .loop_edges(index)
            .iter()
            .all(|&edge| complex.edges()[edge as usize].around.into_iter().all(complete))
}
