//! How long a check takes: a terrain-like grid of 2.5 million triangles.
//!
//! `cargo run --release -p weald-mesh --example check_terrain [QUADS_A_SIDE]`

use std::time::Instant;

use glam::Vec3;
use weald_mesh::{CheckSettings, MaterialId, Mesh, check_with, gltf};
use weald_space::{WorldPos, ops};

fn main() -> Result<(), gltf::GltfError> {
    let side = std::env::args().nth(1).and_then(|n| n.parse().ok()).unwrap_or(1118);
    let rugged = |x: f64, y: f64| {
        let waves = [(0.011, 60.0), (0.047, 14.0), (0.21, 3.0), (0.93, 0.7)];
        waves
            .iter()
            .map(|&(k, a)| a * ops::sin(k * x + 1.3 * ops::sin(0.7 * k * y)) * ops::cos(k * y))
            .sum::<f64>() as f32
    };
    for (name, mesh) in [("rugged", grid(side, rugged)), ("flat", grid(side, |_, _| 7.0))] {
        println!("{name}: {} triangles", mesh.triangles.len());
        let topology = CheckSettings { self_intersections: false, ..CheckSettings::default() };
        for (part, settings) in
            [("all but self-intersection", topology), ("everything", CheckSettings::default())]
        {
            let start = Instant::now();
            let findings = check_with(&mesh, &settings);
            println!("  {part}: {} ms", start.elapsed().as_millis());
            assert!(findings.is_clean() && findings.euler() == 1, "{findings}");
        }
        let materials = [gltf::Material::default()];
        let start = Instant::now();
        let bytes = gltf::write_glb(&mesh, &materials, &gltf::GlbMeta::default())?;
        println!("  write {} MB of GLB: {} ms", bytes.len() / 1_000_000, start.elapsed().as_millis());
        let start = Instant::now();
        let read = gltf::read_glb(&bytes, &gltf::GlbLimits::default())?;
        println!("  read it: {} ms", start.elapsed().as_millis());
        assert!(read.mesh == mesh, "the file reads back as it was");
    }
    Ok(())
}

fn grid(side: u32, height: impl Fn(f64, f64) -> f32) -> Mesh {
    let mut mesh = Mesh::new(WorldPos::new(0.0, 0.0, 0.0));
    for y in 0..=side {
        for x in 0..=side {
            let place = Vec3::new(x as f32, y as f32, height(x.into(), y.into()));
            mesh.push_vertex(place, Vec3::Z, MaterialId(0));
        }
    }
    let at = |x: u32, y: u32| y * (side + 1) + x;
    for y in 0..side {
        for x in 0..side {
            let [a, b, c, d] = [at(x, y), at(x + 1, y), at(x + 1, y + 1), at(x, y + 1)];
            mesh.triangles.extend([[a, b, c], [a, c, d]]);
        }
    }
    mesh
}
