//! Formulas: what they mean, and what is said of wrong ones.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::collections::BTreeMap;

use glam::DVec3;
use proptest::prelude::*;
use weald_field::formula::{
    Definition, Definitions, FormulaError, Host, MAX_HEIGHT, MAX_NESTING, MAX_TEXT, Part, signatures,
};
use weald_field::{EvalScratch, Expr, Tape};
use weald_space::Seed;

fn host() -> Host {
    let names = BTreeMap::from([("elevation".to_owned(), Expr::x() * 0.5)]);
    Host { seed: Seed::new(3), names }
}

fn library(definitions: &[(&str, &str)]) -> Result<Definitions, FormulaError> {
    let one = |(origin, &(head, body))| Definition { head, body, origin };
    Definitions::new(definitions.iter().enumerate().map(one), host())
}

fn number(text: &str) -> f64 {
    library(&[]).unwrap().number("a", text, 0).unwrap_or_else(|error| panic!("{text}: {error}"))
}

fn value(expr: &Expr, at: DVec3) -> f32 {
    let mut out = [0.0];
    Tape::new(expr).unwrap().values(&[at], &mut EvalScratch::default(), &mut out);
    out[0]
}

fn field_with(definitions: &[(&str, &str)], text: &str) -> Expr {
    library(definitions).unwrap().field("a", text, 99).unwrap_or_else(|error| panic!("{text}: {error}"))
}

fn field(text: &str) -> Expr {
    field_with(&[], text)
}

#[test]
fn operators_bind_as_in_mathematics() {
    for (text, expected) in [
        ("1 + 2 * 3", 7.0),
        ("(1 + 2) * 3", 9.0),
        ("10 - 4 - 3", 3.0),
        ("24 / 4 / 3", 2.0),
        ("2 * 3 ^ 2", 18.0),
        ("2 ^ 3 ^ 2", 512.0),
        ("-2 ^ 2", -4.0),
        ("(-2) ^ 2", 4.0),
        ("2 ^ -1", 0.5),
        ("- - 3", 3.0),
        ("3 - -2", 5.0),
        ("2e3 + 1.5 // and so on", 2001.5),
        ("if(1 < 2, 3, 4) + if(1 > 2, 30, 40)", 43.0),
        ("min(3, 1, 2) + max(3, 1, 2) * 10", 31.0),
        ("clamp(7, 0, 5)", 5.0),
        ("mix(10, 20, 0.25)", 12.5),
        ("remap(5, from: (0, 10), to: (100, 200))", 150.0),
        ("smoothstep(0.5, 0, 1)", 0.5),
        ("sin(90) + cos(180)", 0.0),
        ("floor(-1.5) + abs(-2) + sqrt(9)", 3.0),
    ] {
        assert_eq!(number(text), expected, "{text}");
    }
}

#[test]
fn numbers_become_fields_where_fields_are() {
    let at = DVec3::new(3.0, -2.0, 7.0);
    for (text, expected) in [
        ("x + 2 * y", -1.0),
        ("max(z, 1, x)", 7.0),
        ("-(x - y)", -5.0),
        ("12 / x", 4.0),
        ("sphere(5).at((3, -2, 0))", 2.0),
        ("sphere(at: (0, -2, 7), radius: 1)", 2.0),
        ("sphere(1, at: (0, -2, 0) + (0, 0, 7))", 2.0),
        ("sphere(1, at: 7 * (0, 0, 1) - (0, 2, 0))", 2.0),
        ("union(sphere(5).at((3, -2, 0)), box((2, 2, 2)).at((3, -2, 7)))", -1.0),
        ("difference(plane(), sphere(4, at: (3, -2, 7)))", 7.0),
        ("ground(3, base: 1)", 3.0),
        ("elevation * 2", 3.0),
        ("5", 5.0),
    ] {
        assert_eq!(value(&field(text), at), expected, "{text}");
    }
}

#[test]
fn definitions_use_each_other_in_any_order() {
    let definitions = [
        ("ball(size, up: 2 * size)", "sphere(size, at: (0, 0, up))"),
        ("twin", "union(ball(1), ball(1, up: -3), ball(up: floor, size: one))"),
        ("one", "1"),
        ("middle", "(one, 2, 3)"),
        ("placed", "ball(1, 0).at(middle)"),
    ];
    let twin = definitions.map(|(head, body)| (head, body.replace("floor", "-10")));
    let twin = twin.each_ref().map(|(head, body)| (*head, body.as_str()));
    let field = field_with(&twin, "twin");
    assert_eq!(value(&field, DVec3::new(0.0, 0.0, 2.0)), -1.0);
    assert_eq!(value(&field, DVec3::new(0.0, 0.0, -3.0)), -1.0);
    assert_eq!(value(&field, DVec3::new(0.0, 0.0, -10.0)), -1.0);
    assert_eq!(value(&field_with(&twin, "placed"), DVec3::new(1.0, 2.0, 3.0)), -1.0);
}

