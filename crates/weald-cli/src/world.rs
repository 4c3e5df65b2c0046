//! `weald check` and `weald schema`.

use weald::bake::plan::plan;
use weald::bake::recipe::{self, Extent, Recipe};

use crate::args::Check;
use crate::exit::{self, Failure};
use crate::print::{grouped, line};

/// Reads a world file and its data, and says what a bake would make.
pub(crate) fn check(args: &Check, quiet: bool) -> Result<u8, Failure> {
    let recipe = recipe::load(&args.world)?;
    let plan = plan(&recipe, recipe.region).map_err(weald::bake::Error::from)?;
    if !quiet {
        if let Some(import) = &recipe.ground.terrain.import {
            line(import.trim_end());
        }
        line(&describe(&recipe, plan.region.extent(recipe.lattice)));
        line(&format!("{} chunks may hold a surface", grouped(plan.chunks.len() as u64)));
        if !plan.coarser.is_empty() {
            let (coarser, levels) = (grouped(plan.coarser.len() as u64), recipe.coarsest.index());
            line(&format!("{coarser} more of {levels} coarser levels"));
        }
        warn(recipe.warnings());
        line("The world file is in order.");
    }
    Ok(exit::OK)
}

/// Prints the JSON Schema of the world file.
pub(crate) fn schema() -> Result<u8, Failure> {
    let text = serde_json::to_string_pretty(&recipe::raw::schema());
    line(&text.map_err(|error| Failure::new(exit::BUG, error.to_string()))?);
    Ok(exit::OK)
}

/// One line about a world and its region.
pub(crate) fn describe(recipe: &Recipe, region: Extent) -> String {
    let [width, depth] = [0, 1].map(|axis| region.max[axis] - region.min[axis]);
    let cell = recipe.lattice.cell_size();
    format!("{}: {width} m × {depth} m in cells of {cell} m, {region} m", recipe.name)
}

/// Prints warnings on standard error.
pub(crate) fn warn(warnings: impl IntoIterator<Item = impl std::fmt::Display>) {
    for warning in warnings {
        eprintln!("warning: {warning}");
    }
}
