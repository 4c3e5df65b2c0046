//! One expression or more for every op of the field language, for suites that hold something of all of them.

use glam::{DVec2, DVec3, I64Vec3, Quat, Vec3};
use weald_field::cloud::Blob;
use weald_field::image::{Edge, Filter, ImageSettings};
use weald_field::segments::{RadiusNoise, Segment};
use weald_field::{
    Basis, Cloud, ContentId, Curve, Domain, Expr, Fractal, Heightfield, Image, NoiseSettings, Segments,
    WorleyKind,
};
use weald_space::{Axis, Seed};

/// An op at work.
#[derive(Clone, Debug)]
pub struct OpCase {
    /// What people call the op.
    pub name: &'static str,
    /// The op, with something to see within some eight metres of the origin.
    pub expr: Expr,
}

/// All ops.
///
/// # Panics
/// If one of them is no good.
#[must_use]
pub fn ops() -> Vec<OpCase> {
    let mut cases = arithmetic();
    cases.extend(noises());
    cases.extend(shapes());
    cases.extend(transforms());
    cases.extend(rasters());
    cases.extend(volumes());
    cases
}

fn case(name: &'static str, expr: Expr) -> OpCase {
    OpCase { name, expr }
}

/// A field without a kink, that varies along all axes.
fn smooth() -> Expr {
    Expr::noise(&NoiseSettings {
        wavelength: 9.0,
        octaves: 2,
        amplitude: 3.0,
        seed: Seed::new(7),
        ..Default::default()
    })
}

fn ball() -> Expr {
    Expr::sphere(DVec3::new(1.5, -0.75, 0.5), 3.0)
}

fn arithmetic() -> Vec<OpCase> {
    let (x, y, z) = (Expr::x(), Expr::y(), Expr::z());
    let (ball, smooth) = (ball(), smooth());
    let curve = Curve::new(&[(-3.0, 2.0), (-1.0, 2.5), (0.5, -1.0), (2.0, 0.0), (4.0, 3.0)]);
    let curve = curve.expect("knots in order");
    vec![
        case("constant", x.clone() * 0.0 + 2.5),
        case("x", x.clone()),
        case("y", y.clone()),
        case("z", z.clone()),
        case("negation", -smooth.clone()),
        case("abs", smooth.abs()),
        case("floor", (x.clone() * 0.7 + 0.2).floor()),
        case("sqrt", (smooth.clone() + 1.0).sqrt()),
        case("power 2", smooth.power(2.0)),
        case("power 3", smooth.power(3.0)),
        case("power 1.5", (smooth.clone() + 2.0).power(1.5)),
        case("power -1", (smooth.abs() + 1.0).power(-1.0)),
        case("wave", (x.clone() * 0.11 + z.clone() * 0.07).wave()),
        case("curve", smooth.curve(&curve)),
        case("sum", x.clone() + smooth.clone()),
        case("difference of numbers", y.clone() - smooth.clone()),
        case("product", x.clone() * smooth.clone()),
        case("quotient", smooth.clone() / (y.clone() * y.clone() + 1.0)),
        case("min", ball.min(&smooth)),
        case("max", ball.max(&smooth)),
        case("clamp", smooth.clamp(-0.5, 1.0)),
        case("smooth min", ball.smooth_min(&smooth, 2.0)),
        case("smooth max", ball.smooth_max(&smooth, 2.0)),
        case("mix", x.mix(&(y.clone() * 2.0), &(smooth.clone() * 0.5 + 0.5))),
        case("remap", smooth.remap(-1.0..1.0, 5.0..7.0)),
        case("smoothstep", smooth.smoothstep(-1.0, 1.0)),
        case("select", Expr::select(&ball, &(x * 0.5), &smooth)),
        case("union", ball.union(&z)),
        case("intersection", ball.intersection(&z)),
        case("difference", ball.difference(&z)),
        case("height surface", Expr::height_surface(plane_noise(4.0), 0.5)),
    ]
}

fn plane_noise(amplitude: f64) -> Expr {
    Expr::noise(&NoiseSettings {
        domain: Domain::Plane,
        wavelength: 11.0,
        octaves: 3,
        amplitude,
        seed: Seed::new(5),
        ..Default::default()
    })
}

