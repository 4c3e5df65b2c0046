use std::ops::ControlFlow;

use glam::{DVec3, Vec3};
use proptest::prelude::*;
use weald_mesh::{MaterialId, Mesh};
use weald_space::{Aabb, WorldPos};

use super::*;

const GRASS: MaterialLook = MaterialLook { base_color: [0.10, 0.22, 0.05], roughness: 1.0 };
const WALL: MaterialLook = MaterialLook { base_color: [0.75, 0.20, 0.15], roughness: 1.0 };
const ORIGIN: DVec3 = DVec3::new(1000.0, -2000.0, 50.0);

fn on(_: f32) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

/// A sheet of `side` m from the origin to the north-east, with the height and the normal that `ground` gives.
fn sheet(side: f32, posts: u32, ground: impl Fn(f32, f32) -> (f32, Vec3)) -> Mesh {
    let mut mesh = Mesh::new(WorldPos(ORIGIN));
    let step = side / (posts - 1) as f32;
    for j in 0..posts {
        for i in 0..posts {
            let (x, y) = (i as f32 * step, j as f32 * step);
            let (z, normal) = ground(x, y);
            mesh.push_vertex(Vec3::new(x, y, z), normal, MaterialId(0));
        }
    }
    for j in 0..posts - 1 {
        for i in 0..posts - 1 {
            let [a, b, c, d] = [(0, 0), (1, 0), (1, 1), (0, 1)].map(|(u, v)| (j + v) * posts + i + u);
            mesh.triangles.extend([[a, b, c], [a, c, d]]);
        }
    }
    mesh
}

fn flat(side: f32) -> Mesh {
    sheet(side, 41, |_, _| (0.0, Vec3::Z))
}

fn hills() -> Mesh {
    sheet(400.0, 81, |x, y| {
        let bump = |at: f32| (at * 0.05) - (at * 0.05).floor() - 0.5;
        let (p, q) = (bump(x), bump(y));
        let slope = Vec3::new(24.0 * p * 0.05, 24.0 * q * 0.05, 1.0);
        (12.0 * (0.5 - p * p - q * q), slope.normalize_or_zero())
    })
}

/// Adds a box whose eight corners are shared by its sides, so that no vertex normal fits any of them.
fn add_box(mesh: &mut Mesh, low: Vec3, high: Vec3) {
    let first = mesh.positions.len() as u32;
    for i in 0..8 {
        let side = Vec3::new((i & 1) as f32, (i >> 1 & 1) as f32, (i >> 2) as f32);
        let normal = (side - 0.5).normalize_or_zero();
        mesh.push_vertex(low + (high - low) * side, normal, MaterialId(1));
    }
    let quads = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    for [a, b, c, d] in quads.map(|q| q.map(|v| first + v)) {
        mesh.triangles.extend([[a, b, c], [a, c, d]]);
    }
}

fn scene(mesh: &Mesh) -> Scene {
    Scene::new(mesh, &[GRASS, WALL]).unwrap()
}

fn small(width: u32, height: u32) -> PictureSettings {
    PictureSettings { width, height, legend: Legend::Omitted, ..PictureSettings::default() }
}

fn is_wall([r, g, _]: [u8; 3]) -> bool {
    r > g.saturating_add(25)
}

fn is_grass([r, g, b]: [u8; 3]) -> bool {
    g > r && g > b
}

fn brightness(p: [u8; 3]) -> u32 {
    p.iter().map(|&v| u32::from(v)).sum()
}

#[test]
fn the_horizon_is_in_the_row_where_perspective_puts_it() {
    let scene = scene(&flat(200_000.0));
    let eye = ORIGIN + DVec3::new(100_000.0, 1000.0, 30.0);
    for (down, row) in [(0.0, 100.0), (0.2, 100.0 - 100.0 * 0.2), (-0.3, 100.0 + 100.0 * 0.3)] {
        let camera =
            Camera { eye, target: eye + DVec3::new(0.0, 100.0, -100.0 * down), vertical_fov_deg: 90.0 };
        let settings = PictureSettings { haze_m: Some(f64::INFINITY), ..small(20, 200) };
        let picture = perspective(&scene, &camera, &settings, &on).unwrap();
        let first = (0..200).find(|&y| is_grass(picture.pixel(10, y))).unwrap();
        assert!((f64::from(first) - row).abs() <= 1.5, "slope {down}: horizon in row {first}, not {row}");
        assert!(
            (first + 1..200).all(|y| is_grass(picture.pixel(10, y))),
            "slope {down}: holes in the ground"
        );
    }
}

