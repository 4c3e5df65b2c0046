//! What the gallery shows: at least one picture for each name of the formula language, made of the formula beside it.

use glam::{DVec2, DVec3, Quat, Vec3};
use weald_field::cloud::Blob;
use weald_field::image::{Edge, Filter, ImageSettings};
use weald_field::segments::Segment;
use weald_field::{Cloud, ContentId, Expr, Heightfield, Image, Segments};
use weald_space::seed::Draw;
use weald_space::{Axis, Seed};

/// How a field is shown.
#[derive(Clone, Copy)]
pub(crate) enum Look {
    /// As a lit body, cut to the cube around the origin with this half side in metres.
    Body(f64),
    /// As a cut across an axis through the origin; the picture is twice this high in metres.
    Cut(Axis, f64),
}

/// One picture.
#[derive(Clone, Copy)]
pub(crate) struct Entry {
    /// The picture's name: that of the op, and what differs.
    pub(crate) name: &'static str,
    /// The formula that is shown.
    pub(crate) formula: &'static str,
    pub(crate) look: Look,
}

/// Pictures that belong together.
pub(crate) struct Group {
    pub(crate) title: &'static str,
    pub(crate) about: &'static str,
    pub(crate) entries: &'static [Entry],
}

const fn body(name: &'static str, half: f64, formula: &'static str) -> Entry {
    Entry { name, formula, look: Look::Body(half) }
}

const fn side(name: &'static str, half: f64, formula: &'static str) -> Entry {
    Entry { name, formula, look: Look::Cut(Axis::Y, half) }
}

const fn top(name: &'static str, half: f64, formula: &'static str) -> Entry {
    Entry { name, formula, look: Look::Cut(Axis::Z, half) }
}

