//! Unions of many small solids, and which of them matter near a place.
//!
//! The value of a union is the least of its parts' values. Over a box, a part whose least possible value is above the
//! greatest possible value of another is nowhere the least, so it can be left out: the minimum keeps its bits, and, as
//! ties are never left out and the order is kept, its gradient too. What is possible in f32 differs from what is
//! possible by a few roundings; parts are left out only where the gap is wider than that ([`Around::margin`]).
//!
//! Parts are found by a packed tree of boxes (N. Roussopoulos and D. Leifker, "Direct Spatial Search on Pictorial
//! Databases Using Packed R-Trees", SIGMOD 1985): they are sorted once so that neighbours lie near each other, here by
//! halving along the longest side, [`GROUP`] neighbours at a time share a box, [`GROUP`] boxes share one, and so on. There
//! are no pointers.

#[cfg(test)]
pub(crate) mod tests;

use std::sync::Arc;

use glam::{DVec3, Vec3};
use weald_space::Aabb;

use crate::algebra::{Algebra, Enclosure};
use crate::error::FieldError;
use crate::term::require;

/// The most parts that one union may have.
pub(crate) const MAX_PARTS: usize = 1 << 24;

/// Coordinates may be this many metres from the origin: further out f32 resolves less than 3 cm.
pub(crate) const MOST_AWAY: f32 = 262_144.0;
pub(crate) const AWAY: &str = "from -262144 to 262144";

/// Parts in the lowest boxes, and boxes in a box. A box of few holds less that is not near, and there are more boxes to
/// look at; 4 was not compared with others.
const GROUP: usize = 4;

/// Levels of boxes above [`MAX_PARTS`] parts.
const MAX_LEVELS: usize = 12;

/// The most parts that a subset keeps a copy of. For more, the whole union is nearly as fast, since its tree finds them,
/// and looking for more would make pruning slow where it is of no use: in large boxes and far from everything.
const MOST_CHOSEN: usize = 512;

/// Checks the number of parts of a union.
pub(crate) fn check_count(op: &'static str, count: usize) -> Result<(), FieldError> {
    let holds = |count: f64| (1.0..=MAX_PARTS as f64).contains(&count);
    require(op, "number of parts", [count as f64], holds, "from 1 to 2^24")
}

/// Checks numbers of one of the parts.
pub(crate) fn check_part<const N: usize>(
    op: &'static str,
    name: &'static str,
    index: usize,
    values: [f64; N],
    holds: impl Fn(f64) -> bool,
    limit: &'static str,
) -> Result<(), FieldError> {
    match values.into_iter().find(|&value| !holds(value)) {
        Some(value) => Err(FieldError::Part { op, index, name, value, limit }),
        None => Ok(()),
    }
}

/// A solid that is a part of a union.
pub(crate) trait Volume: Copy {
    /// What holds for the solid as a whole.
    fn hull(&self) -> Hull;
    /// Every value over a box, up to [`Around::margin`]; perhaps nothing, if all are above the limit.
    fn bounds(&self, around: &Around, limit: f32) -> Option<Enclosure>;
}

/// What holds for a solid as a whole.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Hull {
    /// The lowest corner of a box around it.
    pub(crate) min: [f32; 3],
    /// The highest corner.
    pub(crate) max: [f32; 3],
    /// No value is less than minus this.
    pub(crate) depth: f32,
    /// Outside the box no value is less than this times the distance from the box.
    pub(crate) slope: f32,
}

impl Hull {
    fn union(self, other: Hull) -> Hull {
        Hull {
            min: [0, 1, 2].map(|i| f32::min(self.min[i], other.min[i])),
            max: [0, 1, 2].map(|i| f32::max(self.max[i], other.max[i])),
            depth: f32::max(self.depth, other.depth),
            slope: f32::min(self.slope, other.slope),
        }
    }

    /// The box in the world, for coordinates that count from `origin`.
    pub(crate) fn aabb(&self, origin: DVec3) -> Aabb {
        let corner = |corner: [f32; 3]| origin + Vec3::from_array(corner).as_dvec3();
        Aabb::new(corner(self.min), corner(self.max))
    }

