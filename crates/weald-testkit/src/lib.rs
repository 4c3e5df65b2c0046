//! For tests only: shapes and worlds with known answers.

pub mod ops;
pub mod shape;
pub mod world;
