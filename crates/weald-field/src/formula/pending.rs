//! Ops that formulas name and that fields do not have yet. A tape refuses what they make.

use glam::{DVec2, DVec3};
use std::ops::Range;
use weald_space::Axis;

use crate::error::FieldError;
use crate::expr::Expr;

fn missing() -> Expr {
    Expr::constant(f32::NAN)
}

pub(super) struct Curve;
impl Curve {
    pub(super) fn new(_: &[(f32, f32)]) -> Result<Curve, FieldError> {
        Ok(Curve)
    }
}

pub(super) trait Pending: Sized {
    fn floor(&self) -> Expr {
        missing()
    }
    fn sqrt(&self) -> Expr {
        missing()
    }
    fn wave(&self) -> Expr {
        missing()
    }
    fn power(&self, _: f32) -> Expr {
        missing()
    }
    fn clamp(&self, _: f32, _: f32) -> Expr {
        missing()
    }
    fn mix(&self, _: &Expr, _: &Expr) -> Expr {
        missing()
    }
    fn remap(&self, _: Range<f32>, _: Range<f32>) -> Expr {
        missing()
    }
    fn smoothstep(&self, _: f32, _: f32) -> Expr {
        missing()
    }
    fn curve(&self, _: &Curve) -> Expr {
        missing()
    }
    fn select(_: &Expr, _: &Expr, _: &Expr) -> Expr {
        missing()
    }
    fn ellipsoid(_: DVec3, _: DVec3) -> Expr {
        missing()
    }
    fn rounded_cuboid(_: DVec3, _: DVec3, _: f64, _: f64) -> Expr {
        missing()
    }
    fn capsule(_: DVec3, _: DVec3, _: f64) -> Expr {
        missing()
    }
    fn round_cone(_: DVec3, _: DVec3, _: f64, _: f64) -> Expr {
        missing()
    }
    fn torus(_: DVec3, _: DVec3, _: f64, _: f64) -> Expr {
        missing()
    }
    fn prism(_: &[DVec2], _: Range<f64>) -> Expr {
        missing()
    }
    fn polyline(_: &[(DVec3, f64)]) -> Expr {
        missing()
    }
    fn rotated(&self, _: DVec3, _: DVec3, _: f64) -> Expr {
        missing()
    }
    fn scaled(&self, _: DVec3, _: f64) -> Expr {
        missing()
    }
    fn mirrored(&self, _: DVec3, _: DVec3) -> Expr {
        missing()
    }
    fn repeated(&self, _: DVec3, _: DVec3, _: Option<[u32; 3]>) -> Expr {
        missing()
    }
    fn twisted(&self, _: DVec3, _: Axis, _: f64) -> Expr {
        missing()
    }
    fn warped(&self, _: [&Expr; 3]) -> Expr {
        missing()
    }
}

impl Pending for Expr {}

/// Bases of noise that are to come.
pub(super) enum Basis {
    Gradient,
    Value,
    Simplex,
    Worley(WorleyKind),
}

pub(super) enum WorleyKind {
    F1,
    F2,
    F2MinusF1,
}

pub(super) enum Fractal {
    Fbm,
    Ridged,
    Billow,
}

pub(super) fn noise(basis: Basis, fractal: Fractal, settings: crate::noise::NoiseSettings) -> Expr {
    let basis = match (basis, fractal) {
        (Basis::Gradient, Fractal::Fbm) => crate::noise::Basis::Gradient,
        (Basis::Value, Fractal::Fbm) => crate::noise::Basis::Value,
        (Basis::Worley(WorleyKind::F1 | WorleyKind::F2 | WorleyKind::F2MinusF1), _) => return missing(),
        _ => return missing(),
    };
    Expr::noise(&crate::noise::NoiseSettings { basis, ..settings })
}
