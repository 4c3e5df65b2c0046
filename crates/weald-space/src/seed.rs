//! Random numbers by label and position.
//!
//! A number depends on who asks ([`Seed::child`]) and on where, when and what for ([`Seed::at`]), never on what was
//! drawn before: so a part of the world equals the same part of the whole, on any number of threads or machines
//! (contract 6). The generator is Philox4x32 with ten rounds: J. K. Salmon, M. A. Moraes, R. O. Dror and D. E. Shaw,
//! "Parallel Random Numbers: As Easy as 1, 2, 3", SC 2011. It is a keyed bijection of 128-bit counters, checked here
//! with the known answers that its authors publish with Random123.
//!
//! A place and purpose has more bits than one counter, so it enters in two blocks, the second one added to the
//! encryption of the first (chaining, as in CBC-MAC); labels enter in the same way, eight bytes a block.
//!
//! ```
//! use glam::I64Vec3;
//! use weald_space::Seed;
//!
//! const HEIGHT: u32 = 0;
//! let forest = Seed::new(7).child("forest");
//! let tree = I64Vec3::new(120, -4, 0);
//! let height = forest.at(tree, 3, HEIGHT).range(12.0..30.0);
//! assert_eq!(height, forest.at(tree, 3, HEIGHT).range(12.0..30.0));
//! assert_ne!(height, forest.at(tree, 4, HEIGHT).range(12.0..30.0));
//! ```

use std::ops::Range;

use glam::I64Vec3;

use crate::ops;

/// Set in the last word of every block of a label, so that no place gives the block of a label.
const LABEL_MARK: u32 = 0x6c61_6265;

/// The root of a family of random numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Seed(u64);

impl Seed {
    /// The seed that a world file names.
    #[must_use]
    pub const fn new(seed: u64) -> Self {
        Seed(seed)
    }

    /// The number that stands for this seed in keys and encodings: `Seed::new(seed.key()) == seed`.
    #[must_use]
    pub const fn key(self) -> u64 {
        self.0
    }

    /// An independent seed for what goes by this label.
    #[must_use]
    pub fn child(self, label: &str) -> Seed {
        let key = self.words();
        let length = label.len() as u32;
        let mut state = philox4x32([length, 0, 0, LABEL_MARK], key);
        for piece in label.as_bytes().chunks(8) {
            let mut bytes = [0; 8];
            bytes[..piece.len()].copy_from_slice(piece);
            let word = u64::from_le_bytes(bytes);
            state = philox4x32(xor(state, [word as u32, (word >> 32) as u32, 0, LABEL_MARK]), key);
        }
        Seed(u64::from(state[0]) | u64::from(state[1]) << 32)
    }

    /// The numbers for a cell, a step in time and a purpose. Each purpose needs its own number from its caller, so
    /// that what is drawn for one does not shift another.
    #[must_use]
    pub fn at(self, cell: I64Vec3, step: u32, purpose: u32) -> Draw {
        let key = self.words();
        let [x, y, z] = cell.to_array().map(|c| [c as u32, (c >> 32) as u32]);
        let flat = philox4x32([x[0], x[1], y[0], y[1]], key);
        let base = philox4x32(xor(flat, [z[0], z[1], step, purpose]), key);
        Draw { key, base, block: base, used: 0, count: 0 }
    }

    fn words(self) -> [u32; 2] {
        [self.0 as u32, (self.0 >> 32) as u32]
    }
}

/// The random numbers of one place, step and purpose, in order.
#[derive(Clone, Debug)]
pub struct Draw {
    key: [u32; 2],
    base: [u32; 4],
    block: [u32; 4],
    used: usize,
    count: u32,
}

impl Draw {
    /// Any 32 bits.
    pub fn u32(&mut self) -> u32 {
        if self.used == self.block.len() {
            self.count = self.count.wrapping_add(1);
            self.block = philox4x32(xor(self.base, [self.count, 0, 0, 0]), self.key);
            self.used = 0;
        }
        self.used += 1;
        self.block[self.used - 1]
    }

    /// Any 64 bits.
    pub fn u64(&mut self) -> u64 {
        u64::from(self.u32()) | u64::from(self.u32()) << 32
    }

    /// Uniform from 0 to below 1, a multiple of 2⁻²⁴.
    pub fn f32(&mut self) -> f32 {
        (self.u32() >> 8) as f32 * (1.0 / (1_u32 << 24) as f32)
    }

    /// Uniform from 0 to below 1, a multiple of 2⁻⁵³.
    pub fn f64(&mut self) -> f64 {
        (self.u64() >> 11) as f64 * (1.0 / (1_u64 << 53) as f64)
    }

    /// Uniform from the start to the end of the range (which rounding may reach).
    pub fn range(&mut self, range: Range<f64>) -> f64 {
        range.start + (range.end - range.start) * self.f64()
    }

    /// Uniform among 0 to `count` - 1; 0 where `count` is 0. Off from uniform by less than `count` / 2³².
    pub fn below(&mut self, count: u32) -> u32 {
        ((u64::from(self.u32()) * u64::from(count)) >> 32) as u32
    }

    /// Whether something happens that has this chance, from 0 (never) to 1 (always).
    pub fn chance(&mut self, probability: f64) -> bool {
        self.f64() < probability
    }

