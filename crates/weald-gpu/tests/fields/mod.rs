//! A field for each op, with no jump on a lattice point.

use std::sync::Arc;

use glam::{DQuat, DVec2, DVec3};
use weald_field::noise::{Basis, Domain, Fractal, NoiseSettings, WorleyKind};
use weald_field::{ContentId, Curve, Expr, Heightfield};
use weald_space::{Axis, Seed};

/// Fields around the origin, some ten metres wide, each with the name of what it is there for.
pub(crate) fn fields() -> Vec<(String, Expr)> {
    let named = |list: Vec<(&str, Expr)>| list.into_iter().map(|(name, field)| (name.to_owned(), field));
    named(arithmetic()).chain(named(shapes())).chain(named(transforms())).chain(noises()).collect()
}

fn slanted() -> Expr {
    Expr::x() * 0.37 - Expr::y() * 0.21 + Expr::z() * 0.43 + 0.113
}

fn ball() -> Expr {
    Expr::sphere(DVec3::new(1.3, -2.1, 0.7), 5.2)
}

fn rock() -> Expr {
    Expr::cuboid(DVec3::new(-1.2, 0.4, 0.9), DVec3::new(4.1, 3.3, 2.2), 27.0)
}

fn arithmetic() -> Vec<(&'static str, Expr)> {
    let (a, b) = (slanted(), ball());
    let knots = [(-5.0, 1.0), (-1.0, 2.5), (0.5, -1.0), (4.0, 3.0)];
    let curve = Curve::new(&knots).expect("the knots are in order");
    vec![
        ("constant", Expr::constant(-2.5)),
        ("x", Expr::x()),
        ("y", Expr::y()),
        ("z", Expr::z()),
        ("negation", -a.clone()),
        ("sum", a.clone() + b.clone()),
        ("difference", a.clone() - b.clone()),
        ("product", a.clone() * b.clone() * 0.2),
        ("quotient", a.clone() / (b.abs() + 1.5)),
        ("abs", a.abs()),
        ("floor", a.floor()),
        ("sqrt", a.sqrt()),
        ("wave", (a.clone() * 0.31).wave()),
        ("square", a.power(2.0)),
        ("power", (a.clone() * 0.5).power(1.7)),
        ("power below zero", (a.abs() + 1.0).power(-0.6)),
        ("min", a.min(&b)),
        ("max", a.max(&b)),
        ("smooth min", a.smooth_min(&b, 2.5)),
        ("smooth max", a.smooth_max(&b, 2.5)),
        ("clamp", a.clamp(-1.0, 2.0)),
        ("mix", a.mix(&b, &(Expr::z() * 0.07 + 0.4))),
        ("remap", a.remap(-3.0..4.0, 10.0..-7.0)),
        ("smoothstep", a.smoothstep(-2.0, 3.0)),
        ("curve", a.curve(&curve)),
        ("select", Expr::select(&a, &b, &rock())),
        ("difference of solids", b.difference(&rock())),
        ("smooth difference", b.smooth_difference(&rock(), 1.5)),
        ("intersection", b.intersection(&rock())),
    ]
}

fn shapes() -> Vec<(&'static str, Expr)> {
    let at = DVec3::new(0.6, -1.4, 0.3);
    let other = DVec3::new(3.9, 2.7, 4.4);
    let star: Vec<DVec2> = [(-6.1, -5.2), (4.3, -6.4), (1.2, 0.3), (5.6, 6.1), (-2.7, 3.2)]
        .map(|(x, y)| DVec2::new(x, y))
        .to_vec();
    let path = [(at, 1.1), (other, 0.6), (DVec3::new(-4.2, 5.1, 2.3), 1.7)];
    vec![
        ("sphere", ball()),
        ("ellipsoid", Expr::ellipsoid(at, DVec3::new(6.0, 3.5, 2.2))),
        ("cuboid", rock()),
        ("rounded cuboid", Expr::rounded_cuboid(at, DVec3::new(4.0, 3.0, 2.0), 0.8, -33.0)),
        ("capsule", Expr::capsule(at, other, 1.4)),
        ("round cone", Expr::round_cone(at, other, 2.1, 0.7)),
        ("torus", Expr::torus(at, DVec3::new(0.3, -0.5, 0.8), 5.0, 1.3)),
        ("cylinder", Expr::cylinder(at, DVec3::new(0.9, 0.2, 0.4), 2.6, 4.1)),
        ("plane", Expr::plane(at, DVec3::new(0.4, 0.3, 0.8))),
        ("prism", Expr::prism(&star, -2.3..5.1).expect("the outline is simple")),
        ("polyline", Expr::polyline(&path).expect("the points are in order")),
        ("heightfield", Expr::heightfield(heights())),
        ("height surface", Expr::height_surface(Expr::heightfield(heights()) + Expr::x() * 0.2, 1.5)),
    ]
}

