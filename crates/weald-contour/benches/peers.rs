//! Contouring against its peers, in one run on one thread: the ratio counts, not the milliseconds.
//!
//! - Given samples: 64³ cells against `fast-surface-nets`, which finds a mesh without sharp features in the same block.
//! - Field and mesh: 64³ cells of a sphere, a solid and rough ground, against `fidget` (JIT) and `isosurface` (dual
//!   contouring), where they can do it.
//!
//! Peers take turns, round by round, so that what else the machine does hits them alike; a figure is the median round.

use std::hint::black_box;
use std::time::Instant;

use fast_surface_nets::ndshape::{ConstShape, ConstShape3u32};
use fast_surface_nets::{SurfaceNetsBuffer, surface_nets};
use glam::DVec3;
use weald_contour::block::Block;
use weald_contour::{Scratch, contour_block, contour_samples};
use weald_field::{EvalScratch, Expr, Grid, Tape};
use weald_space::{Lattice, VoxelPos};

const CELLS: usize = 64;
const ROUNDS: usize = 31;

fn main() {
    // `cargo test --benches` runs the target too, with this flag; one round shows that it works.
    let rounds = if std::env::args().any(|argument| argument == "--bench") { ROUNDS } else { 1 };
    println!("{:<34}{:>12}{:>12}{:>9}{:>12}", "64³ cells", "weald ms", "peer ms", "ratio", "triangles");
    for (name, field) in fields() {
        given_samples(name, &field, rounds);
    }
    for (name, field) in fields() {
        field_and_mesh(name, &field, rounds);
    }
}

fn fields() -> Vec<(&'static str, Expr)> {
    let centre = DVec3::new(32.3, 31.6, 32.1);
    let solid = Expr::cuboid(centre, DVec3::new(20.0, 16.0, 18.0), 0.0)
        .max(&-Expr::sphere(centre + DVec3::new(13.0, 10.0, 12.0), 13.0))
        .min(&Expr::cylinder(centre, DVec3::Z, 6.0, 25.0));
    vec![
        ("sphere", Expr::sphere(centre, 24.0)),
        ("solid", solid),
        ("ground", weald_testkit::world::rough_ground(5, 32.0)),
    ]
}

fn block() -> (Block, Lattice) {
    let block = Block::new(VoxelPos::new(0, 0, 0), [CELLS; 3]).expect("64 cells are allowed");
    (block, Lattice::new(1.0).expect("one metre is a power of two"))
}

/// Median milliseconds of each contender, taking turns.
fn medians<const N: usize>(rounds: usize, mut contenders: [&mut dyn FnMut() -> usize; N]) -> [f64; N] {
    let mut times = [const { Vec::new() }; N];
    for round in 0..=rounds {
        for (contender, times) in contenders.iter_mut().zip(&mut times) {
            let start = Instant::now();
            black_box(contender());
            if round > 0 {
                times.push(start.elapsed().as_secs_f64() * 1e3);
            }
        }
    }
    times.map(|mut times| {
        times.sort_by(f64::total_cmp);
        times[times.len() / 2]
    })
}

fn row(what: &str, [weald, peer]: [f64; 2], triangles: [usize; 2]) {
    let ratio = weald / peer;
    println!(
        "{what:<34}{weald:>12.3}{peer:>12.3}{ratio:>8.2}×{:>12}",
        format!("{}/{}", triangles[0], triangles[1])
    );
}

/// The samples of a block with its halo, and those of the peer's block of the same cells.
fn given_samples(name: &str, field: &Expr, rounds: usize) {
    type Shape = ConstShape3u32<65, 65, 65>;
    let (block, lattice) = block();
    let tape = Tape::new(field).expect("a small expression");
    let mut samples = vec![0.0; block.padded_points().iter().product()];
    let grid = Grid { lattice, min: block.padded_min(), dims: block.padded_points() };
    tape.sample(&grid, &mut EvalScratch::default(), &mut samples);
    let mut peer_samples = vec![0.0; Shape::USIZE];
    let grid = Grid { lattice, min: block.min, dims: [CELLS + 1; 3] };
    tape.sample(&grid, &mut EvalScratch::default(), &mut peer_samples);

    let (mut scratch, mut buffer) = (Scratch::default(), SurfaceNetsBuffer::default());
    let mut weald = || {
        let mesh = contour_samples(lattice, &block, &samples, &mut scratch).expect("finite samples");
        mesh.triangles.len()
    };
    let mut peer = || {
        surface_nets(&peer_samples, &Shape {}, [0; 3], [CELLS as u32; 3], &mut buffer);
        buffer.indices.len() / 3
    };
    let triangles = [weald(), peer()];
    let times = medians(rounds, [&mut weald, &mut peer]);
    row(&format!("{name}, samples: fast-surface-nets"), times, triangles);
}

fn field_and_mesh(name: &str, field: &Expr, rounds: usize) {
    let (block, lattice) = block();
    let tape = Tape::new(field).expect("a small expression");
    let mut scratch = Scratch::default();
    let mut weald = || {
        let mesh = contour_block(&tape, lattice, &block, &mut scratch).expect("a finite field");
        mesh.triangles.len()
    };
    if let Some(shape) = peers::fidget_shape(name) {
        let mut fidget = || peers::fidget_mesh(&shape);
        let triangles = [weald(), fidget()];
        row(&format!("{name}, field: fidget (JIT)"), medians(rounds, [&mut weald, &mut fidget]), triangles);
    }
    let mut isosurface = || peers::isosurface_mesh(name, CELLS);
    let triangles = [weald(), isosurface()];
    row(&format!("{name}, field: isosurface"), medians(rounds, [&mut weald, &mut isosurface]), triangles);
}

