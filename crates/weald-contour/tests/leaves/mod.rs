//! Leaves of any sizes in a cube, the crossings of a field on their edges, and the mesh of their embedding.
#![allow(dead_code, reason = "each test binary uses what it needs")]

use std::collections::BTreeMap;

use glam::{DVec3, I64Vec3, Vec3};
use weald_contour::complex::{ABSENT, Complex, CrossedEdge, Leaf};
use weald_contour::embed::{Corner, Embedding, Given, LoopVertices, place_loops};
use weald_field::{Domain, EvalScratch, Expr, Grid, NoiseSettings, Tape};
use weald_mesh::{MaterialId, Mesh};
use weald_space::{Axis, Lattice, Seed, VoxelPos, WorldPos};
use weald_testkit::shape::{half_spaces, torus, turn};

/// Leaves that fill the cube from 0 to `side`, in finest cells.
pub(crate) struct Layout {
    pub(crate) side: i32,
    pub(crate) leaves: Vec<Leaf>,
    cells: Vec<u32>,
}

impl Layout {
    fn new(side: i32) -> Self {
        Layout { side, leaves: Vec::new(), cells: vec![ABSENT; (side * side * side) as usize] }
    }

    fn put(&mut self, min: [i32; 3], size: i32) {
        let number = self.leaves.len() as u32;
        self.leaves.push(Leaf { min, size, complete: true, beyond: false });
        for [x, y, z] in cells(size) {
            let cell = self.cell([min[0] + x, min[1] + y, min[2] + z]);
            self.cells[cell] = number;
        }
    }

    /// Chunks of `chunk` finest cells a side, each cut into cells of the size that `size_of` gives for its number.
    pub(crate) fn chunks(side: i32, chunk: i32, size_of: impl Fn(usize) -> i32) -> Self {
        let mut layout = Layout::new(side);
        for (number, at) in cells(side / chunk).enumerate() {
            let size = size_of(number);
            for [x, y, z] in cells(chunk / size) {
                let offset = [x, y, z].map(|c| c * size);
                layout.put(std::array::from_fn(|i| at[i] * chunk + offset[i]), size);
            }
        }
        layout
    }

    /// A random octree, of which nothing is asked but that no leaf is larger than `largest`.
    pub(crate) fn octree(side: i32, largest: i32, seed: u64) -> Self {
        let mut layout = Layout::new(side);
        let mut draw = Seed::new(seed).child("octree").at(I64Vec3::ZERO, 0, 0);
        let mut open = vec![([0; 3], side)];
        while let Some((min, size)) = open.pop() {
            let chance = match size {
                8 => 0.9,
                4 => 0.65,
                _ => 0.45,
            };
            if size > largest || (size > 1 && draw.chance(chance)) {
                let half = size / 2;
                open.extend(cells(2).map(|at| (std::array::from_fn(|i| min[i] + at[i] * half), half)));
            } else {
                layout.put(min, size);
            }
        }
        layout
    }

    fn cell(&self, [x, y, z]: [i32; 3]) -> usize {
        ((z * self.side + y) * self.side + x) as usize
    }

    /// The leaf that holds a finest cell.
    pub(crate) fn leaf_at(&self, at: [i32; 3]) -> Option<u32> {
        at.iter().all(|c| (0..self.side).contains(c)).then(|| self.cells[self.cell(at)])
    }

