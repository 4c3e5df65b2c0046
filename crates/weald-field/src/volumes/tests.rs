//! What holds for any union; [`crate::segments`] and [`crate::cloud`] say what theirs are.

use fearless_simd::{Level, Simd, dispatch};
use glam::{I64Vec3, Vec3};
use proptest::prelude::*;
use weald_space::Seed;

use crate::algebra::{Algebra, Dual, Enclosure, Lanes};
use crate::sweep::Sweep;

/// A union under test.
pub(crate) trait Union: Sized {
    fn scalars(&self, sweep: &mut Block<f32>);
    fn duals(&self, sweep: &mut Block<Dual>);
    fn lanes<S: Simd>(&self, sweep: &mut Block<Lanes<S>>);
    fn bounds(&self, at: [Enclosure; 3]) -> Enclosure;
    fn pruned(&self, at: [Enclosure; 3]) -> Option<Self>;
    fn len(&self) -> usize;
    /// The value and its gradient, from all parts one after the other.
    fn brute(&self, place: [Dual; 3]) -> Dual;
}

/// Carries out one op for places that are one block.
pub(crate) struct Block<'a, A: Algebra> {
    context: A::Context,
    places: &'a [[f32; 3]],
    load: fn(A::Context, &[[f32; 3]]) -> [A; 3],
    lanes: usize,
    out: Vec<A>,
    /// The length of the list that was gathered.
    gathered: usize,
}

impl<A: Algebra> Sweep<A> for Block<'_, A> {
    fn nullary(&mut self, _op: impl Fn(A::Context) -> A) {}
    fn unary(&mut self, _op: impl Fn(A) -> A) {}
    fn binary(&mut self, _op: impl Fn(A, A) -> A) {}
    fn ternary(&mut self, _op: impl Fn([A; 3]) -> A) {}
    #[inline(always)]
    fn gathered<T>(&mut self, gather: impl Fn([Enclosure; 3], &mut Vec<T>), op: impl Fn(&[T], [A; 3]) -> A) {
        let mut list = Vec::new();
        gather(hull(self.places), &mut list);
        self.gathered = list.len();
        for places in self.places.chunks_exact(self.lanes) {
            self.out.push(op(&list, (self.load)(self.context, places)));
        }
    }
}

/// The box around places.
pub(crate) fn hull(places: &[[f32; 3]]) -> [Enclosure; 3] {
    [0, 1, 2].map(|axis| {
        let (mut lo, mut hi) = (f32::INFINITY, f32::NEG_INFINITY);
        for place in places {
            (lo, hi) = (lo.min(place[axis]), hi.max(place[axis]));
        }
        Enclosure::hull(lo, hi)
    })
}

fn seeded(place: [f32; 3]) -> [Dual; 3] {
    [0, 1, 2].map(|axis| {
        let mut gradient = [0.0; 3];
        gradient[axis] = 1.0;
        Dual::new(place[axis], gradient)
    })
}

/// The values at places that are taken as one block, and how many parts were looked at.
pub(crate) fn scalars(union: &impl Union, places: &[[f32; 3]]) -> (Vec<f32>, usize) {
    let load = |(): (), places: &[[f32; 3]]| places[0];
    let mut block = Block { context: (), places, load, lanes: 1, out: Vec::new(), gathered: 0 };
    union.scalars(&mut block);
    (block.out, block.gathered)
}

fn duals(union: &impl Union, places: &[[f32; 3]]) -> Vec<Dual> {
    let load = |(): (), places: &[[f32; 3]]| seeded(places[0]);
    let mut block = Block { context: (), places, load, lanes: 1, out: Vec::new(), gathered: 0 };
    union.duals(&mut block);
    block.out
}

#[inline(always)]
fn lanes_of<S: Simd>(simd: S, union: &impl Union, places: &[[f32; 3]]) -> Vec<f32> {
    let load = |simd: S, places: &[[f32; 3]]| {
        [0, 1, 2].map(|axis| {
            let values: Vec<f32> = places.iter().map(|place| place[axis]).collect();
            Lanes::load(simd, &values)
        })
    };
    let lanes = Lanes::<S>::COUNT;
    let mut block = Block { context: simd, places, load, lanes, out: Vec::new(), gathered: 0 };
    union.lanes(&mut block);
    let mut out = vec![0.0; places.len()];
    for (out, lanes) in out.chunks_exact_mut(lanes).zip(block.out) {
        lanes.store(out);
    }
    out
}

/// The values by lanes, at each level that the machine has. The places fill the widest lanes.
fn by_lanes(union: &impl Union, places: &[[f32; 3]]) -> Vec<Vec<f32>> {
    let best = Level::new();
    let levels = [
        Some(best),
        best.as_avx2().map(Level::Avx2),
        best.as_sse4_2().map(Level::Sse4_2),
        best.as_sse2().map(Level::Sse2),
    ];
    let run = |level: Level| dispatch!(level, simd => lanes_of(simd, union, places));
    levels.into_iter().flatten().map(run).collect()
}