#[test]
fn noise_keeps_its_bits_when_another_definition_is_edited() {
    let before = [("a", "fbm(30) + z"), ("b", "fbm(30)")];
    let after = [("c", "ridged_or(1)"), ("ridged_or(n)", "fbm(n) + fbm(2)"), ("b", "fbm(30)"), ("a", "z")];
    assert_eq!(field_with(&before, "b"), field_with(&after, "b"));
    assert_ne!(field_with(&before, "a"), field_with(&before, "b + z"), "two definitions draw apart");
}

#[test]
fn two_calls_of_noise_differ_unless_their_seeds_say_otherwise() {
    assert_ne!(field("fbm(30) - fbm(30)"), field("fbm(30) + fbm(30)"));
    let first = |text| match field(text) {
        sum if sum == field("fbm(30)") => panic!("{text} is one call"),
        sum => value(&sum, DVec3::new(7.3, 1.9, 4.4)),
    };
    assert_ne!(first("fbm(30) - fbm(30)"), 0.0);
    assert_eq!(first("fbm(30, seed: 'a') - fbm(30, seed: 'a')"), 0.0);
    assert_ne!(first("fbm(30, seed: 'a') - fbm(30, seed: 'b')"), 0.0);
    assert_ne!(first("fbm(30, seed: 1) - fbm(30, seed: 2)"), 0.0);
    assert_eq!(
        first("fbm(30) * 0 + fbm(30, seed: 1)"),
        first("0 * x + fbm(30, seed: 1)"),
        "seeds do not shift"
    );
}

/// Found by the fuzzer: a shift that is a number was taken for a place that is one, and the noise for a constant.
#[test]
fn noise_that_is_warped_by_numbers_is_noise_elsewhere() {
    let noise = "fbm(30, seed: 1)";
    let warped = field(&format!("{noise}.warp(x: 8, z: -4)"));
    for at in [DVec3::new(3.0, 5.0, 7.0), DVec3::new(-40.0, 1.0, 2.5)] {
        let (found, wanted) = (value(&warped, at), value(&field(noise), at + DVec3::new(8.0, 0.0, -4.0)));
        assert!((found - wanted).abs() < 1e-4, "{found} and {wanted}");
    }
}

#[test]
fn a_function_draws_the_same_noise_unless_it_is_given_a_seed() {
    let library = [("same(n)", "fbm(20) * n"), ("apart(n, seed)", "fbm(20, seed: seed) * n")];
    let at = DVec3::new(3.1, 4.2, 5.3);
    assert_eq!(value(&field_with(&library, "same(1) - same(1)"), at), 0.0);
    assert_ne!(value(&field_with(&library, "apart(1, 'a') - apart(1, 'b')"), at), 0.0);
}

/// The part of the text that an error points at, and what it says.
fn refused(definitions: &[(&str, &str)], text: &str) -> String {
    let result = library(definitions).and_then(|mut library| {
        library.check()?;
        library.field("a", text, definitions.len())
    });
    let error = result.err().unwrap_or_else(|| panic!("{text} is accepted"));
    let at = &error.place;
    let (head, body) = definitions.get(at.origin).copied().unwrap_or(("", text));
    let whole = if at.part == Part::Head { head } else { body };
    format!("[{}] {error}", &whole[at.bytes.clone()])
}