    /// The minimal edges whose ends differ, as yet without Hermite data.
    fn crossed(&self, inside: impl Fn([i32; 3]) -> bool) -> Vec<CrossedEdge> {
        let mut edges = Vec::new();
        for leaf in &self.leaves {
            for axis in Axis::ALL {
                let (u, v) = axis.across();
                for corner in 0..4 {
                    let mut low = leaf.min;
                    low[u.index()] += (corner & 1) * leaf.size;
                    low[v.index()] += (corner >> 1) * leaf.size;
                    let mut high = low;
                    high[axis.index()] += leaf.size;
                    let inside_low = inside(low);
                    if inside_low == inside(high) {
                        continue;
                    }
                    let around = |along: i32| {
                        [(-1, -1), (0, -1), (0, 0), (-1, 0)].map(|(du, dv)| {
                            let mut at = low;
                            at[axis.index()] += along;
                            at[u.index()] += du;
                            at[v.index()] += dv;
                            self.leaf_at(at).expect("the field is outside at the walls")
                        })
                    };
                    let minimal = (0..leaf.size).all(|along| {
                        around(along).iter().all(|&other| self.leaves[other as usize].size >= leaf.size)
                    });
                    if minimal {
                        let (size, around) = (leaf.size, around(0));
                        let (t, normal) = (0.5, Vec3::ZERO);
                        edges.push(CrossedEdge { axis, low, size, around, inside_low, t, normal });
                    }
                }
            }
        }
        edges.sort_unstable_by_key(CrossedEdge::rank);
        edges.dedup_by_key(|edge| edge.rank());
        edges
    }

    /// The crossings of a field, whose places are multiples of 2⁻¹⁶ of their edges.
    pub(crate) fn crossings_of(&self, field: &Expr) -> Vec<CrossedEdge> {
        let tape = Tape::new(field).expect("a small expression");
        let points = (self.side + 1) as usize;
        let lattice = Lattice::new(1.0).expect("one metre");
        let grid = Grid { lattice, min: VoxelPos::new(0, 0, 0), dims: [points; 3] };
        let mut scratch = EvalScratch::default();
        let mut samples = vec![0.0; points * points * points];
        tape.sample(&grid, &mut scratch, &mut samples);
        let mut edges =
            self.crossed(|[x, y, z]| samples[(z as usize * points + y as usize) * points + x as usize] < 0.0);
        let mut spans = vec![(0, 1 << 16); edges.len()];
        let at = |edge: &CrossedEdge, steps: i32| {
            let mut place = DVec3::from_array(edge.low.map(f64::from));
            place[edge.axis.index()] += f64::from(edge.size) * f64::from(steps) / 65536.0;
            place
        };
        let (mut values, mut gradients) = (vec![0.0; edges.len()], vec![Vec3::ZERO; edges.len()]);
        for _ in 0..16 {
            let middles: Vec<DVec3> =
                edges.iter().zip(&spans).map(|(edge, (low, high))| at(edge, (low + high) / 2)).collect();
            tape.values(&middles, &mut scratch, &mut values);
            for ((edge, span), value) in edges.iter().zip(&mut spans).zip(&values) {
                let middle = (span.0 + span.1) / 2;
                if (*value < 0.0) == edge.inside_low {
                    span.0 = middle;
                } else {
                    span.1 = middle;
                }
            }
        }
        let places: Vec<DVec3> = edges.iter().zip(&spans).map(|(edge, span)| at(edge, span.0)).collect();
        tape.duals(&places, &mut scratch, &mut values, &mut gradients);
        for ((edge, span), gradient) in edges.iter_mut().zip(&spans).zip(&gradients) {
            edge.t = span.0 as f32 / 65536.0;
            let outward = if edge.inside_low { 1.0 } else { -1.0 };
            let along = Vec3::from_array(Axis::ALL.map(|axis| if axis == edge.axis { outward } else { 0.0 }));
            edge.normal = gradient.try_normalize().unwrap_or(along);
        }
        edges
    }

    /// Pure noise: any sign at any point but on the walls, any place on an edge, its ends among them, any normal.
    pub(crate) fn noise(&self, seed: u64) -> Vec<CrossedEdge> {
        let seed = Seed::new(seed).child("noise");
        let at = |p: [i32; 3]| I64Vec3::from_array(p.map(i64::from));
        let side = self.side;
        let mut edges =
            self.crossed(|p| p.iter().all(|&c| c != 0 && c != side) && seed.at(at(p), 0, 0).chance(0.5));
        for edge in &mut edges {
            let mut draw = seed.at(at(edge.low), 0, 1 + edge.axis.index() as u32);
            edge.t = (1.2 * draw.f32() - 0.1).clamp(0.0, 1.0);
            let normal = DVec3::new(draw.normal(), draw.normal(), draw.normal());
            edge.normal = normal.try_normalize().unwrap_or(DVec3::X).as_vec3();
        }
        edges
    }
}