#[test]
fn a_shadow_falls_away_from_the_sun() {
    let mut mesh = flat(200.0);
    add_box(&mut mesh, Vec3::new(90.0, 90.0, -1.0), Vec3::new(110.0, 110.0, 20.0));
    let scene = scene(&mesh);
    for (azimuth_deg, toward) in [(0.0, (0, -1)), (90.0, (1, 0)), (180.0, (0, 1)), (270.0, (-1, 0))] {
        let settings = PictureSettings { sun: Sun { azimuth_deg, elevation_deg: 45.0 }, ..small(200, 200) };
        let picture = plan(&scene, None, &settings, &on).unwrap();
        let beside =
            |steps: i32| picture.pixel((100 + toward.0 * steps) as u32, (100 + toward.1 * steps) as u32);
        let (lit, dark) = (brightness(beside(20)), brightness(beside(-20)));
        assert!(dark * 3 < lit * 2, "sun from {azimuth_deg}: {dark} in the shadow, {lit} in the light");
        let end = brightness(beside(-40));
        assert!(
            end * 10 > lit * 9,
            "sun from {azimuth_deg}: a box of 20 m shades a place 30 m away: {end} of {lit}"
        );
    }
}

#[test]
fn a_plan_has_north_above_and_east_on_the_right() {
    let mut mesh = flat(100.0);
    add_box(&mut mesh, Vec3::new(70.0, 80.0, 0.0), Vec3::new(80.0, 95.0, 1.0));
    let picture = plan(&scene(&mesh), None, &small(100, 100), &on).unwrap();
    for y in 0..100 {
        for x in 0..100 {
            let inside = (71..79).contains(&x) && (6..19).contains(&y);
            let near = (69..=81).contains(&x) && (4..=21).contains(&y);
            let wall = is_wall(picture.pixel(x, y));
            assert!(!inside || wall, "no box at ({x}, {y})");
            assert!(near || !wall, "a box at ({x}, {y})");
        }
    }
}

#[test]
fn a_plan_shows_the_area_asked_for() {
    let mut mesh = flat(100.0);
    add_box(&mut mesh, Vec3::new(70.0, 80.0, 0.0), Vec3::new(80.0, 90.0, 1.0));
    let area = Aabb::new(ORIGIN + DVec3::new(72.0, 82.0, 0.0), ORIGIN + DVec3::new(78.0, 88.0, 0.0));
    let picture = plan(&scene(&mesh), Some(area), &small(10, 10), &on).unwrap();
    assert!(picture.rgb8.chunks(3).all(|p| is_wall([p[0], p[1], p[2]])));
}

#[test]
fn threads_do_not_change_a_byte() {
    let mut mesh = hills();
    add_box(&mut mesh, Vec3::new(150.0, 150.0, 0.0), Vec3::new(190.0, 180.0, 40.0));
    let draw = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let scene = scene(&mesh);
        pool.install(|| {
            let seen = perspective(&scene, &frame(scene.bounds()), &small(160, 90), &on).unwrap();
            let flat =
                plan(&scene, None, &PictureSettings { contour_lines_m: Some(3.0), ..small(70, 150) }, &on);
            (seen.to_png(), flat.unwrap().to_png())
        })
    };
    let one = draw(1);
    assert!(one == draw(2) && one == draw(8));
}

#[test]
fn bands_leave_no_seam() {
    let mesh = hills();
    let scene = scene(&mesh);
    let side = 400.0 / 40.0;
    let strip = |row: f64| ORIGIN.y + 200.0 + (100.0 - row) * side;
    let rows =
        Aabb::new(DVec3::new(ORIGIN.x, strip(120.0), 0.0), DVec3::new(ORIGIN.x + 400.0, strip(80.0), 0.0));
    let part = plan(&scene, Some(rows), &PictureSettings { sky_rays: 0, sun_rays: 0, ..small(40, 40) }, &on)
        .unwrap();
    let again =
        plan(&scene, None, &PictureSettings { sky_rays: 0, sun_rays: 0, ..small(40, 200) }, &on).unwrap();
    let differ = (4..36)
        .flat_map(|y| (0..40).map(move |x| (x, y)))
        .filter(|&(x, y)| brightness(part.pixel(x, y)).abs_diff(brightness(again.pixel(x, y + 80))) > 24);
    assert_eq!(differ.count(), 0);
}