#[test]
fn errors_name_the_place_and_the_remedy() {
    for (text, expected) in [
        ("z - hils", "[hils] there is no name `hils`"),
        ("spere(5)", "[spere] there is no function `spere`; is `sphere` meant?"),
        ("sphere(5).rotat(x: 3)", "[rotat] there is no method `rotat`; is `rotate` meant?"),
        (
            "sphere(1, (0, 0, 0), 3)",
            "[3] 3 arguments are given without a name, at most 2 may be: sphere(radius, at: (0, 0, 0))",
        ),
        ("sphere()", "[sphere()] the argument `radius` is missing: sphere(radius, at: (0, 0, 0))"),
        ("sphere(radus: 1)", "[radus] there is no argument `radus`: sphere(radius, at: (0, 0, 0))"),
        (
            "sphere(1, radius: 2)",
            "[radius] the argument `radius` is given twice: sphere(radius, at: (0, 0, 0))",
        ),
        (
            "sphere(at: (1, 2, 3), 1)",
            "[1] an argument without a name stands behind one with a name: sphere(radius, at: (0, 0, 0))",
        ),
        ("sphere(x)", "[x] `radius` of `sphere` must be a number, more than 0, found a field"),
        ("sphere(-1)", "[-1] radius of sphere is -1, but must be more than 0"),
        (
            "sphere(5, at: (1, 2))",
            "[(1, 2)] `at` of `sphere` must be a vector of 3 numbers, found a vector of 2",
        ),
        (
            "sphere(5, at: (1, x, 2))",
            "[(1, x, 2)] `at` of `sphere` must be a vector of 3 numbers, found a vector of 3 with fields",
        ),
        ("box((1, 0, 1))", "[box((1, 0, 1))] size of box is 0, but must be more than 0"),
        ("noise(3, basis: perlin)", "[perlin] there is no name `perlin`"),
        (
            "noise(3, basis: 'perlin')",
            "['perlin'] `basis` of `noise` must be one of gradient, value, simplex, worley_f1, worley_f2, \
             worley_f2_f1, found 'perlin'",
        ),
        ("noise(3, octaves: 2.5)", "[2.5] octaves of noise is 2.5, but must be a whole number from 1 to 32"),
        ("abs(1 < 2)", "[1 < 2] `a` of `abs` must be a field or a number, found a comparison"),
        ("if(x, 1, 2)", "[x] `condition` of `if` must be a comparison such as a < b, found a field"),
        ("(1, 2) + x", "[(1, 2) + x] + does not join a vector of 2 and a field"),
        ("x ^ y", "[x ^ y] the exponent must be a number, found a field"),
        ("(1, 2, 3)", "[(1, 2, 3)] the formula must be a field or a number, found a vector of 3"),
        ("1 / 0", "[1 / 0] the result is inf, must be a number from -1e30 to 1e30"),
        ("sqrt(-1)", "[sqrt(-1)] the result is NaN, must be a number from -1e30 to 1e30"),
        ("3x + 1", "[3x] 3x is not a number"),
        ("1 < 2", "[<] expected an operator or the end, found '<'"),
        ("(1, 2", "[] expected ',' or ')', found the end"),
        ("1 + ", "[] expected a number, a name, '(' or '[', found the end"),
        ("x $ 2", "[$] the character '$' has no meaning in a formula"),
        ("noise(3, seed: 'a)", "['] the text lacks its closing '"),
        ("x(3)", "[x] `x` is no function: write x"),
        ("sphere + 1", "[sphere] `sphere` is a function: write sphere(radius, at: (0, 0, 0))"),
        ("clamp(x, 5, 5)", "[clamp(x, 5, 5)] `high` must be more than `low`, which is 5, found 5"),
    ] {
        assert_eq!(refused(&[], text), expected, "{text}");
    }
}

#[test]
fn errors_in_definitions_name_the_definition() {
    let hills = ("hills", "fbm(30)");
    assert_eq!(refused(&[hills], "z - hils"), "[hils] there is no name `hils`; is `hills` meant?");
    assert_eq!(
        refused(&[("a", "b + 1"), ("b", "a")], "a"),
        "[b] the definition goes round in a circle: a -> b -> a"
    );
    assert_eq!(
        refused(&[("f(n)", "f(n: n)")], "1"),
        "[f(n: n)] the definition goes round in a circle: f -> f"
    );
    assert_eq!(refused(&[("a", "1"), ("a", "2")], "1"), "[a] the name `a` is already taken");
    assert_eq!(refused(&[("x", "1")], "1"), "[x] the name `x` is already taken by the language");
    assert_eq!(refused(&[("f(x)", "1")], "1"), "[x] the name `x` is already taken by the language");
    assert_eq!(refused(&[("elevation", "1")], "1"), "[elevation] the name `elevation` is already taken");
    assert_eq!(refused(&[("f(n, n)", "1")], "1"), "[n] the name `n` is already taken");
    assert_eq!(refused(&[("f(n", "1")], "1"), "[] expected ',' or ')', found the end");
    assert_eq!(
        refused(&[("unused", "sphere(-2)")], "1"),
        "[-2] radius of sphere is -2, but must be more than 0"
    );
    assert_eq!(refused(&[("unused(n)", "hil + n")], "1"), "[hil] there is no name `hil`");
    assert_eq!(refused(&[("f(n, m: 2)", "n")], "f()"), "[f()] the argument `n` is missing: f(n, m: ..)");
    assert_eq!(refused(&[("f(n, m: n)", "n")], "f"), "[f] `f` is a function: write f(n, m: ..)");
    assert_eq!(refused(&[("f(n: m, m: 2)", "n")], "f()"), "[m] there is no name `m`");
}

#[test]
fn an_error_in_a_function_names_its_calls() {
    let mut library = library(&[("ball(size)", "sphere(size)"), ("two(n)", "ball(n) + 1")]).unwrap();
    let error = library.field("a", "two(-3)", 7).unwrap_err();
    assert_eq!((error.place.origin, error.place.bytes.clone()), (0, 7..11));
    let calls: Vec<(usize, std::ops::Range<usize>)> =
        error.calls.iter().map(|call| (call.origin, call.bytes.clone())).collect();
    assert_eq!(calls, [(1, 0..7), (7, 0..7)]);
}

