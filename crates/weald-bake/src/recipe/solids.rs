//! Solids: shapes placed in the world, as fields.

use glam::{DVec2, DVec3};
use weald_field::{Expr, Tape};
use weald_mesh::MaterialId;
use weald_space::{Aabb, ops};

use super::check::{HIGH, snap};
use super::error::{RecipeError, Source, Wrong};
use super::formulas::Formulas;
use super::materials::Palette;
use super::raw::{PlaceRaw, ShapeRaw, SolidOpRaw, SolidRaw};
use super::terrain::Terrain;

/// Least size of anything, in metres.
const LEAST: f64 = 1.0 / 256.0;
/// Greatest size of anything, in metres.
const MOST: f64 = 100_000.0;
/// A feature thinner than this many cells may break up: a sheet needs a sample inside it, and its two sides a cell each.
const CELLS_TO_SHOW: f64 = 3.0;

/// The box around what may reach anywhere.
const EVERYWHERE: Aabb = Aabb { min: DVec3::NEG_INFINITY, max: DVec3::INFINITY };

/// What a solid is, where it reaches, and how it looks.
#[derive(Clone, Debug)]
pub(super) struct Solid {
    /// Its field, negative inside, as if it were alone.
    pub(super) expr: Expr,
    /// What is done with it.
    pub(super) op: SolidOpRaw,
    /// Its surface lies in here.
    pub(super) bounds: Aabb,
    /// Metres over which it is blended into what was there.
    pub(super) blend: f64,
    /// Its material, if it has one of its own.
    pub(super) material: Option<MaterialId>,
}

impl Solid {
    /// The ground with this solid.
    pub(super) fn apply(&self, ground: &Expr) -> Expr {
        let Solid { expr, op, blend, .. } = self;
        match (op, *blend > 0.0) {
            (SolidOpRaw::Add, false) => ground.union(expr),
            (SolidOpRaw::Add, true) => ground.smooth_union(expr, *blend),
            (SolidOpRaw::Cut, false) => ground.difference(expr),
            (SolidOpRaw::Cut, true) => ground.smooth_difference(expr, *blend),
            (SolidOpRaw::Keep, false) => ground.intersection(expr),
            (SolidOpRaw::Keep, true) => ground.smooth_intersection(expr, *blend),
        }
    }
}

/// Resolves the list of solids.
pub(super) fn resolve(
    source: &Source,
    raw: &[SolidRaw],
    terrain: &Terrain,
    palette: &Palette,
    formulas: &mut Formulas,
    cell_size: f64,
    warnings: &mut Vec<String>,
) -> Result<Vec<Solid>, RecipeError> {
    let list = "ground.solids";
    source.count(list, "solids", raw.len(), 0..=4096)?;
    source.distinct(list, raw.iter().map(|solid| solid.name.as_str()))?;
    let one = |(i, solid): (usize, &SolidRaw)| {
        let path = format!("{list}[{i}]");
        let SolidRaw { name, op, at, turn_deg, shape, blend, material } = solid;
        let at = place(source, &format!("{path}.at"), *at, terrain)?;
        let turn_deg = source.turn(&format!("{path}.turn_deg"), *turn_deg)?;
        let blend = source.metres(&format!("{path}.blend"), *blend, 0.0..=1000.0)?;
        let least_size = CELLS_TO_SHOW * cell_size;
        let mut build = Build {
            source,
            name,
            at,
            turn_deg,
            least_size,
            formulas: &mut *formulas,
            formula_count: 0,
            warnings: &mut *warnings,
        };
        let (expr, bounds) = build.shape(&format!("{path}.shape"), shape)?;
        let material = material.as_ref().map(|name| palette.find(source, &format!("{path}.material"), name));
        Ok(Solid { expr, op: *op, bounds, blend, material: material.transpose()? })
    };
    raw.iter().enumerate().map(one).collect()
}

/// A place in the world.
pub(super) fn place(
    source: &Source,
    path: &str,
    raw: PlaceRaw,
    terrain: &Terrain,
) -> Result<DVec3, RecipeError> {
    match raw {
        PlaceRaw::World(x, y, z) => source.place(path, (x, y, z)),
        PlaceRaw::Ground(x, y, above) => {
            let plan = source.plan_place(path, (x, y))?;
            let above = source.metres(&format!("{path}[2]"), above, -HIGH..=HIGH)?;
            let ground = terrain.height(plan);
            let ground =
                ground.ok_or_else(|| source.error(path, Wrong::NoGround { x: plan.x, y: plan.y }))?;
            Ok(plan.extend(snap(ground) + above))
        }
    }
}