/// The same shapes in the peers' own terms, scaled to their cubes.
mod peers {
    use fidget::context::Tree;
    use fidget::jit::JitShape;
    use fidget::mesh::{Octree, Settings};
    use isosurface::DualContouring;
    use isosurface::distance::Signed;
    use isosurface::extractor::IndexedVertices;
    use isosurface::feature::MinimiseQEF;
    use isosurface::math::Vec3;
    use isosurface::sampler::Sampler;
    use isosurface::source::{CentralDifference, ScalarSource};

    /// `fidget` meshes the cube from -1 to 1; it has no noise.
    pub(super) fn fidget_shape(name: &str) -> Option<JitShape> {
        let at = |centre: [f32; 3]| {
            let axis = |tree: Tree, c: f32| tree - (c / 32.0 - 1.0);
            [axis(Tree::x(), centre[0]), axis(Tree::y(), centre[1]), axis(Tree::z(), centre[2])]
        };
        let sphere = |centre: [f32; 3], radius: f32| {
            let [x, y, z] = at(centre);
            (x.square() + y.square() + z.square()).sqrt() - radius / 32.0
        };
        let centre = [32.3, 31.6, 32.1];
        let shape = match name {
            "sphere" => sphere(centre, 24.0),
            "solid" => {
                let [x, y, z] = at(centre);
                let side = |tree: &Tree, half: f32| tree.abs() - half / 32.0;
                let cuboid = side(&x, 20.0).max(side(&y, 16.0)).max(side(&z, 18.0));
                let column = ((x.square() + y.square()).sqrt() - 6.0 / 32.0).max(side(&z, 25.0));
                cuboid.max(-sphere([45.3, 41.6, 44.1], 13.0)).min(column)
            }
            _ => return None,
        };
        Some(JitShape::from(shape))
    }

    pub(super) fn fidget_mesh(shape: &JitShape) -> usize {
        let bound = shape.clone().try_into().expect("the shape has no variables");
        let settings = Settings { depth: 6, threads: None, ..Default::default() };
        let octree = Octree::build(&bound, &settings).expect("nothing cancels it");
        octree.walk_dual().triangles.len()
    }

    struct Source(fn([f32; 3]) -> f32);

    impl ScalarSource for Source {
        fn sample_scalar(&self, p: Vec3) -> Signed {
            Signed((self.0)([p.x * 64.0, p.y * 64.0, p.z * 64.0]))
        }
    }

    /// `isosurface` meshes the cube from 0 to 1.
    pub(super) fn isosurface_mesh(name: &str, cells: usize) -> usize {
        let field = match name {
            "sphere" => sphere,
            "solid" => solid,
            _ => ground,
        };
        let source = CentralDifference::new_with_epsilon(Source(field), 1e-4);
        let (mut vertices, mut indices) = (Vec::new(), Vec::new());
        let mut extractor = IndexedVertices::new(&mut vertices, &mut indices);
        let mut contouring = DualContouring::new(cells, MinimiseQEF {});
        contouring.extract(&Sampler::new(&source), &mut extractor);
        indices.len() / 3
    }

    fn distance(p: [f32; 3], centre: [f32; 3]) -> f32 {
        let d = [p[0] - centre[0], p[1] - centre[1], p[2] - centre[2]];
        (d[0] * d[0] + d[1] * d[1] + d[2] * d[2]).sqrt()
    }

    fn sphere(p: [f32; 3]) -> f32 {
        distance(p, [32.3, 31.6, 32.1]) - 24.0
    }

    fn solid(p: [f32; 3]) -> f32 {
        let [x, y, z] = [p[0] - 32.3, p[1] - 31.6, p[2] - 32.1];
        let cuboid = (x.abs() - 20.0).max(y.abs() - 16.0).max(z.abs() - 18.0);
        let column = ((x * x + y * y).sqrt() - 6.0).max(z.abs() - 25.0);
        cuboid.max(13.0 - distance(p, [45.3, 41.6, 44.1])).min(column)
    }

    /// Gradient noise in four octaves about a plane, as the field's rough ground, one point at a time.
    fn ground(p: [f32; 3]) -> f32 {
        let (mut sum, mut amplitude, mut frequency) = (p[2] - 32.0, 12.0, 1.0 / 40.0);
        for octave in 0..4 {
            sum += amplitude * noise(p.map(|c| c * frequency), octave);
            amplitude *= 0.55;
            frequency *= 2.0;
        }
        sum
    }

    fn noise(p: [f32; 3], seed: u32) -> f32 {
        let base = p.map(f32::floor);
        let part = [0, 1, 2].map(|i| p[i] - base[i]);
        let fade = part.map(|t| t * t * t * (t * (t * 6.0 - 15.0) + 10.0));
        let mut sum = 0.0;
        for corner in 0..8_u32 {
            let side = [corner & 1, corner >> 1 & 1, corner >> 2];
            let cell = [0, 1, 2].map(|i| (base[i] as i32 + side[i] as i32) as u32);
            let mixed = cell[0].wrapping_mul(0x9E37_79B1)
                ^ cell[1].wrapping_mul(0x85EB_CA77)
                ^ cell[2].wrapping_mul(0xC2B2_AE3D)
                ^ seed;
            let hash = (mixed ^ mixed >> 15).wrapping_mul(0x2C1B_3C6D);
            let mut dot = 0.0;
            let mut weight = 1.0;
            for i in 0..3 {
                let slope = (hash >> (10 * i) & 1023) as f32 / 511.5 - 1.0;
                dot += slope * (part[i] - side[i] as f32);
                weight *= if side[i] == 1 { fade[i] } else { 1.0 - fade[i] };
            }
            sum += dot * weight;
        }
        sum
    }
}
