//! Any cut is closed and does not meet itself: leaves of all sizes beside each other (docs/tests.md: T02, T15).

mod leaves;

use glam::DVec3;
use leaves::{FIELDS, Layout, Made, field};
use proptest::prelude::*;
use weald_contour::complex::{CrossedEdge, Leaf};
use weald_contour::embed::Counts;
use weald_mesh::check::{Findings, check};

/// What many cuts add up to.
#[derive(Debug, Default)]
struct Total {
    cuts: usize,
    triangles: usize,
    /// Two for each polygon of four leaves, one for each of three: a plain dual contour of the same crossings.
    plain: usize,
    meeting: usize,
    counts: Counts,
}

impl Total {
    fn add(&mut self, made: &Made, findings: &Findings) {
        self.cuts += 1;
        self.triangles += findings.triangles;
        self.plain += made.complex.edges().iter().map(plain_triangles).sum::<usize>();
        self.meeting += findings.self_intersections.as_ref().map_or(0, |pairs| pairs.count);
        let (sum, one) = (&mut self.counts, made.embedding.counts);
        for (sum, one) in [
            (&mut sum.fans, one.fans),
            (&mut sum.face_points, one.face_points),
            (&mut sum.chords, one.chords),
            (&mut sum.complex, one.complex),
            (&mut sum.hot, one.hot),
            (&mut sum.pulled, one.pulled),
            (&mut sum.stuck, one.stuck),
        ] {
            *sum += one;
        }
    }

    fn print(&self, name: &str) {
        let added = 100.0 * (self.triangles as f64 / self.plain.max(1) as f64 - 1.0);
        println!(
            "{name}: {} cuts, {} triangles ({added:+.1} %), {} pairs meet, {:?}",
            self.cuts, self.triangles, self.meeting, self.counts
        );
    }
}

fn plain_triangles(edge: &CrossedEdge) -> usize {
    let [a, b, c, d] = edge.around;
    2 - usize::from(a == b || b == c || c == d || d == a)
}

fn assert_closed(findings: &Findings, what: &str) {
    let bad = [
        findings.boundary_edges.count,
        findings.non_manifold_edges.count,
        findings.non_manifold_vertices.count,
        findings.misoriented_edges.count,
        findings.duplicates.count,
        findings.zero_area.count,
        findings.repeated_index.count,
        findings.non_finite.count,
    ];
    assert_eq!(bad, [0; 8], "{what}: {findings}");
}

fn assert_embedded(made: &Made, total: &mut Total, what: &str) -> Findings {
    assert!(made.embedding.unsettled.is_empty(), "{what}: polygons left out");
    let findings = check(&made.mesh());
    assert_closed(&findings, what);
    total.add(made, &findings);
    assert_eq!(findings.self_intersections.as_ref().map(|pairs| pairs.count), Some(0), "{what}: {findings}");
    findings
}

/// The Euler characteristic where every level resolves the shape.
fn euler(name: &str) -> Option<i64> {
    match name {
        "sphere" | "box" => Some(2),
        "torus" => Some(0),
        _ => None,
    }
}

fn two_levels(assignments: impl Iterator<Item = usize> + Clone) {
    let mut made = Made::default();
    for name in FIELDS {
        let (field, mut total) = (field(name, 16), Total::default());
        for assignment in assignments.clone() {
            let layout = Layout::chunks(16, 8, |chunk| 1 + (assignment >> chunk & 1) as i32);
            made.make(&layout.leaves, &layout.crossings_of(&field), true);
            let what = format!("{name}, levels {assignment:08b}");
            let findings = assert_embedded(&made, &mut total, &what);
            if let Some(expected) = euler(name) {
                assert_eq!(findings.euler(), expected, "{what}");
            }
        }
        total.print(name);
    }
}

#[test]
fn two_levels_in_eight_chunks_are_embedded() {
    two_levels((0..256).step_by(17));
}

#[test]
#[ignore = "takes 20 seconds"]
fn every_assignment_of_two_levels_to_eight_chunks_is_embedded() {
    two_levels(0..256);
}

