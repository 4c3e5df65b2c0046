//! Any cut is closed and does not meet itself: leaves of all sizes beside each other (docs/tests.md: T02, T15).

mod leaves;

use leaves::{FIELDS, Layout, Made, field};
use weald_contour::complex::CrossedEdge;
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

#[test]
fn every_assignment_of_two_levels_to_eight_chunks_is_embedded() {
    let mut made = Made::default();
    for name in FIELDS {
        let (field, mut total) = (field(name, 16), Total::default());
        for assignment in 0..256_usize {
            let layout = Layout::chunks(16, 8, |chunk| 1 + (assignment >> chunk & 1) as i32);
            made.make(&layout.leaves, &layout.crossings_of(&field));
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
fn four_levels_and_octrees_without_balance_are_embedded() {
    let (seeds, side) = (12, 32);
    let mut made = Made::default();
    for name in FIELDS {
        let (field, mut total) = (field(name, side), Total::default());
        for seed in 0..seeds {
            let sizes = weald_space::Seed::new(seed).child("sizes");
            let size = |chunk: usize| 1 << sizes.at(glam::I64Vec3::new(chunk as i64, 0, 0), 0, 0).below(4);
            for (kind, layout) in
                [("chunks", Layout::chunks(side, 8, size)), ("octree", Layout::octree(side, 8, seed))]
            {
                made.make(&layout.leaves, &layout.crossings_of(&field));
                assert_embedded(&made, &mut total, &format!("{name}, {kind} {seed}"));
            }
        }
        total.print(name);
    }
}

#[test]
fn pure_noise_is_embedded() {
    let (mut made, mut total) = (Made::default(), Total::default());
    for seed in 0..12 {
        for layout in [
            Layout::chunks(16, 16, |_| 1),
            Layout::chunks(16, 8, |chunk| 1 << ((seed as usize + chunk / 3) % 4)),
            Layout::octree(16, 8, seed),
        ] {
            made.make(&layout.leaves, &layout.noise(seed));
            assert_embedded(&made, &mut total, &format!("noise {seed}"));
        }
    }
    total.print("noise");
}
