//! A chunk far out is its twin at the origin (contract 1; docs/tests.md: T30).

use glam::DVec3;
use weald_contour::{Scratch, contour_chunk};
use weald_field::Tape;
use weald_space::{ChunkKey, Lattice};
use weald_testkit::shape::half_spaces;

#[test]
fn a_chunk_ten_million_cells_out_is_byte_identical_to_its_twin() {
    let lattice = Lattice::new(4.0).unwrap();
    let centre = DVec3::new(64.25, 60.5, 62.0);
    let world = weald_testkit::world::rough_ground(11, 60.0).min(&half_spaces(
        centre,
        [20.0, 35.0, 10.0],
        DVec3::new(31.0, 22.5, 41.0),
    ));
    let chunks_out = 312_500;
    let moved = world.translated(DVec3::new(1.0, -1.0, 1.0) * (chunks_out * 32) as f64 * lattice.cell_size());
    let (here, there) = (Tape::new(&world).unwrap(), Tape::new(&moved).unwrap());
    let mut scratch = Scratch::default();
    let mut triangles = 0;
    for key in [ChunkKey::new(0, 0, 0), ChunkKey::new(-1, 0, 0), ChunkKey::new(0, 1, 0)] {
        let twin = key.offset([chunks_out, -chunks_out, chunks_out]);
        assert_eq!(twin.origin().0.x - key.origin().0.x, 10_000_000);
        let a = contour_chunk(&here, lattice, key, &mut scratch).unwrap();
        let b = contour_chunk(&there, lattice, twin, &mut scratch).unwrap();
        triangles += a.core.len();
        assert!(bytemuck::cast_slice::<_, u8>(&a.vertices) == bytemuck::cast_slice::<_, u8>(&b.vertices));
        assert_eq!(a.core, b.core);
        assert_eq!(a.border, b.border);
    }
    assert!(triangles > 2_000, "the world has a surface here: {triangles}");
}
