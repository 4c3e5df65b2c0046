//! Where rays go: even patterns over disks, turned differently in each pixel.
//!
//! The turn of a pixel is a rank-1 lattice over the picture (the R2 sequence of Roberts 2018, as integers), whose
//! neighbours differ as much as they can. A filter over a few pixels then sees an even pattern of many rays, where
//! random turns would leave blotches.

use glam::{Vec2, Vec3};
use weald_space::ops;

const TURNS: usize = 1024;

/// Points of a sunflower in the unit disk (Vogel 1979), with a table of turns.
pub(super) struct Disk {
    /// Unit vectors by the golden angle; one a point.
    spokes: Vec<Vec2>,
    turns: Vec<Vec2>,
}

impl Disk {
    pub(super) fn new(points: u32) -> Self {
        let unit = |angle: f64| Vec2::new(ops::cos(angle) as f32, ops::sin(angle) as f32);
        let golden = std::f64::consts::PI * (3.0 - 5.0_f64.sqrt());
        Disk {
            spokes: (0..points).map(|i| unit(golden * f64::from(i))).collect(),
            turns: (0..TURNS).map(|i| unit(std::f64::consts::TAU * i as f64 / TURNS as f64)).collect(),
        }
    }

    pub(super) fn len(&self) -> usize {
        self.spokes.len()
    }

    /// Point `i` of the pattern, turned and shifted outwards by `(turn, shift)`, each a share of 2³².
    pub(super) fn point(&self, i: usize, (turn, shift): (u32, u32)) -> Vec2 {
        let by = self.turns[(turn >> 22) as usize];
        let radius = ((i as f32 + unit_float(shift)) / self.spokes.len() as f32).sqrt();
        by.rotate(self.spokes[i]) * radius
    }
}

/// The turn and shift of a pixel; `stream` keeps purposes apart.
pub(super) fn pixel_turn(x: u32, y: u32, stream: u32) -> (u32, u32) {
    let lattice = x.wrapping_mul(3_242_174_889).wrapping_add(y.wrapping_mul(2_447_445_414));
    let turn = lattice.wrapping_add(stream.wrapping_mul(0x9e37_79b9));
    (turn, hash(x.wrapping_add(y.wrapping_mul(0x1_0001)) ^ stream.wrapping_mul(0x85eb_ca6b)))
}

/// The upper 24 bits as a number from 0 to below 1.
pub(super) fn unit_float(bits: u32) -> f32 {
    (bits >> 8) as f32 * (1.0 / 16_777_216.0)
}

/// Scrambles 32 bits, one to one: xor-shifts and multiplications with the constants that Wellons 2018 found to have
/// the least bias.
pub(super) fn hash(mut x: u32) -> u32 {
    x = (x ^ x >> 16).wrapping_mul(0x7feb_352d);
    x = (x ^ x >> 15).wrapping_mul(0x846c_a68b);
    x ^ x >> 16
}

/// A point of the unit disk lifted to the hemisphere about `up`: directions crowd where the cosine is large, as light
/// from an even sky counts (Malley's method).
pub(super) fn hemisphere(up: Vec3, disk: Vec2) -> Vec3 {
    let (right, ahead) = up.any_orthonormal_pair();
    let height = (1.0 - disk.length_squared()).max(0.0).sqrt();
    right * disk.x + ahead * disk.y + up * height
}

/// Smooth random values from -1 to 1 about the points of a unit lattice.
pub(super) fn value_noise(at: Vec3) -> f32 {
    let cell = at.floor();
    let f = at - cell;
    let s = f * f * (Vec3::splat(3.0) - 2.0 * f);
    let [x, y, z] = cell.to_array().map(|c| c as i32 as u32);
    let corner = |i: u32| {
        let key = hash(x.wrapping_add(i & 1))
            .wrapping_add(y.wrapping_add(i >> 1 & 1).wrapping_mul(0x9e37_79b9))
            .wrapping_add(z.wrapping_add(i >> 2).wrapping_mul(0xc2b2_ae35));
        2.0 * unit_float(hash(key)) - 1.0
    };
    let along_x = |i: u32| corner(i) + (corner(i | 1) - corner(i)) * s.x;
    let along_y = |i: u32| along_x(i) + (along_x(i | 2) - along_x(i)) * s.y;
    along_y(0) + (along_y(4) - along_y(0)) * s.z
}
