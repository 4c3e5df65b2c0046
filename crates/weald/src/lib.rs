//! Voxel worlds, sharp and smooth: the façade and the guide.
