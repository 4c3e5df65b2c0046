//! The guide, in reading order.
//!
//! For people who build worlds: [`getting_started`], [`world_file`], [`ground`], [`fields`], [`materials`],
//! [`elevation`], [`baking`]. For people who bake them in a pipeline: [`baking`], [`checking`], [`guarantees`]. For
//! people who program: [`contouring`], and the examples at the head of each crate.
//!
//! All of it is proved by tests: the Rust code runs, every world in it is resolved, and the tables of [`world_file`] are
//! compared with the JSON Schema.

#[doc = include_str!("guide/getting_started.md")]
pub mod getting_started {}

#[doc = include_str!("guide/world_file.md")]
pub mod world_file {}

#[doc = include_str!("guide/ground.md")]
pub mod ground {}

#[doc = include_str!("guide/fields.md")]
#[doc = ""]
#[doc = concat!(
    "![All names of the formula language, a picture each](data:image/png;base64,",
    include_str!("../../../docs/pictures/fields/sheet.base64"),
    ")"
)]
pub mod fields {}

#[doc = include_str!("guide/materials.md")]
pub mod materials {}

#[doc = include_str!("guide/elevation.md")]
pub mod elevation {}

#[doc = include_str!("guide/baking.md")]
pub mod baking {}

#[doc = include_str!("guide/checking.md")]
pub mod checking {}

#[doc = include_str!("guide/contouring.md")]
pub mod contouring {}

#[doc = include_str!("guide/guarantees.md")]
pub mod guarantees {}

#[cfg(test)]
mod fields_tests;
#[cfg(test)]
mod tests;
