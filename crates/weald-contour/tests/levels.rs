//! Chunks of mixed levels and their seams are one closed surface that does not meet itself (docs/tests.md: T02, T15, T29).

mod region;

use std::collections::BTreeMap;

use glam::{DVec3, I64Vec3};
use region::Region;
use weald_contour::border::EMPTY;
use weald_contour::chunk::Chunk;
use weald_contour::{ContourError, Scratch, SeamScratch, contour_chunk, seam};
use weald_field::{Domain, Expr, NoiseSettings, Tape};
use weald_mesh::check::check;
use weald_space::{ChunkKey, Lattice, Lod, Seed, VoxelPos};
use weald_testkit::shape::{half_spaces, torus};

/// Eight chunks of the coarsest level, each cut into chunks of a level of its own; the chunks are contoured once.
struct Cuts {
    lattice: Lattice,
    tape: Tape,
    coarsest: u8,
    made: BTreeMap<ChunkKey, Chunk>,
    scratch: Scratch,
}

impl Cuts {
    fn new(expr: &Expr, coarsest: u8) -> Self {
        let lattice = Lattice::new(1.0).expect("a power of two");
        let tape = Tape::new(expr).expect("a small expression");
        Cuts { lattice, tape, coarsest, made: BTreeMap::new(), scratch: Scratch::default() }
    }

    /// The cut in which the chunk of the coarsest level at place `i` is cut into chunks of level `levels[i]`.
    fn region(&mut self, levels: [u8; 8]) -> Region {
        let coarsest = Lod::new(self.coarsest).expect("a level");
        let mut chunks = BTreeMap::new();
        for (root, level) in ChunkKey::at_level(coarsest, 0, 0, 0).with_max_side().into_iter().zip(levels) {
            let mut open = vec![root];
            while let Some(key) = open.pop() {
                if key.lod.index() > level {
                    open.extend(key.children().expect("not the finest"));
                    continue;
                }
                let Cuts { lattice, tape, made, scratch, .. } = self;
                let chunk = made
                    .entry(key)
                    .or_insert_with(|| contour_chunk(tape, *lattice, key, scratch).expect("a finite field"));
                chunks.insert(key, chunk.clone());
            }
        }
        Region::sewn(self.lattice, chunks).expect("tables of one field")
    }

    fn holds(&mut self, what: &str, levels: [u8; 8]) {
        let region = self.region(levels);
        let findings = check(&region.mesh());
        assert!(findings.is_clean(), "{what} at levels {levels:?}: {findings}");
        assert!(findings.is_closed() && findings.is_manifold(), "{what} at levels {levels:?}: {findings}");
        let stuck: u32 = region.seams.values().map(|seam| seam.counts.stuck).sum();
        assert_eq!(stuck, 0, "{what} at levels {levels:?}");
    }
}

/// Shapes in a cube of some cells, with nothing on a lattice point or plane.
fn shapes(side: f64) -> Vec<(&'static str, Expr)> {
    let centre = DVec3::new(0.5, 0.5, 0.5) * side + DVec3::new(0.137, 0.271, -0.193);
    let wall = Expr::cuboid(DVec3::splat(0.5 * side), DVec3::splat(0.5 * side - 5.63), 0.0);
    let cube = half_spaces(centre, [17.0, 31.0, 5.0], DVec3::new(0.29, 0.23, 0.26) * side);
    let solid = cube
        .difference(&Expr::sphere(centre + DVec3::new(0.2, 0.16, 0.18) * side, 0.2 * side))
        .union(&Expr::cylinder(centre, DVec3::Z, 0.09 * side, 0.38 * side));
    let rough = Expr::height_surface(
        Expr::noise(&NoiseSettings {
            domain: Domain::Plane,
            wavelength: 0.5 * side,
            octaves: 5,
            amplitude: 0.2 * side,
            seed: Seed::new(4),
            ..Default::default()
        }),
        0.5 * side,
    );
    vec![
        ("sphere", Expr::sphere(centre, 0.34 * side)),
        ("box", cube),
        ("torus", torus(centre, DVec3::new(0.2, 0.3, 1.0), 0.27 * side, 0.12 * side)),
        ("solid", solid),
        ("rough ground", rough.intersection(&wall)),
    ]
}

