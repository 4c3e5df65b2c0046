//! What can go wrong with a file.

use std::io;

/// A mesh could not be written as glTF, or glTF not be read as a mesh.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum GltfError {
    /// glTF has no empty meshes.
    #[error("the mesh has no triangles, and glTF cannot hold an empty mesh")]
    Empty,
    /// The arrays of the mesh differ in length.
    #[error("the mesh has {positions} positions but {normals} normals and {materials} materials")]
    UnequalAttributes {
        /// Number of positions.
        positions: usize,
        /// Number of normals.
        normals: usize,
        /// Number of vertex materials.
        materials: usize,
    },
    /// A triangle names no vertex.
    #[error("triangle {triangle} names vertex {index}, but there are {vertices}")]
    IndexOutOfRange {
        /// The triangle, counted in the mesh or in the file.
        triangle: usize,
        /// The index it names.
        index: u32,
        /// The number of vertices.
        vertices: usize,
    },
    /// A number that has to be finite is not.
    #[error("{what} {index} is not finite")]
    NotFinite {
        /// What the number belongs to, such as `vertex`.
        what: &'static str,
        /// Which of them.
        index: usize,
    },
    /// A normal is not of unit length.
    #[error("the normal of vertex {vertex} has length {length}, which differs from 1 by more than 0.001")]
    NormalLength {
        /// The vertex.
        vertex: usize,
        /// The length of its normal.
        length: f32,
    },
    /// A triangle is of a material that is not in the list.
    #[error("triangle {triangle} is of material {id}, but only {materials} materials are given")]
    UnknownMaterial {
        /// The triangle.
        triangle: usize,
        /// The id of its material.
        id: u8,
        /// The number of materials given.
        materials: usize,
    },
    /// A number of a material lies outside 0 to 1.
    #[error("{what} of material {name:?} is {value}, outside 0 to 1")]
    MaterialRange {
        /// The name of the material.
        name: String,
        /// Which number.
        what: &'static str,
        /// Its value.
        value: f32,
    },
    /// The extras are neither an object nor null.
    #[error("the extras of a file must be a JSON object or null")]
    Extras,
    /// The file would be too large: glTF counts bytes in 32 bits.
    #[error("the file would have {bytes} bytes, and a GLB has at most {limit}")]
    TooLarge {
        /// Size of the file in bytes.
        bytes: u64,
        /// The most that is possible.
        limit: u64,
    },
    /// The writer failed.
    #[error("could not write the file: {0}")]
    Io(#[from] io::Error),
    /// The bytes are no GLB, or its JSON breaks the rules of glTF.
    #[error("not a valid GLB: {0}")]
    Malformed(String),
    /// The file is glTF, of a kind that is not read.
    #[error("glTF with {what} cannot be read as one mesh")]
    Unsupported {
        /// What is not read.
        what: &'static str,
    },
    /// An accessor reaches outside its buffer view, or the view outside the buffer.
    #[error("accessor {accessor} reaches outside the buffer")]
    OutsideBuffer {
        /// Index of the accessor.
        accessor: usize,
    },
    /// The file holds more than the limits allow.
    #[error("the file has {count} {what}, more than the limit of {limit}")]
    Limit {
        /// What there is too much of.
        what: &'static str,
        /// How many there are.
        count: usize,
        /// The limit.
        limit: usize,
    },
}
