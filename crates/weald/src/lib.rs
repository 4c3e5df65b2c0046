//! Voxel worlds, sharp and smooth: the façade and the guide.
//!
//! Each module is a crate of its own, in the order in which a world passes through them.

pub use weald_bake as bake;
pub use weald_contour as contour;
pub use weald_field as field;
pub use weald_mesh as mesh;
pub use weald_space as space;
pub use weald_terrain as terrain;