fn noises() -> Vec<OpCase> {
    let noise = |name, basis, fractal, domain| {
        let settings = NoiseSettings {
            basis,
            fractal,
            domain,
            origin: DVec3::new(0.25, -3.0, 8.5),
            wavelength: 5.0,
            octaves: 3,
            seed: Seed::new(11),
            ..Default::default()
        };
        case(name, Expr::noise(&settings))
    };
    let (plane, space) = (Domain::Plane, Domain::Space);
    let worley = Basis::Worley;
    vec![
        noise("value noise in the plane", Basis::Value, Fractal::Fbm, plane),
        noise("value noise", Basis::Value, Fractal::Fbm, space),
        noise("gradient noise in the plane", Basis::Gradient, Fractal::Fbm, plane),
        noise("gradient noise", Basis::Gradient, Fractal::Fbm, space),
        noise("simplex noise in the plane", Basis::Simplex, Fractal::Fbm, plane),
        noise("simplex noise", Basis::Simplex, Fractal::Fbm, space),
        noise("worley F1 in the plane", worley(WorleyKind::F1), Fractal::Fbm, plane),
        noise("worley F1", worley(WorleyKind::F1), Fractal::Fbm, space),
        noise("worley F2", worley(WorleyKind::F2), Fractal::Fbm, space),
        noise("worley F2 - F1", worley(WorleyKind::F2MinusF1), Fractal::Fbm, space),
        noise("worley F2 - F1 in the plane", worley(WorleyKind::F2MinusF1), Fractal::Fbm, plane),
        noise("ridged noise", Basis::Gradient, Fractal::Ridged, space),
        noise("billow noise", Basis::Simplex, Fractal::Billow, plane),
        case("domain warp", smooth().warped([&plane_noise(2.0), &smooth(), &(Expr::x() * 0.25)])),
    ]
}

fn shapes() -> Vec<OpCase> {
    let at = DVec3::new(0.5, 1.0, -0.25);
    let outline: Vec<DVec2> =
        [(-4.0, -3.0), (4.0, -2.5), (1.0, 0.0), (3.5, 4.0), (-2.0, 2.5)].map(DVec2::from).to_vec();
    let path = [(-5.0, -2.0, 0.0, 1.5), (0.0, 3.0, 1.0, 1.0), (4.0, 1.0, 4.0, 0.4), (5.0, -4.0, -2.0, 0.7)];
    let path: Vec<(DVec3, f64)> = path.map(|(x, y, z, radius)| (DVec3::new(x, y, z), radius)).to_vec();
    vec![
        case("sphere", Expr::sphere(at, 4.0)),
        case("ellipsoid", Expr::ellipsoid(at, DVec3::new(5.0, 3.0, 2.0))),
        case("box", Expr::cuboid(at, DVec3::new(2.0, 4.0, 3.0), 0.0)),
        case("turned box", Expr::cuboid(at, DVec3::new(2.0, 4.0, 3.0), 33.0)),
        case("rounded box", Expr::rounded_cuboid(at, DVec3::new(2.0, 4.0, 3.0), 0.75, -20.0)),
        case("capsule", Expr::capsule(DVec3::new(-4.0, -1.0, 2.0), DVec3::new(3.0, 2.0, -1.0), 1.5)),
        case(
            "round cone",
            Expr::round_cone(DVec3::new(-3.0, -2.0, -2.0), DVec3::new(2.0, 3.0, 2.0), 2.5, 0.75),
        ),
        case("torus", Expr::torus(at, DVec3::new(0.3, -0.2, 1.0), 4.0, 1.25)),
        case("cylinder", Expr::cylinder(at, DVec3::Z, 3.0, 2.0)),
        case("leaning cylinder", Expr::cylinder(at, DVec3::new(1.0, 0.5, 1.0), 2.0, 4.0)),
        case("plane", Expr::plane(at, DVec3::new(1.0, -2.0, 2.0))),
        case("prism", Expr::prism(&outline, -2.0..3.0).expect("a simple polygon")),
        case("polyline", Expr::polyline(&path).expect("a good path")),
    ]
}