/// Builds the shapes of one solid.
struct Build<'a> {
    source: &'a Source,
    name: &'a str,
    at: DVec3,
    turn_deg: f64,
    least_size: f64,
    formulas: &'a mut Formulas,
    /// Formulas of this solid so far.
    formula_count: usize,
    warnings: &'a mut Vec<String>,
}

impl Build<'_> {
    /// The field of a shape, and a box around its surface.
    fn shape(&mut self, path: &str, raw: &ShapeRaw) -> Result<(Expr, Aabb), RecipeError> {
        match raw {
            ShapeRaw::Box { at, size, turn_deg } => self.cuboid(path, *at, *size, *turn_deg),
            ShapeRaw::Sphere { at, radius } => {
                let centre = self.world_from_local(path, *at)?;
                let radius = self.size(&format!("{path}.radius"), *radius, 2.0)?;
                Ok((Expr::sphere(centre, radius), Aabb::new(centre, centre).grow(radius)))
            }
            ShapeRaw::Cylinder { at, radius, length, tilt_deg, turn_deg } => {
                let centre = self.world_from_local(path, *at)?;
                let radius = self.size(&format!("{path}.radius"), *radius, 2.0)?;
                let half = 0.5 * self.size(&format!("{path}.length"), *length, 1.0)?;
                let axis = self.leaning(path, "tilt_deg", *tilt_deg, *turn_deg)?;
                let bounds = Aabb::new(centre, centre).grow(ops::hypot(radius, half));
                Ok((Expr::cylinder(centre, axis, radius, half), bounds))
            }
            ShapeRaw::Below { at, slope_deg, turn_deg } => {
                let point = self.world_from_local(path, *at)?;
                let normal = self.leaning(path, "slope_deg", *slope_deg, *turn_deg)?;
                Ok((Expr::plane(point, normal), EVERYWHERE))
            }
            ShapeRaw::Union { of, blend } => {
                let blend = self.blend(path, *blend)?;
                let parts = self.parts(&format!("{path}.of"), of)?;
                Ok(join(parts, |a, b| smooth(a, b, blend, Expr::union, Expr::smooth_union), Aabb::union))
            }
            ShapeRaw::Intersection { of, blend } => {
                let blend = self.blend(path, *blend)?;
                let parts = self.parts(&format!("{path}.of"), of)?;
                let both =
                    |a: &Expr, b: &Expr| smooth(a, b, blend, Expr::intersection, Expr::smooth_intersection);
                Ok(join(parts, both, common))
            }
            ShapeRaw::Difference { from, cut, blend } => {
                let blend = self.blend(path, *blend)?;
                let (from, bounds) = self.shape(&format!("{path}.from"), from)?;
                let cut = self.parts(&format!("{path}.cut"), cut)?;
                let without = |a: Expr, (b, _): (Expr, Aabb)| {
                    smooth(&a, &b, blend, Expr::difference, Expr::smooth_difference)
                };
                Ok((cut.into_iter().fold(from, without), bounds))
            }
            ShapeRaw::Field(formula) => {
                let label = format!("solid {} {}", self.name, self.formula_count);
                self.formula_count += 1;
                let local = self.formulas.field(path, &label, formula)?;
                let placed = local.rotated(DVec3::ZERO, DVec3::Z, self.turn_deg).translated(self.at);
                let tape = Tape::new(&placed).map_err(|error| self.source.error(path, error.into()))?;
                Ok((placed, surface_box(&tape, self.at)))
            }
        }
    }

    fn cuboid(
        &mut self,
        path: &str,
        at: (f64, f64, f64),
        size: (f64, f64, f64),
        turn_deg: f64,
    ) -> Result<(Expr, Aabb), RecipeError> {
        let centre = self.world_from_local(path, at)?;
        let mut half = DVec3::from(size);
        for axis in 0..3 {
            half[axis] = 0.5 * self.size(&format!("{path}.size[{axis}]"), half[axis], 1.0)?;
        }
        let turn_deg = self.turn_deg + self.source.turn(&format!("{path}.turn_deg"), turn_deg)?;
        let (sine, cosine) = ops::sin_cos_deg(turn_deg);
        let (s, c) = (sine.abs(), cosine.abs());
        let reach = DVec3::new(c * half.x + s * half.y, s * half.x + c * half.y, half.z);
        Ok((Expr::cuboid(centre, half, turn_deg), Aabb::new(centre - reach, centre + reach)))
    }

    fn parts(&mut self, path: &str, raw: &[ShapeRaw]) -> Result<Vec<(Expr, Aabb)>, RecipeError> {
        self.source.count(path, "shapes", raw.len(), 1..=1024)?;
        raw.iter().enumerate().map(|(i, shape)| self.shape(&format!("{path}[{i}]"), shape)).collect()
    }

    /// A size in metres, snapped to twice the usual step so that its half is a multiple of it. `whole` times the size is
    /// the thickness of what it measures.
    fn size(&mut self, path: &str, value: f64, whole: f64) -> Result<f64, RecipeError> {
        let size = 2.0 * snap(0.5 * self.source.number(path, value, LEAST..=MOST, " m")?);
        if whole * size < self.least_size {
            let least = self.least_size;
            let thickness = whole * size;
            self.warnings.push(format!(
                "{thickness} m is less than three cells ({least} m) and may break up ({path})"
            ));
        }
        Ok(size)
    }

    fn blend(&self, path: &str, value: f64) -> Result<f64, RecipeError> {
        self.source.metres(&format!("{path}.blend"), value, 0.0..=1000.0)
    }

    /// The place of a point given from the solid's origin, before its turn.
    fn world_from_local(&self, path: &str, at: (f64, f64, f64)) -> Result<DVec3, RecipeError> {
        let local = self.source.place(&format!("{path}.at"), at)?;
        Ok((self.at + turned(local, self.turn_deg)).map(snap))
    }

    /// The vertical, leant to the north by `lean_deg` and then turned.
    fn leaning(&self, path: &str, name: &str, lean_deg: f64, turn_deg: f64) -> Result<DVec3, RecipeError> {
        let (sine, cosine) = ops::sin_cos_deg(self.source.turn(&format!("{path}.{name}"), lean_deg)?);
        let turn_deg = self.turn_deg + self.source.turn(&format!("{path}.turn_deg"), turn_deg)?;
        Ok(turned(DVec3::new(0.0, sine, cosine), turn_deg))
    }
}