pub(crate) const GROUPS: &[Group] = &[
    Group {
        title: "The place",
        about: "Cuts: x from above, y from above, z from the south. Warm is inside, cool outside, the strong line zero.",
        entries: &[top("x", 6.0, "x"), top("y", 6.0, "y"), side("z", 6.0, "z")],
    },
    Group {
        title: "Functions of a number",
        about: "Cuts from the south. `z - f(x)` is a solid whose surface is the graph of f.",
        entries: &[
            side("abs", 6.0, "z + 4 - abs(x)"),
            side("floor", 6.0, "z - 2 * floor(x / 3)"),
            side("sqrt", 6.0, "z + 4 - 2 * sqrt(x + 6)"),
            side("pow", 6.0, "z + 4 - 3 * pow(x / 4, 2)"),
            side("sin", 6.0, "z - 4 * sin(36 * x)"),
            side("cos", 6.0, "z - 4 * cos(36 * x)"),
            side("wave", 6.0, "z - 4 * wave(x / 8)"),
            side("clamp", 6.0, "z - clamp(x, -4, 2)"),
            side("remap", 6.0, "z - remap(x, from: (-8, 8), to: (3, -1))"),
            side("smoothstep", 6.0, "z + 3 - 6 * smoothstep(x, -5, 5)"),
            side("curve", 6.0, "z - curve(x, [(-8, -3), (-4, 3), (-1, -1), (3, 1), (8, -4)])"),
        ],
    },
    Group {
        title: "Two fields and more",
        about: "Cuts from above, but for `mix`. What is rounded differs from what is sharp near the edge alone.",
        entries: &[
            top("min", 6.0, "min(sphere(4, at: (-3, 0, 0)), sphere(4, at: (3, 0, 0)))"),
            top("max", 6.0, "max(sphere(5, at: (-3, 0, 0)), sphere(5, at: (3, 0, 0)))"),
            top("smooth_min", 6.0, "smooth_min(sphere(4, at: (-3.5, 0, 0)), sphere(4, at: (3.5, 0, 0)), 6)"),
            top("smooth_max", 6.0, "smooth_max(sphere(5, at: (-3, 0, 0)), sphere(5, at: (3, 0, 0)), 6)"),
            side("mix", 6.0, "mix(z - 3 * wave(x / 4), z, smoothstep(x, -6, 6))"),
            top("if", 6.0, "if(x < 0, sphere(5), box((8, 8, 8)))"),
        ],
    },
    Group {
        title: "Solids joined",
        about: "",
        entries: &[
            body("union", 7.0, "union(box((11, 11, 4)), sphere(3.6, at: (0, 0, 3)))"),
            body("union, blended", 7.0, "union(box((11, 11, 4)), sphere(3.6, at: (0, 0, 3)), blend: 3)"),
            body("intersection", 7.0, "intersection(box((9, 9, 9)), sphere(6))"),
            body("difference", 7.0, "difference(box((10, 10, 8)), cylinder(2.8, 20, axis: (0, 1, 0)))"),
            body(
                "difference, blended",
                7.0,
                "difference(box((10, 10, 8)), cylinder(2.8, 20, axis: (0, 1, 0)), blend: 3)",
            ),
            body("ground", 8.0, "ground(3 * fbm(12, octaves: 4, flat: true, seed: 4))"),
        ],
    },
    Group {
        title: "Noise",
        about: "Cuts from above, 24 m high. Values are about from -1 to 1, those of `worley` from 0 on.",
        entries: &[
            top("noise", 12.0, "noise(6)"),
            top("noise, value", 12.0, "noise(6, basis: 'value')"),
            top("noise, simplex", 12.0, "noise(6, basis: 'simplex')"),
            top("fbm", 12.0, "fbm(12)"),
            top("ridged", 12.0, "ridged(12) - 0.9"),
            top("billow", 12.0, "billow(12) + 0.9"),
            top("worley", 12.0, "worley(6) - 0.35"),
            top("worley, f2", 12.0, "worley(6, of: 'f2') - 0.8"),
            top("worley, f2_f1", 12.0, "worley(6, of: 'f2_f1') - 0.1"),
            top(
                "fbm, warped",
                12.0,
                "fbm(12).warp(x: 5 * fbm(10, octaves: 3, seed: 1), y: 5 * fbm(10, octaves: 3, seed: 2))",
            ),
        ],
    },
    Group {
        title: "Shapes",
        about: "",
        entries: &[
            body("sphere", 7.0, "sphere(5)"),
            body("ellipsoid", 7.0, "ellipsoid((6, 4, 3))"),
            body("box", 7.0, "box((10, 7, 6), turn: 20)"),
            body("rounded_box", 7.0, "rounded_box((10, 7, 6), 1.5, turn: 20)"),
            body("capsule", 7.0, "capsule((-4, 0, -2), (4, 0, 3), 2)"),
            body("round_cone", 7.0, "round_cone((-3, 0, 0), (4, 0, 3), 3, 1)"),
            body("torus", 7.0, "torus(4.5, 1.6, axis: (0.3, -0.4, 1))"),
            body("cylinder", 7.0, "cylinder(4, 7)"),
            body("plane", 6.0, "plane((0.4, -0.5, 1))"),
            body("prism", 7.0, "prism([(-6, -4), (6, -4), (6, 0), (1, 0), (1, 5), (-6, 5)], -2, 3)"),
            body(
                "polyline",
                7.0,
                "polyline([(-5, -3, -3, 1.6), (-4, 3, 0, 1.3), (1, 3, 3, 1), (2, -3, 4, 0.8), (6, -2, 0, 0.5)])",
            ),
        ],
    },
    Group {
        title: "Moved, turned, repeated, bent",
        about: "",
        entries: &[
            body("at", 8.0, "union(box((3, 3, 3)), box((3, 3, 3)).at((5, 2, 4)))"),
            body("rotate", 7.0, "box((10, 5, 3)).rotate(x: 25, y: -20, z: 30)"),
            body("scale", 9.0, "union(torus(2, 0.7), torus(2, 0.7).scale(3))"),
            body("mirror", 8.0, "round_cone((2, -3, -1), (5, 3, 4), 2.2, 0.8).mirror((1, 0, 0))"),
            body("repeat", 9.0, "box((2.6, 2.6, 2.6)).repeat((4, 4, 4), count: (2, 1, 1))"),
            body("twist", 8.0, "box((7, 7, 14)).twist(9)"),
            body("warp", 8.0, "box((9, 9, 9)).warp(x: 1.2 * wave(z / 7), y: 0.8 * wave(z / 5))"),
        ],
    },
    Group {
        title: "Data",
        about: "What is not written as a formula: rasters that a world gives to formulas by name, and payloads that \
                programs make (`Expr::heightfield`, `Expr::image`, `Expr::segments`, `Expr::cloud`).",
        entries: &[
            body("heightfield", 8.0, "ground(heightfield)"),
            top("image", 8.0, "image"),
            body("segments", 8.0, "segments"),
            body("cloud", 8.0, "cloud"),
        ],
    },
];

