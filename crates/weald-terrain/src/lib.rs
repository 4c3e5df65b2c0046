//! Elevation: raster files read and georeferenced to metres.