    /// No value in the other box is less, up to the margin.
    #[inline(always)]
    pub(crate) fn least(&self, around: &Around) -> f32 {
        let mut square = 0.0;
        for axis in 0..3 {
            let gap = greater(self.min[axis] - around.max[axis], around.min[axis] - self.max[axis]);
            let gap = greater(gap, 0.0);
            square += gap * gap;
        }
        if square > 0.0 { square.sqrt() * self.slope } else { -self.depth }
    }
}

/// The greater of two numbers that are none of them NaN: one instruction, which [`f32::max`] is not.
#[inline(always)]
pub(crate) fn greater(a: f32, b: f32) -> f32 {
    if a > b { a } else { b }
}

/// The lesser of two such numbers.
#[inline(always)]
pub(crate) fn lesser(a: f32, b: f32) -> f32 {
    if a < b { a } else { b }
}

/// A box of places.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Around {
    pub(crate) min: [f32; 3],
    pub(crate) max: [f32; 3],
    pub(crate) centre: [f32; 3],
    /// From the centre to the sides.
    pub(crate) half: [f32; 3],
    /// From the centre to the corners.
    pub(crate) radius: f32,
    /// More than what rounding changes a value or a bound by.
    margin: f32,
}

/// Rounding changes values and bounds by less than this part of the coordinates that enter: some ten operations, each
/// off by up to 6e-8 of its result, with room.
const ROUNDING: f32 = 2e-6;

/// Beyond this many metres squares come near to the end of f32; boxes end there.
const FAR: f32 = 1e15;

impl Around {
    /// `size` is that of the coordinates that enter, `slope` the least of all hulls: the flatter a solid, the more a
    /// rounded coordinate changes its value.
    fn new(at: [Enclosure; 3], size: f32, slope: f32) -> Self {
        let min = at.map(|side| side.lo().clamp(-FAR, FAR));
        let max = at.map(|side| side.hi().clamp(-FAR, FAR));
        let centre = [0, 1, 2].map(|i| min[i] * 0.5 + max[i] * 0.5);
        let half = [0, 1, 2].map(|i| f32::max(max[i] - centre[i], centre[i] - min[i]));
        let reach = at.iter().fold(size, |reach, side| reach + side.magnitude().min(FAR));
        let radius = f32::length(half);
        Around { min, max, centre, half, radius, margin: reach * ROUNDING / slope }
    }

    /// The sides.
    pub(crate) fn at(&self) -> [Enclosure; 3] {
        [0, 1, 2].map(|axis| Enclosure::hull(self.min[axis], self.max[axis]))
    }
}

/// A part that may decide a value.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Candidate<V> {
    pub(crate) volume: V,
    number: u32,
    least: f32,
}

/// The parts of a union. Cheap to clone.
#[derive(Clone, Debug)]
pub(crate) struct Volumes<V>(Arc<Packed<V>>);

#[derive(Debug)]
struct Packed<V> {
    /// In the order of the tree.
    parts: Vec<V>,
    /// Their numbers in the order that they were given.
    numbers: Vec<u32>,
    /// Boxes around groups of parts, boxes around groups of these, and so on up to one box.
    levels: Vec<Vec<Hull>>,
    /// What the coordinates and sizes of all parts stay below.
    size: f32,
}

impl<V: Volume> Volumes<V> {
    /// From one to [`MAX_PARTS`] parts.
    pub(crate) fn new(parts: &[V]) -> Self {
        let size = parts.iter().map(Volume::hull).fold(0.0, |size, hull| {
            let ends = hull.min.iter().chain(&hull.max).map(|end| end.abs());
            ends.fold(f32::max(size, hull.depth), f32::max)
        });
        Volumes::packed(parts.len(), |part| (part as u32, parts[part]), size)
    }