fn mixtures(seeds: u64, side: i32) {
    let mut made = Made::default();
    for name in FIELDS {
        let (field, mut total) = (field(name, side), Total::default());
        for seed in 0..seeds {
            let sizes = weald_space::Seed::new(seed).child("sizes");
            let size = |chunk: usize| 1 << sizes.at(glam::I64Vec3::new(chunk as i64, 0, 0), 0, 0).below(4);
            for (kind, layout) in
                [("chunks", Layout::chunks(side, 8, size)), ("octree", Layout::octree(side, 8, seed))]
            {
                made.make(&layout.leaves, &layout.crossings_of(&field), true);
                assert_embedded(&made, &mut total, &format!("{name}, {kind} {seed}"));
            }
        }
        total.print(name);
    }
}

#[test]
fn four_levels_and_octrees_without_balance_are_embedded() {
    mixtures(6, 16);
}

#[test]
#[ignore = "takes 10 seconds"]
fn many_octrees_without_balance_are_embedded() {
    mixtures(12, 32);
}

fn noise(seeds: u64) {
    let (mut made, mut total) = (Made::default(), Total::default());
    for seed in 0..seeds {
        for layout in [
            Layout::chunks(16, 16, |_| 1),
            Layout::chunks(16, 8, |chunk| 1 << ((seed as usize + chunk / 3) % 4)),
            Layout::octree(16, 8, seed),
        ] {
            made.make(&layout.leaves, &layout.noise(seed), true);
            assert_embedded(&made, &mut total, &format!("noise {seed}"));
        }
    }
    total.print("noise");
}

#[test]
fn pure_noise_is_embedded() {
    noise(1);
}

#[test]
#[ignore = "takes 10 seconds"]
fn much_pure_noise_is_embedded() {
    noise(12);
}

/// The polygons among leaves of the core alone, with their triangles.
fn polygons_of_core(made: &Made, core: &[bool]) -> Vec<(u32, [DVec3; 3])> {
    let place = |corner| made.embedding.place(corner).expect("a corner has a place");
    let owned = made.embedding.owners.iter().zip(&made.embedding.triangles);
    owned
        .filter(|(owner, _)| {
            made.complex.edges()[**owner as usize].around.iter().all(|&leaf| core[leaf as usize])
        })
        .map(|(owner, triangle)| (*owner, triangle.map(place)))
        .collect()
}

/// What is off the borders of chunks does not depend on what is beside the chunk, and yet everything fits.
#[test]
fn cores_stay_as_they_are_beside_strict_borders() {
    let (mut made, mut plain) = (Made::default(), Made::default());
    for name in FIELDS.into_iter().chain(["noise"]) {
        let mut total = Total::default();
        for assignment in (0..256_i32).step_by(23) {
            let layout = Layout::chunks(16, 8, |chunk| 1 + (assignment >> chunk & 1));
            let on_border = |leaf: &Leaf| leaf.min.iter().any(|c| c % 8 == 0 || (c + leaf.size) % 8 == 0);
            let core: Vec<bool> = layout.leaves.iter().map(|leaf| !on_border(leaf)).collect();
            let edges = match name {
                "noise" => layout.noise(assignment as u64),
                _ => layout.crossings_of(&field(name, 16)),
            };
            made.make_around(&layout.leaves, &edges, &core);
            plain.make(&layout.leaves, &edges, false);
            assert_eq!(polygons_of_core(&made, &core), polygons_of_core(&plain, &core), "{name}");
            let findings = check(&made.mesh());
            assert_closed(&findings, name);
            total.add(&made, &findings);
            // Leaves of a core with several loops are left to the core.
            let beside_hot_core = |triangle: u32| {
                let owner = made.embedding.owners[triangle as usize];
                let leaves = made.complex.edges()[owner as usize].around.map(|leaf| leaf as usize);
                leaves.into_iter().any(|leaf| core[leaf] && made.complex.loops_of_leaf(leaf).len() > 1)
            };
            for pair in findings.self_intersections.iter().flat_map(|pairs| &pairs.first) {
                assert!(pair.iter().any(|&triangle| beside_hot_core(triangle)), "{name}: {pair:?}");
            }
        }
        total.print(name);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    /// Without a strict edge nothing may meet, but everything is closed.
    #[test]
    fn plain_polygons_of_any_octree_are_closed(seed: u64, noise: u64) {
        let layout = Layout::octree(8, 4, seed);
        let mut made = Made::default();
        made.make(&layout.leaves, &layout.noise(noise), false);
        prop_assert!(made.embedding.unsettled.is_empty());
        assert_closed(&check(&made.mesh()), "plain");
    }
}