/// The places in a cube of `side`, x fastest.
pub(crate) fn cells(side: i32) -> impl Iterator<Item = [i32; 3]> {
    (0..side * side * side).map(move |i| [i % side, i / side % side, i / side / side])
}

/// Everything that a patch goes through.
#[derive(Default)]
pub(crate) struct Made {
    pub(crate) complex: Complex,
    pub(crate) vertices: LoopVertices,
    pub(crate) embedding: Embedding,
}

impl Made {
    /// Embeds all polygons of some leaves.
    pub(crate) fn make(&mut self, leaves: &[Leaf], edges: &[CrossedEdge]) {
        self.complex.rebuild(leaves, edges).expect("leaves and crossings fit");
        place_loops(&self.complex, &mut self.vertices);
        let given = Given {
            places: &self.vertices.places,
            borrowed: &vec![false; self.complex.loops().len()],
            wanted: &vec![true; edges.len()],
        };
        self.embedding.rebuild(&self.complex, &given);
    }

    pub(crate) fn mesh(&self) -> Mesh {
        let mut mesh = Mesh::new(WorldPos::default());
        let mut index_of: BTreeMap<Corner, u32> = BTreeMap::new();
        for triangle in &self.embedding.triangles {
            let corners = triangle.map(|corner| {
                *index_of.entry(corner).or_insert_with(|| {
                    let place = self.embedding.place(corner).expect("a corner has a place").as_vec3();
                    mesh.push_vertex(place, Vec3::Z, MaterialId(0))
                })
            });
            mesh.triangles.push(corners);
        }
        mesh
    }
}

/// The fields, each within a box 0.63 cells inside the cube.
pub(crate) const FIELDS: [&str; 6] = ["sphere", "box", "torus", "carved box", "gyroid", "fBm"];

pub(crate) fn field(name: &str, side: i32) -> Expr {
    let n = f64::from(side);
    let centre = DVec3::splat(0.5 * n) + DVec3::new(0.137, 0.271, -0.193);
    let half = DVec3::new(0.29, 0.23, 0.26) * n;
    let angles = [17.0, 31.0, 5.0];
    let axes = turn(angles);
    let solid = match name {
        "sphere" => Expr::sphere(centre, 0.34 * n),
        "box" => half_spaces(centre, angles, half),
        "torus" => torus(centre, axes[2], 0.27 * n, 0.12 * n),
        "carved box" => {
            let from_axes = |x: f64, y: f64, z: f64| axes[0] * x + axes[1] * y + axes[2] * z;
            let ball = Expr::sphere(centre + from_axes(0.2 * n, 0.16 * n, 0.18 * n), 0.2 * n);
            half_spaces(centre, angles, half).max(&-ball).min(&Expr::cylinder(
                centre,
                axes[2],
                0.09 * n,
                0.38 * n,
            ))
        }
        "gyroid" => {
            // `wave` of a quarter more is the cosine.
            let phase = |axis: Expr| axis * (2.3 / n) as f32;
            let sine = |e: &Expr| e.wave();
            let cosine = |e: &Expr| (e.clone() + 0.25).wave();
            let [x, y, z] = [phase(Expr::x()), phase(Expr::y()), phase(Expr::z())];
            let sum = sine(&x) * cosine(&y) + sine(&y) * cosine(&z) + sine(&z) * cosine(&x);
            (sum + 0.11) * (n / (2.3 * std::f64::consts::TAU)) as f32
        }
        _ => {
            let noise = Expr::noise(&NoiseSettings {
                domain: Domain::Space,
                origin: DVec3::new(7.3, 3.1, 9.7),
                wavelength: 0.5 * n,
                octaves: 5,
                amplitude: 0.35 * n,
                seed: Seed::new(4),
                ..NoiseSettings::default()
            });
            Expr::plane(DVec3::Z * 0.5 * n, DVec3::Z) + noise
        }
    };
    let wall = half_spaces(DVec3::splat(0.5 * n), [0.0; 3], DVec3::splat(0.5 * n - 0.63));
    solid.max(&wall)
}