    /// Sorts so many parts, which are given with their numbers, and puts boxes around them.
    fn packed(count: usize, named: impl Fn(usize) -> (u32, V), size: f32) -> Self {
        let hulls: Vec<Hull> = (0..count).map(|part| named(part).1.hull()).collect();
        let (numbers, parts): (Vec<u32>, Vec<V>) =
            order(&hulls).into_iter().map(|part| named(part as usize)).unzip();
        let merged = |boxes: &[Hull]| boxes[1..].iter().fold(boxes[0], |all, &hull| all.union(hull));
        let hulls: Vec<Hull> = parts.iter().map(Volume::hull).collect();
        let mut levels: Vec<Vec<Hull>> = vec![hulls.chunks(GROUP).map(merged).collect()];
        while let Some(last) = levels.last()
            && last.len() > 1
        {
            levels.push(last.chunks(GROUP).map(merged).collect());
        }
        Volumes(Arc::new(Packed { parts, numbers, levels, size }))
    }

    pub(crate) fn len(&self) -> usize {
        self.0.parts.len()
    }

    /// Their numbers, ascending.
    pub(crate) fn numbers(&self) -> Vec<u32> {
        let mut numbers = self.0.numbers.clone();
        numbers.sort_unstable();
        numbers
    }

    /// Appends which parts there are, if they are not all.
    pub(crate) fn encode(&self, is_pruned: bool, out: &mut Vec<u8>) {
        let numbers = if is_pruned { self.numbers() } else { Vec::new() };
        out.extend_from_slice(&(numbers.len() as u32).to_le_bytes());
        numbers.iter().for_each(|number| out.extend_from_slice(&number.to_le_bytes()));
    }

    /// What holds for all of them.
    pub(crate) fn hull(&self) -> Hull {
        self.0.levels[self.0.levels.len() - 1][0]
    }

    fn around(&self, at: [Enclosure; 3]) -> Around {
        Around::new(at, self.0.size, self.hull().slope)
    }

    /// Visits the parts nearest to a box, the nearer groups first, but none of which the least value is sure to be above
    /// the limit that the last visit gave.
    #[inline(always)]
    fn search(&self, around: &Around, mut visit: impl FnMut(usize) -> f32) {
        let Packed { parts, levels, .. } = &*self.0;
        let mut limit = f32::INFINITY;
        let mut stack = [(0.0_f32, 0_u32, 0_u32); MAX_LEVELS * GROUP];
        let top = levels.len() - 1;
        let mut height = 1;
        stack[0] = (levels[top][0].least(around), top as u32, 0);
        while height > 0 {
            height -= 1;
            let (least, level, number) = stack[height];
            if least > limit {
                continue;
            }
            let first = number as usize * GROUP;
            if level == 0 {
                for part in first..parts.len().min(first + GROUP) {
                    limit = visit(part);
                }
                continue;
            }
            let below = &levels[level as usize - 1];
            let bottom = height;
            for (offset, hull) in below[first..below.len().min(first + GROUP)].iter().enumerate() {
                let least = hull.least(around);
                if least > limit {
                    continue;
                }
                let mut place = height;
                while place > bottom && stack[place - 1].0 < least {
                    stack[place] = stack[place - 1];
                    place -= 1;
                }
                stack[place] = (least, level - 1, (first + offset) as u32);
                height += 1;
            }
        }
    }

    /// Every value of the union over a box.
    ///
    /// What is not visited is above the least value that is possible, and can only bring the greatest one down.
    pub(crate) fn bounds(&self, at: [Enclosure; 3]) -> Enclosure {
        let around = self.around(at);
        let (mut lo, mut hi) = (f32::INFINITY, f32::INFINITY);
        self.search(&around, |part| {
            if let Some(bounds) = self.0.parts[part].bounds(&around, lo) {
                (lo, hi) = (f32::min(lo, bounds.lo()), f32::min(hi, bounds.hi()));
            }
            lo
        });
        Enclosure::hull(lo - around.margin, hi + around.margin)
    }