#[test]
fn nothing_is_black_and_the_whole_region_is_in_the_frame() {
    let mut mesh = hills();
    add_box(&mut mesh, Vec3::new(150.0, 150.0, 0.0), Vec3::new(190.0, 180.0, 40.0));
    let scene = scene(&mesh);
    let settings = small(160, 100);
    let picture = perspective(&scene, &frame(scene.bounds()), &settings, &on).unwrap();
    assert!(picture.rgb8.chunks(3).all(|p| p.iter().map(|&v| u32::from(v)).sum::<u32>() > 40));
    let border = (0..160).flat_map(|x| [(x, 0), (x, 99)]).chain((0..100).flat_map(|y| [(0, y), (159, y)]));
    assert_eq!(border.filter(|&(x, y)| is_grass(picture.pixel(x, y))).count(), 0);
    let green =
        (0..160).flat_map(|x| (0..100).map(move |y| (x, y))).filter(|&(x, y)| is_grass(picture.pixel(x, y)));
    assert!(green.count() > 160 * 100 / 5);
}

#[test]
fn sides_of_a_box_with_shared_corners_are_evenly_lit() {
    let mut mesh = flat(100.0);
    add_box(&mut mesh, Vec3::splat(40.0), Vec3::splat(60.0));
    let settings = PictureSettings { sky_rays: 0, ..small(100, 100) };
    let picture = plan(&scene(&mesh), None, &settings, &on).unwrap();
    let top: Vec<u32> = (43..57)
        .flat_map(|y| (43..57).map(move |x| (x, y)))
        .map(|(x, y)| brightness(picture.pixel(x, y)))
        .collect();
    let (least, most) = (top.iter().min().unwrap(), top.iter().max().unwrap());
    assert!(most - least < most / 6, "from {least} to {most}");
}

#[test]
fn only_open_edges_get_walls() {
    let mut boxes = Mesh::new(WorldPos(ORIGIN));
    add_box(&mut boxes, Vec3::ZERO, Vec3::ONE);
    assert_eq!(cut::open_edges(&boxes.positions, &boxes.triangles).len(), 0);
    let mut split = Mesh::new(WorldPos(ORIGIN));
    for t in &boxes.triangles {
        let corner = |i: usize| (boxes.positions[t[i] as usize], boxes.normals[t[i] as usize]);
        let own = [0, 1, 2].map(|i| split.push_vertex(corner(i).0, corner(i).1, MaterialId(1)));
        split.triangles.push(own);
    }
    assert_eq!(cut::open_edges(&split.positions, &split.triangles).len(), 0);
    let sheet = flat(10.0);
    assert_eq!(cut::open_edges(&sheet.positions, &sheet.triangles).len(), 4 * 40);
}

#[test]
fn wrong_meshes_are_refused() {
    let refused = |change: fn(&mut Mesh)| {
        let mut mesh = flat(10.0);
        change(&mut mesh);
        Scene::new(&mesh, &[GRASS]).err().expect("the mesh was taken")
    };
    assert_eq!(refused(|m| m.triangles.clear()), PreviewError::NoTriangles);
    assert!(matches!(
        refused(|m| m.triangles[3] = [0, 1, 9999]),
        PreviewError::VertexIndex { triangle: 3, vertex: 9999, .. }
    ));
    assert!(matches!(
        refused(|m| m.positions[7].x = f32::NAN),
        PreviewError::VertexNotFinite { vertex: 7, .. }
    ));
    assert!(matches!(refused(|m| m.positions[7].x = 1e30), PreviewError::VertexNotFinite { vertex: 7, .. }));
    assert!(matches!(refused(|m| m.origin.0.y = f64::NAN), PreviewError::Origin { .. }));
    assert!(matches!(refused(|m| m.normals.truncate(9)), PreviewError::Ragged { .. }));
    assert!(matches!(
        refused(|m| m.materials[5].0 = 4),
        PreviewError::UnknownMaterial { vertex: 5, material: 4, looks: 1 }
    ));
    let bright = MaterialLook { base_color: [0.1, 1.5, 0.1], ..GRASS };
    assert!(matches!(
        Scene::new(&flat(10.0), &[bright]),
        Err(PreviewError::Look { field: "base_color", .. })
    ));
}