/// The fields that the world of the gallery gives to formulas.
pub(crate) fn data() -> Vec<(&'static str, Expr)> {
    vec![
        ("heightfield", Expr::heightfield(heightfield())),
        ("image", Expr::image(image())),
        ("segments", Expr::segments(segments())),
        ("cloud", Expr::cloud(cloud())),
    ]
}

/// Few posts, to show how smooth the surface between them is.
fn heightfield() -> Heightfield {
    const SIDE: usize = 7;
    let posts: Vec<f32> = (0..SIDE * SIDE).map(|i| draws(i as u64).range(-3.0..3.5) as f32).collect();
    let (origin, step) = (DVec2::splat(-9.0), DVec2::splat(3.0));
    Heightfield::new(origin, step, SIDE, SIDE, posts.into(), ContentId::from(1)).expect("good posts")
}

/// A letter W of samples.
fn image() -> Image {
    const ROWS: [&str; 7] = [
        "...........",
        ".#.......#.",
        ".#...#...#.",
        ".#..###..#.",
        ".#.##.##.#.",
        ".###...###.",
        "...........",
    ];
    let samples: Vec<f32> =
        ROWS.iter().rev().flat_map(|row| row.chars().map(|c| if c == '#' { -1.0 } else { 1.0 })).collect();
    let settings = ImageSettings { filter: Filter::Cubic, edge: Edge::Clamp };
    let (origin, step) = (DVec2::new(-10.0, -6.0), DVec2::splat(2.0));
    Image::new(origin, step, 11, 7, &samples, settings, ContentId::from(2)).expect("good samples")
}

fn draws(i: u64) -> Draw {
    Seed::new(3).at(glam::I64Vec3::new(i as i64, 0, 0), 0, 0)
}

/// A tree: each branch forks into two, shorter and thinner.
fn segments() -> Segments {
    let mut all = Vec::new();
    let mut open = vec![(Vec3::new(0.0, 0.0, -7.5), Vec3::new(0.0, 0.1, 4.5), 1.0_f32, 0_u32)];
    while let Some((from, along, radius, level)) = open.pop() {
        let to = from + along;
        all.push(Segment { ends: [from, to], radii: [radius, radius * 0.72] });
        if level == 5 {
            continue;
        }
        let mut draw = draws(all.len() as u64);
        let turn = draw.range(0.0..std::f64::consts::TAU) as f32;
        for side in [-1.0, 1.0] {
            let (u, v) = along.normalize_or(glam::Vec3::Z).any_orthonormal_pair();
            let away = (u * weald_space::ops::cos_f32(turn) + v * weald_space::ops::sin_f32(turn)) * side;
            let next = (along * 0.72 + away * along.length() * 0.48) * 0.95;
            open.push((to, next + Vec3::Z * 0.25, radius * 0.68, level + 1));
        }
    }
    Segments::new(DVec3::ZERO, &all, ContentId::from(3)).expect("good branches")
}

/// A crown: blobs about a stem.
fn cloud() -> Cloud {
    let blob = |i: u64| {
        let mut draw = draws(100 + i);
        let angle = i as f32 * 2.4;
        let up = i as f32 / 20.0;
        let away = 4.2 * (1.0 - up) + 0.4;
        let centre = Vec3::new(
            away * weald_space::ops::cos_f32(angle),
            away * weald_space::ops::sin_f32(angle),
            -3.0 + 8.0 * up,
        );
        let radii = Vec3::new(2.3, 1.8, 1.3) * draw.range(0.8..1.1) as f32;
        Blob { centre, radii, turn: Quat::IDENTITY }
    };
    let blobs: Vec<Blob> = (0..20).map(blob).collect();
    Cloud::new(DVec3::ZERO, &blobs, ContentId::from(4)).expect("good blobs")
}