#[test]
fn nesting_is_limited() {
    let nested = |depth: usize| format!("{}1{}", "(".repeat(depth), ")".repeat(depth));
    assert_eq!(number(&nested(MAX_NESTING - 1)), 1.0);
    let message = "brackets and signs are nested deeper than 256 levels";
    for text in [nested(MAX_NESTING), "(".repeat(60_000), "-".repeat(60_000), "2^".repeat(30_000)] {
        assert!(refused(&[], &text).ends_with(message));
    }
    for open in ["[", "f(", "abs(", "(1,"] {
        assert!(refused(&[], &open.repeat(10_000)).ends_with(message), "{open}");
    }
}

#[test]
fn long_sums_need_no_deep_stack() {
    let sum = vec!["x"; MAX_TEXT / 2].join("+");
    assert_eq!(value(&field(&sum), DVec3::X), (MAX_TEXT / 2) as f32);
    let bomb = vec!["x"; 1_000_000].join("+");
    assert_eq!(refused(&[], &bomb), "[] the formula has 1999999 bytes, at most 65536 may be");
}

#[test]
fn chains_of_definitions_are_limited() {
    let chain = |length: usize| -> Vec<(String, String)> {
        (0..length).map(|i| (format!("a{i}"), format!("a{0} + a{0}", i + 1))).collect()
    };
    for (length, fits) in [(MAX_HEIGHT - 1, true), (MAX_HEIGHT, false), (9000, false)] {
        let mut texts = chain(length);
        texts.push((format!("a{length}"), "x".to_owned()));
        let definitions: Vec<(&str, &str)> =
            texts.iter().map(|(head, body)| (head.as_str(), body.as_str())).collect();
        match fits {
            true => assert_eq!(value(&field_with(&definitions, "a0"), DVec3::X), (1_u128 << length) as f32),
            false => {
                let error = refused(&definitions, "a0");
                assert!(error.ends_with("definitions are nested deeper than 128 levels"), "{error}");
            }
        }
    }
}

#[test]
fn functions_that_call_functions_do_not_expand_without_end() {
    let texts: Vec<(String, String)> =
        (0..60).map(|i| (format!("f{i}(n)"), format!("f{0}(n) + f{0}(n + 1)", i + 1))).collect();
    let mut definitions: Vec<(&str, &str)> =
        texts.iter().map(|(head, body)| (head.as_str(), body.as_str())).collect();
    definitions.push(("f60(n)", "x * n"));
    let error = refused(&definitions, "f0(1)");
    assert!(error.contains("the formulas expand to 262145 steps, at most 262144 may be"), "{error}");
}

#[test]
fn copies_of_copies_are_counted_before_they_are_made() {
    let texts: Vec<(String, String)> = (0..60)
        .map(|i| (format!("a{i}"), format!("a{0}.at((0, {i}, 0)) + a{0}.at((0, 1 / {0}, 0))", i + 1)))
        .collect();
    let mut definitions: Vec<(&str, &str)> =
        texts.iter().map(|(head, body)| (head.as_str(), body.as_str())).collect();
    definitions.push(("a60", "x"));
    let error = refused(&definitions, "a0");
    assert!(error.contains("steps, at most 262144 may be"), "{error}");
    assert_eq!(value(&field_with(&definitions, "a53"), DVec3::X), 128.0);
}

#[test]
fn signatures_read_as_they_are_written() {
    let all: Vec<String> = signatures().map(ToString::to_string).collect();
    for expected in [
        "x",
        "sphere(radius, at: (0, 0, 0))",
        "union(a, ..., blend: 0)",
        "noise(wavelength, octaves: 1, gain: 0.5, lacunarity: 2, amplitude: 1, flat: false, seed: none, \
         basis: gradient, kind: fbm)",
        ".rotate(x: 0, y: 0, z: 0, about: (0, 0, 0))",
    ] {
        assert!(all.iter().any(|signature| signature == expected), "{expected} is none of {all:#?}");
    }
}

proptest! {
    #[test]
    fn folded_numbers_are_what_fields_would_give(a in -50.0..50.0_f64, b in 1.0..50.0_f64) {
        let at = DVec3::new(a, b, 0.0);
        for text in ["{a} + {b}", "{a} - {b}", "{a} * {b}", "{a} / {b}", "min({a}, {b})", "max({a}, {b})", "abs({a})"] {
            let with = |a: &str, b: &str| text.replace("{a}", a).replace("{b}", b);
            let folded = number(&with(&format!("({a})"), &format!("({b})")));
            let whole = f64::from(value(&field(&with("x", "y")), at));
            prop_assert!((folded - whole).abs() <= 1e-3, "{text}: {folded} and {whole}");
        }
    }
}