#[test]
fn wrong_settings_and_cameras_are_refused() {
    let scene = scene(&hills());
    let good = frame(scene.bounds());
    let shoot =
        |camera: Camera, settings: PictureSettings| perspective(&scene, &camera, &settings, &on).unwrap_err();
    for (width, height) in [(0, 10), (10, 0), (16_385, 1)] {
        assert_eq!(shoot(good, small(width, height)), PreviewError::Size { width, height });
    }
    let text = shoot(good, PictureSettings { exposure: f64::NAN, ..small(4, 4) }).to_string();
    assert_eq!(text, "exposure is NaN, which is not between 0.01 and 100");
    let night = PictureSettings { sun: Sun { azimuth_deg: 0.0, elevation_deg: -3.0 }, ..small(4, 4) };
    assert!(matches!(shoot(good, night), PreviewError::Setting { setting: "sun.elevation_deg", .. }));
    assert!(matches!(
        shoot(good, PictureSettings { sky_rays: 5000, ..small(4, 4) }),
        PreviewError::Rays { .. }
    ));
    let at = |eye: DVec3, target: DVec3| shoot(Camera { eye, target, ..good }, small(4, 4));
    assert!(matches!(at(good.eye, good.eye), PreviewError::CameraLooksNowhere { .. }));
    assert!(matches!(at(DVec3::NAN, good.target), PreviewError::CameraPlace { field: "eye", .. }));
    assert!(matches!(at(good.eye, DVec3::INFINITY), PreviewError::CameraPlace { field: "target", .. }));
    let fov = Camera { vertical_fov_deg: 180.0, ..good };
    assert!(matches!(shoot(fov, small(4, 4)), PreviewError::CameraFov { .. }));
    let buried = ORIGIN + DVec3::new(210.0, 210.0, 2.0);
    assert!(matches!(at(buried, good.target), PreviewError::CameraUnderGround { .. }));
    let nothing = Aabb::new(ORIGIN, ORIGIN);
    let refused = plan(&scene, Some(nothing), &small(4, 4), &on).unwrap_err();
    assert!(matches!(refused, PreviewError::PlanArea { .. }));
}

#[test]
fn a_picture_can_be_cancelled() {
    let scene = scene(&hills());
    let stop = |done: f32| {
        if done > 0.3 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let cancelled = plan(&scene, None, &small(20, 300), &stop).unwrap_err();
    assert_eq!(cancelled, PreviewError::Cancelled);
}

#[test]
fn looking_straight_down_has_north_above() {
    let mut mesh = flat(100.0);
    add_box(&mut mesh, Vec3::new(70.0, 80.0, 0.0), Vec3::new(80.0, 95.0, 1.0));
    let middle = ORIGIN + DVec3::new(50.0, 50.0, 0.0);
    let camera = Camera { eye: middle + DVec3::Z * 50.0, target: middle, vertical_fov_deg: 90.0 };
    let picture = perspective(&scene(&mesh), &camera, &small(100, 100), &on).unwrap();
    assert!(
        is_wall(picture.pixel(75, 13)) && !is_wall(picture.pixel(75, 87)) && !is_wall(picture.pixel(25, 13))
    );
}

#[test]
fn a_png_decodes_to_its_picture() {
    let picture = plan(&scene(&hills()), None, &small(33, 21), &on).unwrap();
    let mut reader = png::Decoder::new(std::io::Cursor::new(picture.to_png())).read_info().unwrap();
    let mut bytes = vec![0; picture.rgb8.len()];
    let info = reader.next_frame(&mut bytes).unwrap();
    assert_eq!((info.width, info.height, bytes), (33, 21, picture.rgb8));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn the_nearest_hit_is_that_of_all_triangles(from in prop::array::uniform3(-50.0..450.0_f32), to in prop::array::uniform3(0.0..400.0_f32)) {
        let mesh = hills();
        let scene = scene(&mesh);
        let (from, to) = (Vec3::from(from).with_z(from[2].abs() + 13.0), Vec3::from(to).with_z(0.0));
        let dir = (to - from).normalize_or_zero();
        let expected = mesh.triangles.iter().filter_map(|&t| crossing(mesh.corners(t), from, dir)).fold(f32::INFINITY, f32::min);
        let found = scene.cast(scene::Ray { from, dir }).filter(|h| !h.on_cut).map_or(f32::INFINITY, |h| h.distance);
        let wall = scene.cast(scene::Ray { from, dir }).is_some_and(|h| h.on_cut);
        prop_assert!(wall || found == expected || (found - expected).abs() < 1e-3 * expected, "{found} for {expected}");
        prop_assert_eq!(scene.blocks(scene::Ray { from, dir }), scene.cast(scene::Ray { from, dir }).is_some());
    }
}

/// Distance to a triangle by its plane and the signs of three volumes: another way than the scene's.
fn crossing([a, b, c]: [Vec3; 3], from: Vec3, dir: Vec3) -> Option<f32> {
    let [a, b, c] = [a, b, c].map(|p| p.as_dvec3() - from.as_dvec3());
    let dir = dir.as_dvec3();
    let volumes = [dir.dot(a.cross(b)), dir.dot(b.cross(c)), dir.dot(c.cross(a))];
    let same = volumes.iter().all(|&v| v >= 0.0) || volumes.iter().all(|&v| v <= 0.0);
    let normal = (b - a).cross(c - a);
    let distance = a.dot(normal) / dir.dot(normal);
    (same && distance > 0.0).then_some(distance as f32)
}
