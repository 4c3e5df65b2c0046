//! Rules of materials: first match, ranges, wandering borders.

use glam::{DVec3, Vec3};
use proptest::prelude::*;
use weald_field::{EvalScratch, Expr, MaterialIndex, MaterialRules, Rule};
use weald_space::ops;

const DEFAULT: MaterialIndex = MaterialIndex(9);

fn assign(rules: Vec<Rule>, vertices: &[(DVec3, Vec3)]) -> Vec<u8> {
    let (positions, normals): (Vec<_>, Vec<_>) = vertices.iter().copied().unzip();
    let mut out = vec![255; vertices.len()];
    let rules = MaterialRules::new(rules, DEFAULT).expect("good rules");
    rules.assign(&positions, &normals, &mut EvalScratch::default(), &mut out);
    out
}

fn rule(material: u8) -> Rule {
    Rule::always(MaterialIndex(material))
}

#[test]
fn the_first_rule_that_fits_decides() {
    let rules = vec![Rule { height: 10.0..20.0, ..rule(1) }, Rule { height: 15.0..30.0, ..rule(2) }];
    let at = |z: f64| (DVec3::Z * z, Vec3::Z);
    let vertices = [5.0, 10.0, 16.0, 20.0, 30.0].map(at);
    assert_eq!(assign(rules, &vertices), [DEFAULT.0, 1, 1, 2, DEFAULT.0]);
}

#[test]
fn slopes_are_degrees_from_level_ground() {
    let bands = || {
        vec![
            Rule { slope: 0.0..30.0, ..rule(0) },
            Rule { slope: 30.0..90.0, ..rule(1) },
            Rule { slope: 90.0..180.0, ..rule(2) },
        ]
    };
    for degrees in 0..=180 {
        let (sine, cosine) = ops::sin_cos_deg(f64::from(degrees));
        let normal = Vec3::new(sine as f32, 0.0, cosine as f32);
        let expected = match degrees {
            ..30 => 0,
            30..=90 => 1,
            _ => 2,
        };
        // On a border, the cosine is rounded.
        if degrees != 30 {
            assert_eq!(assign(bands(), &[(DVec3::ZERO, normal)]), [expected], "{degrees}°");
        }
    }
}

#[test]
fn a_border_wanders_by_its_field() {
    let rules = vec![Rule { height: 0.0..f64::INFINITY, border: Some(Expr::x()), ..rule(1) }];
    let at = |x: f64, z: f64| (DVec3::new(x, 0.0, z), Vec3::Z);
    let vertices = [at(0.0, 1.0), at(0.0, -1.0), at(2.0, -1.0), at(-2.0, 1.0)];
    assert_eq!(assign(rules, &vertices), [1, DEFAULT.0, 1, DEFAULT.0]);
}

#[test]
fn ranges_that_are_not_numbers_are_refused() {
    let rules = vec![Rule { height: f64::NAN..1.0, ..rule(1) }];
    let message = MaterialRules::new(rules, DEFAULT).unwrap_err().to_string();
    assert_eq!(message, "height of material rule is NaN, but must be a number");
}

proptest! {
    #[test]
    fn many_vertices_get_what_each_gets_alone(heights in proptest::collection::vec(-50.0..50.0_f64, 0..300)) {
        let rules = || vec![
            Rule { noise: Some((Expr::x() - Expr::z(), -5.0..5.0)), height: -20.0..20.0, ..rule(1) },
            Rule { border: Some(Expr::y()), height: 0.0..f64::INFINITY, slope: 0.0..40.0, ..rule(2) },
        ];
        let vertices: Vec<_> = heights
            .iter()
            .enumerate()
            .map(|(i, &z)| (DVec3::new(i as f64, 0.5, z), [Vec3::Z, Vec3::X][i % 2]))
            .collect();
        let together = assign(rules(), &vertices);
        let alone: Vec<u8> = vertices.iter().flat_map(|&vertex| assign(rules(), &[vertex])).collect();
        prop_assert_eq!(&together, &alone);
        for (&(p, n), material) in vertices.iter().zip(together) {
            let first = (-20.0..20.0).contains(&p.z) && (-5.0..5.0).contains(&(p.x - p.z));
            let second = p.z + p.y >= 0.0 && n == Vec3::Z;
            prop_assert_eq!(material, if first { 1 } else if second { 2 } else { DEFAULT.0 });
        }
    }
}