/// Uniform numbers from -1 to 1.
pub(crate) fn draws(seed: u64) -> impl FnMut() -> f32 {
    let mut stream = Seed::new(seed).at(I64Vec3::ZERO, 0, 0);
    move || stream.range(-1.0..1.0) as f32
}

/// Random places in a box, its corners among them.
pub(crate) fn places(seed: u64, centre: Vec3, half: Vec3, count: usize) -> Vec<[f32; 3]> {
    let mut draw = draws(seed);
    let corner = |i: usize| Vec3::new((i & 1) as f32, (i >> 1 & 1) as f32, (i >> 2 & 1) as f32) * 2.0 - 1.0;
    let mut part = |i: usize| if i < 8 { corner(i) } else { Vec3::new(draw(), draw(), draw()) };
    (0..count).map(|i| (centre + half * part(i)).to_array()).collect()
}

fn bits(values: impl IntoIterator<Item = f32>) -> Vec<u32> {
    values.into_iter().map(f32::to_bits).collect()
}

fn dual_bits(dual: &Dual) -> Vec<u32> {
    bits([dual.value, dual.gradient[0], dual.gradient[1], dual.gradient[2]])
}

/// A box to look at: somewhere, of any size and shape.
pub(crate) fn boxes() -> impl Strategy<Value = (Vec3, Vec3)> {
    let coordinate = || -80.0..80.0_f32;
    let half = || prop_oneof![Just(0.0_f32), 0.0..2.0_f32, 0.0..40.0_f32];
    ((coordinate(), coordinate(), coordinate()), (half(), half(), half()))
        .prop_map(|(centre, half)| (Vec3::from(centre), Vec3::from(half)))
}

/// What is left out changes no bit of a value or of a gradient, whatever block a place is in, in lanes and in subsets of
/// subsets; and bounds hold all values.
pub(crate) fn holds_what_unions_promise(
    union: &impl Union,
    (centre, half): (Vec3, Vec3),
    seed: u64,
) -> Result<(), TestCaseError> {
    let places = places(seed, centre, half, 48);
    let brute: Vec<Dual> = places.iter().map(|&place| union.brute(seeded(place))).collect();
    let expected: Vec<f32> = brute.iter().map(|dual| dual.value).collect();
    let culled = scalars(union, &places).0;
    prop_assert_eq!(bits(culled.iter().copied()), bits(expected.iter().copied()));
    for lanes in by_lanes(union, &places) {
        prop_assert_eq!(bits(lanes), bits(expected.iter().copied()));
    }
    for (dual, expected) in duals(union, &places).iter().zip(&brute) {
        prop_assert_eq!(dual_bits(dual), dual_bits(expected));
    }
    let bounds = union.bounds(hull(&places));
    for value in &expected {
        prop_assert!(bounds.0.contains(*value), "{} not in {:?}", value, bounds);
    }
    if let Some(subset) = union.pruned(hull(&places)) {
        prop_assert!(subset.len() < union.len());
        prop_assert_eq!(bits(scalars(&subset, &places).0), bits(expected.iter().copied()));
        let half = &places[..24];
        let again = subset.pruned(hull(half)).unwrap_or(subset);
        for (dual, expected) in duals(&again, half).iter().zip(&brute) {
            prop_assert_eq!(dual_bits(dual), dual_bits(expected));
        }
        let narrower = again.bounds(hull(half));
        for value in &expected[..24] {
            prop_assert!(narrower.0.contains(*value), "{} not in {:?}", value, narrower);
        }
    }
    Ok(())
}

#[test]
fn the_order_names_every_box_once_and_keeps_neighbours_together() {
    let mut draw = draws(3);
    for count in [1, 2, 3, 4, 5, 15, 16, 17, 64, 65, 1000] {
        let hulls: Vec<super::Hull> = (0..count)
            .map(|_| {
                let place = [draw() * 50.0, draw() * 50.0, draw() * 5.0];
                super::Hull { min: place, max: place, depth: 1.0, slope: 1.0 }
            })
            .collect();
        let order = super::order(&hulls);
        let mut sorted = order.clone();
        sorted.sort_unstable();
        assert_eq!(sorted, (0..count).collect::<Vec<u32>>());
        let span = |group: &[u32]| {
            let all = group.iter().map(|&n| hulls[n as usize]).reduce(super::Hull::union).expect("not empty");
            all.max[0] - all.min[0] + all.max[1] - all.min[1]
        };
        let mean = |order: &[u32]| order.chunks(super::GROUP).map(span).sum::<f32>();
        if count > 64 {
            assert!(
                mean(&order) < 0.4 * mean(&sorted),
                "{} is not much less than {}",
                mean(&order),
                mean(&sorted)
            );
        }
    }
}