fn transforms() -> Vec<OpCase> {
    let brick = Expr::cuboid(DVec3::new(1.0, 0.0, 0.0), DVec3::new(2.0, 1.0, 0.75), 0.0);
    let about = DVec3::new(0.5, -1.0, 0.25);
    vec![
        case("translated", brick.translated(DVec3::new(1.0, 2.0, -1.5))),
        case("rotated", brick.rotated(about, DVec3::new(1.0, 2.0, 3.0), 50.0)),
        case("rotated noise", smooth().rotated(about, DVec3::new(3.0, -1.0, 1.0), 20.0)),
        case("scaled", brick.scaled(about, 1.75)),
        case("mirrored", brick.mirrored(about, DVec3::new(1.0, 1.0, 0.0))),
        case("mirrored along an axis", brick.mirrored(DVec3::ZERO, DVec3::X)),
        case("repeated", brick.repeated(about, DVec3::new(7.0, 5.0, 0.0), None)),
        case("repeated a few times", brick.repeated(about, DVec3::new(7.0, 5.0, 4.0), Some([1, 0, 2]))),
        case("repeated and turned", {
            let row = brick.repeated(about, DVec3::new(6.0, 0.0, 0.0), None);
            row.rotated(about, DVec3::Y, 30.0).repeated(about, DVec3::new(0.0, 6.0, 0.0), None)
        }),
        case("twisted", brick.twisted(about, Axis::Z, 12.0)),
        case("warped", brick.warped([&plane_noise(0.5), &smooth(), &(Expr::y() * 0.1)])),
    ]
}

fn rasters() -> Vec<OpCase> {
    let posts: Vec<f32> = (0..12 * 10).map(|i| ((i * 37) % 101) as f32 * 0.03).collect();
    let origin = DVec2::new(-9.0, -7.0);
    let heights = Heightfield::new(origin, DVec2::new(1.5, 2.0), 12, 10, posts.into(), ContentId::from(3));
    let heights = Expr::heightfield(heights.expect("good posts"));
    vec![
        case("heightfield", heights.clone()),
        case("turned heightfield", heights.rotated(DVec3::ZERO, DVec3::Z, 25.0)),
        case("ground", Expr::height_surface(heights, 1.0)),
        case("image, nearest", image(Filter::Nearest, Edge::Constant(0.5))),
        case("image, linear", image(Filter::Linear, Edge::Clamp)),
        case("image, cubic", image(Filter::Cubic, Edge::Repeat)),
    ]
}

fn image(filter: Filter, edge: Edge) -> Expr {
    let samples: Vec<f32> = (0..9 * 7).map(|i| ((i * 29) % 53) as f32 * 0.04).collect();
    let settings = ImageSettings { filter, edge };
    let (origin, step) = (DVec2::new(-6.0, -5.5), DVec2::new(1.75, 1.5));
    Expr::image(Image::new(origin, step, 9, 7, &samples, settings, ContentId::from(4)).expect("good samples"))
}

/// Unions with trees of bounds: so many parts that boxes leave some of them out, and so few that shaders, which list
/// them all, are not too long.
fn volumes() -> Vec<OpCase> {
    let mut draw = Seed::new(5).child("volumes").at(I64Vec3::ZERO, 0, 0);
    let mut number = |range: std::ops::Range<f64>| draw.range(range) as f32;
    let segments: Vec<Segment> = (0..30)
        .map(|_| {
            let from = Vec3::new(number(-9.0..9.0), number(-9.0..9.0), number(-9.0..9.0));
            let by = Vec3::new(number(-2.0..2.0), number(-2.0..2.0), number(-2.0..2.0));
            Segment { ends: [from, from + by], radii: [number(0.2..0.9), number(0.1..0.6)] }
        })
        .collect();
    let blobs: Vec<Blob> = (0..20)
        .map(|_| {
            let centre = Vec3::new(number(-9.0..9.0), number(-9.0..9.0), number(-9.0..9.0));
            let radii = Vec3::new(number(0.5..2.0), number(0.5..2.0), number(0.5..2.0));
            let turn = Quat::from_xyzw(number(-1.0..1.0), number(-1.0..1.0), number(-1.0..1.0), 0.5);
            Blob { centre, radii, turn: turn.normalize() }
        })
        .collect();
    let origin = DVec3::new(0.5, -0.25, 0.75);
    let noise = RadiusNoise { amplitude: 0.3, wavelength: 0.8, octaves: 2, seed: Seed::new(12) };
    let plain = Segments::new(origin, &segments, ContentId::from(5)).expect("good segments");
    let rough =
        Segments::with_noise(origin, &segments[..4], noise, ContentId::from(5)).expect("good segments");
    let cloud = Cloud::new(origin, &blobs, ContentId::from(6)).expect("good ellipsoids");
    vec![
        case("segments", Expr::segments(plain)),
        case("segments with noise", Expr::segments(rough)),
        case("cloud", Expr::cloud(cloud)),
    ]
}