fn heights() -> Heightfield {
    let posts: Arc<[f32]> = (0..13 * 11).map(|i| ((i * 7919 % 101) as f32) * 0.06 - 3.0).collect();
    let id = ContentId::from(1);
    Heightfield::new(DVec2::new(-9.3, -8.1), DVec2::new(1.7, 1.9), 13, 11, posts, id)
        .expect("posts are in order")
}

fn transforms() -> Vec<(&'static str, Expr)> {
    let about = DVec3::new(0.7, -0.3, 1.1);
    let axis = DVec3::new(0.2, 0.9, -0.4);
    let bumps = NoiseSettings { wavelength: 5.0, octaves: 2, amplitude: 0.8, ..Default::default() };
    let bumps = Expr::noise(&bumps);
    vec![
        ("translated", rock().translated(DVec3::new(2.25, -1.5, 0.75))),
        ("rotated", rock().rotated(about, axis, 41.0)),
        ("scaled", rock().scaled(about, 1.4)),
        ("mirrored", rock().mirrored(about, axis)),
        ("repeated", ball().repeated(about, DVec3::new(11.3, 0.0, 12.7), None)),
        ("repeated a few times", rock().repeated(about, DVec3::new(9.1, 8.3, 0.0), Some([1, 2, 0]))),
        ("twisted", rock().twisted(about, Axis::Z, 9.0)),
        ("warped", rock().warped([&bumps, &(bumps.clone() * 0.5), &(Expr::x() * 0.05)])),
        ("noise rotated", bumps.rotated(about, axis, 41.0)),
        ("noise warped", bumps.warped([&slanted(), &bumps, &(Expr::z() * 0.1)])),
        ("heightfield rotated", Expr::heightfield(heights()).rotated(about, axis, 20.0)),
    ]
}

const BASES: [(&str, Basis); 6] = [
    ("value", Basis::Value),
    ("gradient", Basis::Gradient),
    ("simplex", Basis::Simplex),
    ("Worley F1", Basis::Worley(WorleyKind::F1)),
    ("Worley F2", Basis::Worley(WorleyKind::F2)),
    ("Worley F2 - F1", Basis::Worley(WorleyKind::F2MinusF1)),
];

fn noises() -> impl Iterator<Item = (String, Expr)> {
    let fractals = [("fbm", Fractal::Fbm), ("ridged", Fractal::Ridged), ("billow", Fractal::Billow)];
    let domains = [("plane", Domain::Plane), ("space", Domain::Space)];
    let each = BASES.into_iter().flat_map(move |basis| domains.map(|domain| (basis, domain)));
    each.flat_map(move |each| fractals.map(|fractal| (each, fractal))).map(
        |(((basis_name, basis), (domain_name, domain)), (fractal_name, fractal))| {
            let origin = DVec3::new(0.3, -0.7, 1.9);
            let seed = Seed::new(7);
            let (wavelength, octaves, amplitude) = (9.7, 3, 2.0);
            let settings = NoiseSettings {
                basis,
                fractal,
                domain,
                origin,
                wavelength,
                octaves,
                amplitude,
                seed,
                ..Default::default()
            };
            (format!("{basis_name} noise, {fractal_name}, {domain_name}"), Expr::noise(&settings))
        },
    )
}

/// One layer of value noise whose lattice points are these metres apart.
pub(crate) fn hashed(wavelength: f64) -> Vec<(String, Expr)> {
    let field = |domain| {
        let (basis, seed) = (Basis::Value, Seed::new(11));
        let settings = NoiseSettings { basis, domain, wavelength, octaves: 1, seed, ..Default::default() };
        (format!("value noise, {domain:?}"), Expr::noise(&settings))
    };
    vec![field(Domain::Plane), field(Domain::Space)]
}
