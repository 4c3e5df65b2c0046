//! Solids made of the field's simplest parts, so that they share nothing with the solids under test.

use glam::{DVec3, Vec3};
use weald_field::{EvalScratch, Expr, Tape};
use weald_mesh::Mesh;
use weald_space::ops;

/// The axes of a frame turned by Euler angles in degrees: about z, then y, then x, each about the fixed axes.
#[must_use]
pub fn turn(angles_deg: [f64; 3]) -> [DVec3; 3] {
    let [a, b, c] = angles_deg.map(f64::to_radians).map(|r| (ops::sin(r), ops::cos(r)));
    let about_z = |p: DVec3| DVec3::new(p.x * a.1 - p.y * a.0, p.x * a.0 + p.y * a.1, p.z);
    let about_y = |p: DVec3| DVec3::new(p.x * b.1 + p.z * b.0, p.y, p.z * b.1 - p.x * b.0);
    let about_x = |p: DVec3| DVec3::new(p.x, p.y * c.1 - p.z * c.0, p.y * c.0 + p.z * c.1);
    [DVec3::X, DVec3::Y, DVec3::Z].map(|axis| about_x(about_y(about_z(axis))))
}

/// A box as the intersection of six half spaces, turned by Euler angles in degrees. Not a distance outside its edges.
#[must_use]
pub fn half_spaces(centre: DVec3, angles_deg: [f64; 3], half: DVec3) -> Expr {
    let axes = turn(angles_deg);
    let mut solid: Option<Expr> = None;
    for (i, axis) in axes.into_iter().enumerate() {
        for side in [axis, -axis] {
            let half_space = Expr::plane(centre + side * half[i], side);
            solid = Some(match solid {
                None => half_space,
                Some(solid) => solid.max(&half_space),
            });
        }
    }
    solid.expect("six half spaces were joined")
}

/// A ring around `axis` (a unit vector) as a polynomial of the coordinates, scaled to a slope near one on its surface.
#[must_use]
pub fn torus(centre: DVec3, axis: DVec3, major: f64, minor: f64) -> Expr {
    // (d² + R² - r²)² - 4 R² (d² - h²) vanishes on the ring; d is the distance from the centre, h that from its plane.
    let across = Expr::plane(centre, axis);
    let square = |e: Expr| e.clone() * e;
    let from_centre = [DVec3::X, DVec3::Y, DVec3::Z]
        .map(|direction| square(Expr::plane(centre, direction)))
        .into_iter()
        .reduce(|sum, term| sum + term)
        .expect("there are three axes");
    let ring = square(from_centre.clone() + (major * major - minor * minor) as f32)
        - (from_centre - square(across)) * (4.0 * major * major) as f32;
    ring * (1.0 / (8.0 * major * major * minor)) as f32
}

/// The part of a mesh's triangles that face the way in which the field grows at their centroids: 1 if all do.
#[must_use]
pub fn facing_outward(tape: &Tape, mesh: &Mesh) -> f64 {
    let centroids: Vec<DVec3> = mesh
        .triangles
        .iter()
        .map(|&t| mesh.origin.0 + mesh.corners(t).iter().map(|c| c.as_dvec3()).sum::<DVec3>() / 3.0)
        .collect();
    let mut values = vec![0.0; centroids.len()];
    let mut gradients = vec![Vec3::ZERO; centroids.len()];
    tape.duals(&centroids, &mut EvalScratch::default(), &mut values, &mut gradients);
    let outward = mesh.triangles.iter().zip(&gradients).filter(|&(&t, gradient)| {
        let [a, b, c] = mesh.corners(t);
        (b - a).cross(c - a).dot(*gradient) > 0.0
    });
    outward.count() as f64 / mesh.triangles.len() as f64
}

/// The corners of a box turned by Euler angles in degrees.
#[must_use]
pub fn box_corners(centre: DVec3, angles: [f64; 3], half: DVec3) -> [DVec3; 8] {
    let axes = turn(angles);
    std::array::from_fn(|i| {
        let side = |bit: usize| if i >> bit & 1 != 0 { 1.0 } else { -1.0 };
        centre + axes[0] * (side(0) * half.x) + axes[1] * (side(1) * half.y) + axes[2] * (side(2) * half.z)
    })
}

/// The largest distance from a corner to the vertex nearest to it.
#[must_use]
pub fn corner_gap(mesh: &Mesh, corners: &[DVec3]) -> f64 {
    let nearest = |corner: &DVec3| {
        let distance = |p: &Vec3| (mesh.origin.0 + p.as_dvec3() - *corner).length();
        mesh.positions.iter().map(distance).fold(f64::INFINITY, f64::min)
    };
    corners.iter().map(nearest).fold(0.0, f64::max)
}
