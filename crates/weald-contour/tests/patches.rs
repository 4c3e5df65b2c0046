//! A patch cut out of a world has the world's triangles, bit for bit, wherever its origin lies and however its leaves and
//! edges are numbered (docs/tests.md: T28).

mod leaves;

use std::collections::BTreeMap;

use glam::{DVec3, I64Vec3};
use leaves::{Layout, Made, field};
use proptest::prelude::*;
use weald_contour::complex::{ABSENT, CrossedEdge, Leaf};
use weald_contour::embed::{Given, place_loops};
use weald_space::{Axis, Seed};

/// The leaves of a world that lie in a window, all of them complete, with those around their edges, which are not.
struct Window {
    leaves: Vec<Leaf>,
    edges: Vec<CrossedEdge>,
}

impl Window {
    fn cut(
        world: &Layout,
        edges: &[CrossedEdge],
        low: [i32; 3],
        high: [i32; 3],
        shift: i32,
        seed: Seed,
    ) -> Self {
        let within =
            |leaf: &Leaf| (0..3).all(|i| low[i] <= leaf.min[i] && leaf.min[i] + leaf.size <= high[i]);
        let complete: Vec<bool> = world.leaves.iter().map(within).collect();
        let mut number_of = vec![ABSENT; world.leaves.len()];
        let mut window = Window { leaves: Vec::new(), edges: Vec::new() };
        let mut chosen: Vec<(u64, &CrossedEdge)> = edges
            .iter()
            .filter(|edge| edge.around.iter().any(|&leaf| complete[leaf as usize]))
            .map(|edge| {
                (seed.at(I64Vec3::from_array(edge.low.map(i64::from)), 0, edge.axis as u32).u64(), edge)
            })
            .collect();
        chosen.sort_unstable_by_key(|(order, _)| *order);
        for (_, edge) in chosen {
            let mut edge = *edge;
            edge.low = edge.low.map(|c| c + shift);
            for leaf in &mut edge.around {
                let old = *leaf as usize;
                if number_of[old] == ABSENT {
                    number_of[old] = window.leaves.len() as u32;
                    let Leaf { min, size, .. } = world.leaves[old];
                    window.leaves.push(Leaf {
                        min: min.map(|c| c + shift),
                        size,
                        complete: complete[old],
                        beyond: false,
                    });
                }
                *leaf = number_of[old];
            }
            // A leaf that no complete one touches across a face at this edge need not be there.
            let around = edge.around;
            for k in 0..4 {
                let needed =
                    |by: usize| around[by] == around[k] || window.leaves[around[by] as usize].complete;
                if !needed((k + 1) % 4) && !needed((k + 3) % 4) && !window.leaves[around[k] as usize].complete
                {
                    edge.around[k] = ABSENT;
                }
            }
            window.edges.push(edge);
        }
        window
    }
}

type Triangles = Vec<[[u64; 3]; 3]>;

/// The triangles of each settled polygon, by its edge, counted from the world's origin; and the places of the loops.
#[allow(clippy::type_complexity, reason = "two maps of plain values")]
fn outcome(
    leaves: &[Leaf],
    edges: &[CrossedEdge],
    shift: i32,
) -> (BTreeMap<(Axis, [i32; 3]), Triangles>, BTreeMap<([i32; 3], u32), [u64; 3]>, u32) {
    let mut made = Made::default();
    made.complex.rebuild(leaves, edges).expect("a patch of a whole world fits");
    place_loops(&made.complex, &mut made.vertices);
    let given = Given {
        places: &made.vertices.places,
        borrowed: &vec![false; made.complex.loops().len()],
        wanted: &vec![true; edges.len()],
    };
    made.embedding.rebuild(&made.complex, &given);
    let bits = |place: DVec3| (place - DVec3::splat(shift.into())).to_array().map(f64::to_bits);
    let back = |at: [i32; 3]| at.map(|c| c - shift);
    let mut polygons: BTreeMap<_, Triangles> = BTreeMap::new();
    for (number, edge) in edges.iter().enumerate() {
        if !made.embedding.unsettled.contains(&(number as u32)) {
            polygons.insert((edge.axis, back(edge.low)), Vec::new());
        }
    }
    for (triangle, &owner) in made.embedding.triangles.iter().zip(&made.embedding.owners) {
        let edge = &edges[owner as usize];
        let places = triangle.map(|corner| bits(made.embedding.place(corner).expect("a corner has a place")));
        polygons.entry((edge.axis, back(edge.low))).or_default().push(places);
    }
    let mut loops = BTreeMap::new();
    for (index, of) in made.complex.loops().iter().enumerate() {
        if let Some(place) = made.vertices.places[index] {
            loops.insert((back(leaves[of.leaf as usize].min), of.index), bits(place));
        }
    }
    (polygons, loops, made.embedding.counts.hot)
}

fn assert_patches_agree(world: &Layout, edges: &[CrossedEdge], seed: u64, high: [i32; 3]) -> [usize; 2] {
    let (whole, whole_loops, hot) = outcome(&world.leaves, edges, 0);
    assert_eq!(whole.len(), edges.len(), "in a whole world everything is settled");
    let window = Window::cut(world, edges, [0; 3], high, 1024, Seed::new(seed));
    let (part, loops, _) = outcome(&window.leaves, &window.edges, 1024);
    for (edge, triangles) in &part {
        assert_eq!(whole.get(edge), Some(triangles), "polygon of the edge at {edge:?}");
    }
    for (name, place) in &loops {
        assert_eq!(whole_loops.get(name), Some(place), "vertex {name:?}");
    }
    [part.len(), hot as usize]
}

#[test]
fn a_patch_has_the_triangles_of_the_world() {
    let mut settled = [0; 2];
    for seed in 0..4 {
        for name in ["carved box", "fBm"] {
            let world = Layout::octree(16, 8, seed);
            let edges = world.crossings_of(&field(name, 16));
            settled[0] += assert_patches_agree(&world, &edges, seed, [16, 12, 16])[0];
        }
        let world = Layout::octree(16, 4, seed);
        let [polygons, hot] = assert_patches_agree(&world, &world.noise(seed), seed, [16, 16, 12]);
        settled[0] += polygons;
        settled[1] += hot;
    }
    println!("{settled:?} polygons settled, hot leaves");
    assert!(settled.iter().all(|&count| count > 100), "the test saw something: {settled:?}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn any_window_of_any_octree_agrees(
        tree: u64, noise: u64, order: u64, high in prop::array::uniform3(3..=8_i32),
    ) {
        let world = Layout::octree(8, 4, tree);
        assert_patches_agree(&world, &world.noise(noise), order, high);
    }
}
