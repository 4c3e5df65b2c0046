use glam::Vec3;
use proptest::prelude::*;
use weald_space::Axis;

use super::*;
use crate::cell::{CellEdge, CellMask};
use crate::tables::{NO_LOOP, loops};

/// A cell of size `size` at `min` with its 26 neighbours, of which it alone is complete.
fn cell_alone(mask: CellMask, min: [i32; 3], size: i32) -> (Vec<Leaf>, Vec<CrossedEdge>) {
    let mut leaves = Vec::new();
    for z in -1..2 {
        for y in -1..2 {
            for x in -1..2 {
                let min = [min[0] + x * size, min[1] + y * size, min[2] + z * size];
                leaves.push(Leaf { min, size, complete: (x, y, z) == (0, 0, 0), beyond: false });
            }
        }
    }
    let edges = (0..12)
        .map(CellEdge::from_index)
        .filter(|&edge| mask.crosses(edge))
        .map(|edge| {
            let low: [i32; 3] =
                std::array::from_fn(|i| min[i] + size * i32::from(edge.low_corner() >> i & 1));
            let (u, v) = edge.axis().across();
            let around = [(-1, -1), (0, -1), (0, 0), (-1, 0)].map(|(du, dv)| {
                let mut at: [i32; 3] = std::array::from_fn(|i| (low[i] - min[i]) / size);
                at[u.index()] += du;
                at[v.index()] += dv;
                ((at[2] + 1) * 9 + (at[1] + 1) * 3 + at[0] + 1) as u32
            });
            let inside_low = mask.inside(edge.low_corner());
            CrossedEdge { axis: edge.axis(), low, size, around, inside_low, t: 0.5, normal: Vec3::Z }
        })
        .collect();
    (leaves, edges)
}

#[test]
fn loops_of_each_of_the_256_masks_are_numbered_as_in_the_table() {
    let mut complex = Complex::default();
    for mask in (0..=255).map(CellMask) {
        for (min, size, backwards) in [([0, 0, 0], 1, false), ([-8, 4, 12], 4, true)] {
            let (leaves, mut edges) = cell_alone(mask, min, size);
            if backwards {
                edges.reverse();
            }
            complex.rebuild(&leaves, &edges).unwrap();
            let table = loops(mask);
            assert_eq!(complex.loops().len(), usize::from(table.count), "{mask:?}");
            assert_eq!(complex.loops_of_leaf(13).len(), usize::from(table.count));
            for (number, edge) in edges.iter().enumerate() {
                let quadrant = edge.around.iter().position(|&leaf| leaf == 13).unwrap();
                let found = complex.loops()[complex.loop_of_quadrant(number)[quadrant] as usize];
                let u = (quadrant == 0 || quadrant == 3, quadrant < 2);
                let expected = table.of_edge[CellEdge::new(edge.axis, u.0, u.1).index()];
                assert_ne!(expected, NO_LOOP);
                assert_eq!((found.leaf, found.index), (13, u32::from(expected)), "{mask:?} {edge:?}");
            }
            let mut in_loops: Vec<u32> =
                (0..complex.loops().len()).flat_map(|index| complex.loop_edges(index).to_vec()).collect();
            in_loops.sort_unstable();
            assert!(in_loops.iter().copied().eq(0..edges.len() as u32), "every crossing lies on one loop");
        }
    }
}

#[test]
fn what_does_not_fit_is_named() {
    let (leaves, edges) = cell_alone(CellMask(1), [0, 0, 0], 2);
    let mut complex = Complex::default();
    let mut odd = leaves.clone();
    odd[5].size = 3;
    assert_eq!(complex.rebuild(&odd, &edges), Err(ComplexError::Leaf { min: odd[5].min, size: 3 }));
    assert!(matches!(
        complex.rebuild(&leaves, &edges[1..]),
        Err(ComplexError::Unpaired { crossings: 1, .. })
    ));
    let mut turned = edges.clone();
    turned[0].inside_low = !turned[0].inside_low;
    assert!(matches!(complex.rebuild(&leaves, &turned), Err(ComplexError::Unpaired { crossings: 2, .. })));
    let mut moved = edges.clone();
    moved[0].around.swap(0, 2);
    assert!(matches!(complex.rebuild(&leaves, &moved), Err(ComplexError::Edge { .. })));
    let mut cut = edges;
    let lost = cut[0].around.iter_mut().find(|leaf| **leaf == 12 || **leaf == 10 || **leaf == 4).unwrap();
    *lost = ABSENT;
    assert!(matches!(
        complex.rebuild(&leaves, &cut),
        Err(ComplexError::OpenLoop { .. } | ComplexError::Unpaired { .. })
    ));
}

proptest! {
    /// Bad input gets an error or an answer, never a panic.
    #[test]
    fn any_numbers_are_taken_or_refused(
        leaves in prop::collection::vec((prop::array::uniform3(-4..4), 0..3, any::<bool>()), 1..9),
        edges in prop::collection::vec(
            (0..3_usize, prop::array::uniform3(-4..4), 0..3, prop::array::uniform4(0..10_u32), any::<bool>()), 0..24),
    ) {
        let leaves: Vec<Leaf> = leaves
            .into_iter()
            .map(|(min, size, complete)| Leaf { min: min.map(|c| c << size), size: 1 << size, complete, beyond: false })
            .collect();
        let edges: Vec<CrossedEdge> = edges
            .into_iter()
            .map(|(axis, low, size, around, inside_low)| CrossedEdge {
                axis: Axis::ALL[axis], low, size: 1 << size, around, inside_low, t: 0.5, normal: Vec3::Z,
            })
            .collect();
        let _ = Complex::default().rebuild(&leaves, &edges);
    }
}