/// T02, with the four-level part: chunks that touch may differ by three levels.
#[test]
fn cuts_of_four_levels_are_closed_and_embedded() {
    for (what, expr) in shapes(512.0) {
        let mut cuts = Cuts::new(&expr, 3);
        let mut draw = Seed::new(8).child(what).at(I64Vec3::ZERO, 0, 0);
        for _ in 0..3 {
            cuts.holds(what, std::array::from_fn(|_| 1 + (draw.u32() % 3) as u8));
        }
    }
}

/// Chunks of six levels apart, side by side or with one between, are refused by name and not sewn wrongly.
#[test]
fn levels_too_far_apart_are_refused() {
    let coarse = ChunkKey::at_level(Lod::new(6).expect("a level"), 0, 0, 0);
    let cut = |cell: VoxelPos| {
        let coarse_here = ChunkKey::containing_at(coarse.lod, VoxelPos(cell.0 >> 6));
        let key = if coarse_here == coarse { coarse } else { ChunkKey::containing(cell) };
        Some((key, &EMPTY))
    };
    let mut scratch = SeamScratch::default();
    for key in [coarse, ChunkKey::new(-1, 0, 0)] {
        match seam(&cut, key, &mut scratch) {
            Err(ContourError::LevelsTooFarApart { key: of, other }) => {
                assert_eq!((of, of.lod.index().abs_diff(other.lod.index())), (key, 6));
            }
            other => panic!("{other:?}"),
        }
    }
    let missing = ChunkKey::at_level(Lod::new(1).expect("a level"), 40, 0, 0);
    assert_eq!(seam(&cut, missing, &mut scratch), Err(ContourError::NotInCut { key: missing }));
}

/// T29: spikes thinner than a coarse cell across faces, edges and the corner between levels that differ by two and three.
#[test]
fn spikes_across_levels_are_closed() {
    let corner = DVec3::splat(256.0);
    let spike = |from: DVec3, to: DVec3| Expr::capsule(corner + from, corner + to, 0.6);
    let spikes = [
        ("across a face", spike(DVec3::new(-21.3, 40.2, 37.7), DVec3::new(19.1, 41.9, 35.2))),
        ("across an edge", spike(DVec3::new(-17.2, -16.1, 33.4), DVec3::new(18.3, 15.2, 37.3))),
        ("across the corner", spike(DVec3::new(-15.2, -14.1, -16.3), DVec3::new(13.3, 15.2, 16.7))),
        ("along a face", spike(DVec3::new(0.3, 10.1, 12.7), DVec3::new(-0.4, 55.3, 61.2))),
    ];
    for (what, expr) in spikes {
        for coarse in [2, 3] {
            let mut cuts = Cuts::new(&expr, 3);
            for bits in [0b0101_0101_u32, 0b0110_1001, 0b1000_0000, 0b0111_1111, 0b0001_0111] {
                cuts.holds(what, std::array::from_fn(|i| if bits >> i & 1 == 1 { coarse } else { 0 }));
            }
        }
    }
}

/// T02, a part of it.
#[test]
fn cuts_of_two_levels_are_closed_and_embedded() {
    for (what, expr) in shapes(128.0) {
        let mut cuts = Cuts::new(&expr, 1);
        for bits in [0_u32, 255, 1, 0b1000_0000, 0b0101_0101, 0b0110_1001, 0b1111_0000, 0b0001_0110] {
            cuts.holds(what, std::array::from_fn(|i| (bits >> i & 1) as u8));
        }
    }
}
