//! Versions of the world file, and the steps from each to the latest.

use super::raw::RecipeRaw;

/// A world file of any version that can be read.
#[derive(Clone, Debug, PartialEq)]
pub enum AnyRecipe {
    /// Version 1.
    V1(RecipeRaw),
}

impl AnyRecipe {
    /// The same world in the latest version. Each version takes one step to the next.
    #[must_use]
    pub fn into_latest(self) -> RecipeRaw {
        match self {
            AnyRecipe::V1(latest) => latest,
        }
    }
}