    /// Normally distributed with mean 0 and deviation 1, after Box and Muller (1958). Takes four words.
    pub fn normal(&mut self) -> f64 {
        let distance = ops::sqrt(-2.0 * ops::ln(1.0 - self.f64()));
        distance * ops::cos(std::f64::consts::TAU * self.f64())
    }
}

fn xor(a: [u32; 4], b: [u32; 4]) -> [u32; 4] {
    std::array::from_fn(|i| a[i] ^ b[i])
}

/// One block of Philox4x32-10: the encryption of a counter under a key.
///
/// ```
/// use weald_space::seed::philox4x32;
/// assert_eq!(philox4x32([0; 4], [0; 2])[0], 0x6627_e8d5);
/// ```
#[must_use]
pub fn philox4x32(counter: [u32; 4], key: [u32; 2]) -> [u32; 4] {
    let halves = |a: u32, b: u32| {
        let product = u64::from(a) * u64::from(b);
        ((product >> 32) as u32, product as u32)
    };
    let (mut c, mut k) = (counter, key);
    for _ in 0..10 {
        let (high0, low0) = halves(0xd251_1f53, c[0]);
        let (high1, low1) = halves(0xcd9e_8d57, c[2]);
        c = [high1 ^ c[1] ^ k[0], low1, high0 ^ c[3] ^ k[1], low0];
        k = [k[0].wrapping_add(0x9e37_79b9), k[1].wrapping_add(0xbb67_ae85)];
    }
    c
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn philox_gives_the_published_answers() {
        let known = [
            ([0; 4], [0; 2], [0x6627_e8d5, 0xe169_c58d, 0xbc57_ac4c, 0x9b00_dbd8]),
            ([!0; 4], [!0; 2], [0x408f_276d, 0x41c8_3b0e, 0xa20b_c7c6, 0x6d54_51fd]),
            (
                [0x243f_6a88, 0x85a3_08d3, 0x1319_8a2e, 0x0370_7344],
                [0xa409_3822, 0x299f_31d0],
                [0xd16c_fe09, 0x94fd_cceb, 0x5001_e420, 0x2412_6ea1],
            ),
        ];
        for (counter, key, answer) in known {
            assert_eq!(philox4x32(counter, key), answer);
        }
    }

    #[test]
    fn labels_and_places_are_told_apart() {
        let root = Seed::new(1);
        let mut seen = std::collections::BTreeSet::new();
        for label in
            ["", "a", "b", "ab", "ba", "a\0", "forest", "forest/oak", "a longer label than one block"]
        {
            assert!(seen.insert(root.child(label).key()), "{label:?} collides");
            assert!(seen.insert(root.child("x").child(label).key()), "x/{label:?} collides");
        }
        for (x, y, z, step, purpose) in [
            (0, 0, 0, 0, 0),
            (1, 0, 0, 0, 0),
            (0, 1, 0, 0, 0),
            (0, 0, 1, 0, 0),
            (0, 0, 0, 1, 0),
            (0, 0, 0, 0, 1),
            (1 << 32, 0, 0, 0, 0),
            (-1, 0, 0, 0, 0),
        ] {
            assert!(seen.insert(root.at(I64Vec3::new(x, y, z), step, purpose).u64()));
        }
    }

    #[test]
    fn uniform_numbers_fill_their_range_evenly() {
        let seed = Seed::new(3).child("test");
        let (mut bins, mut sum, mut squares) = ([0_u32; 16], 0.0, 0.0);
        let count = 40_000;
        for i in 0..count {
            let mut draw = seed.at(I64Vec3::new(i % 200, i / 200, 0), 0, 0);
            bins[(draw.f32() * 16.0) as usize] += 1;
            let normal = draw.normal();
            sum += normal;
            squares += normal * normal;
        }
        let expected = count as f64 / 16.0;
        let chi: f64 = bins.iter().map(|&n| (n as f64 - expected) * (n as f64 - expected) / expected).sum();
        assert!(chi < 40.0, "chi squared {chi} with 15 degrees of freedom");
        assert!((sum / count as f64).abs() < 0.02);
        assert!((squares / count as f64 - 1.0).abs() < 0.03);
    }

    proptest! {
        #[test]
        fn draws_stay_in_their_ranges(seed: u64, x: i64, y: i64, z: i64, n in 1_u32..) {
            let mut draw = Seed::new(seed).at(I64Vec3::new(x, y, z), 0, 0);
            for _ in 0..9 {
                prop_assert!((0.0..1.0).contains(&draw.f32()));
                prop_assert!((0.0..1.0).contains(&draw.f64()));
                prop_assert!((-2.0..=5.0).contains(&draw.range(-2.0..5.0)));
                prop_assert!(draw.below(n) < n);
                prop_assert!(draw.normal().is_finite());
            }
        }

        #[test]
        fn one_place_gives_one_sequence_whoever_draws_first(seed: u64, x: i64, step: u32, purpose: u32) {
            let seed = Seed::new(seed);
            let at = |dx: i64| seed.at(I64Vec3::new(x.wrapping_add(dx), 0, 0), step, purpose);
            let (mut a, mut b) = (at(0), at(1));
            let forward: Vec<_> = (0..9).map(|_| (a.u32(), b.u32())).collect();
            let (mut b, mut a) = (at(1), at(0));
            let seconds: Vec<_> = (0..9).map(|_| b.u32()).collect();
            let firsts: Vec<_> = (0..9).map(|_| a.u32()).collect();
            prop_assert_eq!(forward, firsts.into_iter().zip(seconds).collect::<Vec<_>>());
        }
    }
}
