//! `weald inspect`: what is where, and why.

use std::path::{Path, PathBuf};

use serde_json::json;
use weald::bake::Error;
use weald::bake::inspect::{CutRequest, FieldReport, axis_name, inspect, inspect_cut};
use weald::bake::preview::field::{Cut, Plane};
use weald::bake::recipe::{self, Recipe};

use crate::args::InspectField;
use crate::exit::{self, Failure};
use crate::preview::write_picture;
use crate::print::{grouped, line};
use crate::world::warn;

/// Shows a world's field at places, and draws a cut.
pub(crate) fn field(args: &InspectField, quiet: bool) -> Result<u8, Failure> {
    let recipe = recipe::load(&args.world)?;
    let reports: Vec<FieldReport> = args.at.iter().map(|&place| inspect(&recipe, place.into())).collect();
    let cut = draw(args, &recipe)?;
    if args.json {
        let cut = cut.as_ref().map(|(file, cut, plane)| cut_json(file, cut, *plane));
        let told = json!({ "world": recipe.name, "places": reports, "cut": cut });
        line(&format!("{told:#}"));
        return Ok(exit::OK);
    }
    if !quiet {
        warn(&recipe.warnings);
        reports.iter().for_each(|report| tell(&recipe, report));
        if let Some((file, cut, _)) = &cut {
            tell_cut(file, cut);
        }
    }
    Ok(exit::OK)
}

fn draw(args: &InspectField, recipe: &Recipe) -> Result<Option<(PathBuf, Cut, Plane)>, Failure> {
    let Some((axis, at)) = args.slice else { return Ok(None) };
    let request = CutRequest { axis, at, area: args.region, size: args.size };
    let (cut, plane) = inspect_cut(recipe, request).map_err(Error::Picture)?;
    let file = args.out.clone().unwrap_or_else(|| PathBuf::from("cut.png"));
    write_picture(&file, &cut.picture.to_png())?;
    Ok(Some((file, cut, plane)))
}

fn cut_json(file: &Path, cut: &Cut, plane: Plane) -> serde_json::Value {
    let [min, max] = cut.area;
    json!({
        "file": file.display().to_string(),
        "axis": axis_name(plane.axis),
        "at": plane.at,
        "area": { "min": min, "max": max },
        "least": cut.least,
        "greatest": cut.greatest,
        "step": cut.step,
        "boxes": cut.boxes,
        "box_sides": cut.sides,
        "decided": cut.decided,
    })
}

fn tell(recipe: &Recipe, report: &FieldReport) {
    let [x, y, z] = report.place;
    let beside = match (report.in_elevation, report.in_region) {
        (Some(false), _) => ", outside of the elevation, whose edge goes on",
        (_, false) => ", outside of the region",
        _ => "",
    };
    line(&format!("({x}, {y}, {z}) m{beside}"));
    let row = |name: &str, text: &str| line(&format!("  {name:<9} {text}"));
    let side = if report.value < 0.0 { "inside" } else { "outside" };
    row("value", &format!("{} m: {side}", metres(report.value.into())));
    let [gx, gy, gz] = report.gradient.map(|slope| metres(slope.into()));
    row("gradient", &format!("({gx}, {gy}, {gz}), length {:.3}", report.gradient_length));
    row("terrain", &terrain(report.terrain_height, z));
    row("material", &report.material);
    let ops: Vec<String> = report.ops.iter().map(|(name, count)| format!("{name} {count}")).collect();
    row(
        "ops",
        &format!(
            "{} of {} steps: {}",
            grouped(report.steps as u64),
            grouped(report.all_steps as u64),
            ops.join(", ")
        ),
    );
    let [cx, cy, cz] = report.cell;
    row("cell", &format!("({cx}, {cy}, {cz}), side {} m", recipe.lattice.cell_size()));
    let [kx, ky, kz] = report.chunk;
    row("chunk", &format!("({kx}, {ky}, {kz}): {}", chunk(report)));
}

/// A number with millimetres; a zero has no sign.
fn metres(value: f64) -> String {
    let text = format!("{value:.3}");
    if text == "-0.000" { "0.000".to_owned() } else { text }
}

fn terrain(height: Option<f64>, z: f64) -> String {
    match height {
        None => "none here".to_owned(),
        Some(height) if height > z => format!("at {} m, {} m above", metres(height), metres(height - z)),
        Some(height) => format!("at {} m, {} m below", metres(height), metres(z - height)),
    }
}

fn chunk(report: &FieldReport) -> String {
    let [low, high] = report.chunk_range;
    let surface = match (high < 0.0, low >= 0.0) {
        (true, _) => "all inside",
        (_, true) => "all outside",
        _ => "a surface may run through it",
    };
    let steps = grouped(report.chunk_steps as u64);
    format!("values from {low:.3} to {high:.3} m, {surface}; {steps} steps")
}

fn tell_cut(file: &Path, cut: &Cut) {
    let Cut { least, greatest, boxes, decided, .. } = cut;
    line(&format!(
        "values from {least:.3} to {greatest:.3} m; {} boxes, {:.0} % of the area decided by bounds",
        grouped(*boxes as u64),
        100.0 * decided
    ));
    line(&format!("wrote {}", file.display()));
}