/// A box around the surface of a field near a place: outside of it, bounds find no inside. Directions without an end
/// stay open.
fn surface_box(tape: &Tape, near: DVec3) -> Aabb {
    const REACH: f64 = 65_536.0;
    const FINEST: f64 = 0.5;
    let all = Aabb::new(near - REACH, near + REACH);
    let mut found = all;
    let mut slab = REACH;
    while slab >= FINEST {
        for axis in 0..3 {
            for upper in [false, true] {
                let (mut outer, mut rest) = (found, found);
                if upper {
                    outer.min[axis] = found.max[axis] - slab;
                    rest.max[axis] = outer.min[axis];
                } else {
                    outer.max[axis] = found.min[axis] + slab;
                    rest.min[axis] = outer.max[axis];
                }
                if rest.min[axis] < rest.max[axis] && tape.bounds(outer).lo > 0.0 {
                    found = rest;
                }
            }
        }
        slab *= 0.5;
    }
    for axis in 0..3 {
        if found.min[axis] == all.min[axis] {
            found.min[axis] = f64::NEG_INFINITY;
        }
        if found.max[axis] == all.max[axis] {
            found.max[axis] = f64::INFINITY;
        }
    }
    found
}

fn turned(v: DVec3, turn_deg: f64) -> DVec3 {
    let (sine, cosine) = ops::sin_cos_deg(turn_deg);
    DVec2::new(cosine * v.x - sine * v.y, sine * v.x + cosine * v.y).extend(v.z)
}

fn smooth(
    a: &Expr,
    b: &Expr,
    blend: f64,
    sharp: impl Fn(&Expr, &Expr) -> Expr,
    rounded: impl Fn(&Expr, &Expr, f64) -> Expr,
) -> Expr {
    if blend > 0.0 { rounded(a, b, blend) } else { sharp(a, b) }
}

fn join(
    parts: Vec<(Expr, Aabb)>,
    exprs: impl Fn(&Expr, &Expr) -> Expr,
    boxes: impl Fn(Aabb, Aabb) -> Aabb,
) -> (Expr, Aabb) {
    let joined = parts.into_iter().reduce(|(a, near), (b, far)| (exprs(&a, &b), boxes(near, far)));
    joined.expect("a list of shapes has at least one entry, which `parts` has checked")
}

fn common(a: Aabb, b: Aabb) -> Aabb {
    Aabb::new(a.min.max(b.min), a.max.min(b.max))
}