    /// Finds the parts that can decide the value somewhere in a box: each that is found goes to `found`, with the limit
    /// that is known by then, and those of which the least value is above the limit that is returned do not count.
    /// Ends early when `found` says so.
    #[inline(always)]
    fn candidates(&self, around: &Around, mut found: impl FnMut(usize, f32, f32) -> bool) -> f32 {
        let mut limit = f32::INFINITY;
        self.search(around, |part| {
            if let Some(bounds) = self.0.parts[part].bounds(around, limit) {
                limit = f32::min(limit, bounds.hi() + 2.0 * around.margin);
                if bounds.lo() <= limit && !found(part, bounds.lo(), limit) {
                    return f32::NEG_INFINITY;
                }
            }
            limit
        });
        limit
    }

    /// Lists the parts that can decide the value somewhere in a box, in ascending order of their numbers.
    pub(crate) fn gather(&self, at: [Enclosure; 3], list: &mut Vec<Candidate<V>>) {
        let around = self.around(at);
        let Packed { parts, numbers, .. } = &*self.0;
        let limit = self.candidates(&around, |part, least, _| {
            list.push(Candidate { volume: parts[part], number: numbers[part], least });
            true
        });
        list.retain(|candidate| candidate.least <= limit);
        list.sort_unstable_by_key(|candidate| candidate.number);
    }

    /// The union of the parts that can decide the value somewhere in a box; nothing, if these are too many to be worth
    /// it.
    pub(crate) fn pruned(&self, at: [Enclosure; 3]) -> Option<Self> {
        let around = self.around(at);
        let Packed { parts, numbers, size, .. } = &*self.0;
        let most = MOST_CHOSEN.min(self.len() - 1);
        let mut chosen: Vec<(u32, f32)> = Vec::new();
        let limit = self.candidates(&around, |part, least, limit| {
            chosen.push((part as u32, least));
            if chosen.len() <= 2 * most {
                return true;
            }
            chosen.retain(|&(_, least)| least <= limit);
            chosen.len() <= most
        });
        chosen.retain(|&(_, least)| least <= limit);
        if chosen.len() > most {
            return None;
        }
        chosen.sort_unstable_by_key(|&(part, _)| part);
        let named = |choice: usize| {
            let part = chosen[choice].0 as usize;
            (numbers[part], parts[part])
        };
        Some(Volumes::packed(chosen.len(), named, *size))
    }
}

/// The numbers of the boxes in an order in which groups lie close together.
///
/// Runs are halved across the longest side of their middles until they are groups, each time at a whole number of the
/// largest groups of groups that fit, so that no box is wasted.
fn order(hulls: &[Hull]) -> Vec<u32> {
    let middle = |number: u32, axis: usize| {
        let hull = &hulls[number as usize];
        hull.min[axis] * 0.5 + hull.max[axis] * 0.5
    };
    let mut order: Vec<u32> = (0..hulls.len() as u32).collect();
    let all = 0..order.len();
    let mut runs = vec![all];
    while let Some(range) = runs.pop() {
        let run = &mut order[range.clone()];
        if run.len() <= GROUP {
            continue;
        }
        let side = |axis: usize| {
            let middles = run.iter().map(|&number| middle(number, axis));
            let (lo, hi) = middles.fold((f32::INFINITY, f32::NEG_INFINITY), |(lo, hi), at| {
                (f32::min(lo, at), f32::max(hi, at))
            });
            hi - lo
        };
        let sides = [side(0), side(1), side(2)];
        let axis = (0..3).fold(0, |longest, axis| if sides[axis] > sides[longest] { axis } else { longest });
        let mut unit = GROUP;
        while unit * GROUP < run.len() {
            unit *= GROUP;
        }
        let half = run.len().div_ceil(unit).div_ceil(2) * unit;
        run.select_nth_unstable_by(half, |&a, &b| {
            middle(a, axis).total_cmp(&middle(b, axis)).then(a.cmp(&b))
        });
        runs.push(range.start..range.start + half);
        runs.push(range.start + half..range.end);
    }
    order
}
