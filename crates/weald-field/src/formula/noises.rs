//! Noise by name.

use weald_space::Seed;

use super::builtin::Limit::{Any, Octaves, Positive};
use super::builtin::ParameterKind::{Flag, Number, Word};
use super::builtin::{Args, Fallback, Parameter, ParameterKind, Signature, Usage};
use super::error::Wrong;
use super::ops::checked;
use super::value::Value;
use crate::expr::Expr;
use crate::noise::{Basis, Domain, Fractal, NoiseSettings, WorleyKind};

const fn number(name: &'static str, kind: ParameterKind, value: f64) -> Parameter {
    Parameter { name, kind, default: Some(Fallback::Number(value)) }
}

const WAVELENGTH: Parameter = Parameter { name: "wavelength", kind: Number(Positive), default: None };
const GAIN: Parameter = number("gain", Number(Any), 0.5);
const LACUNARITY: Parameter = number("lacunarity", Number(Positive), 2.0);
const AMPLITUDE: Parameter = number("amplitude", Number(Any), 1.0);
const FLAT: Parameter = Parameter { name: "flat", kind: Flag, default: Some(Fallback::Flag(false)) };
const SEED: Parameter =
    Parameter { name: "seed", kind: ParameterKind::Seed, default: Some(Fallback::Nothing) };
const BASIS: Parameter = Parameter {
    name: "basis",
    kind: Word(&["gradient", "value", "simplex", "worley_f1", "worley_f2", "worley_f2_f1"]),
    default: Some(Fallback::Word("gradient")),
};
const KIND: Parameter = Parameter {
    name: "kind",
    kind: Word(&["fbm", "ridged", "billow"]),
    default: Some(Fallback::Word("fbm")),
};
const OF: Parameter =
    Parameter { name: "of", kind: Word(&["f1", "f2", "f2_f1"]), default: Some(Fallback::Word("f1")) };

const fn octaves(count: f64) -> Parameter {
    number("octaves", Number(Octaves), count)
}

/// The names of this module. `wavelength` is in metres; `flat` noise depends on x and y only.
pub(super) const SIGNATURES: &[Signature] = &[
    noise(
        "noise",
        &[WAVELENGTH, octaves(1.0), GAIN, LACUNARITY, AMPLITUDE, FLAT, SEED, BASIS, KIND],
        "random values with a typical size, in layers each finer and weaker than the one before",
        |args| build(args, basis(args.word(7)), fractal(args.word(8))),
    ),
    noise(
        "fbm",
        &[WAVELENGTH, octaves(5.0), GAIN, LACUNARITY, AMPLITUDE, FLAT, SEED, BASIS],
        "noise with layers that are added up: hills",
        |args| build(args, basis(args.word(7)), Fractal::Fbm),
    ),
    noise(
        "ridged",
        &[WAVELENGTH, octaves(5.0), GAIN, LACUNARITY, AMPLITUDE, FLAT, SEED, BASIS],
        "noise with sharp crests: mountains",
        |args| build(args, basis(args.word(7)), Fractal::Ridged),
    ),
    noise(
        "billow",
        &[WAVELENGTH, octaves(5.0), GAIN, LACUNARITY, AMPLITUDE, FLAT, SEED, BASIS],
        "noise with sharp folds: dunes and clouds",
        |args| build(args, basis(args.word(7)), Fractal::Billow),
    ),
    noise(
        "worley",
        &[WAVELENGTH, octaves(1.0), GAIN, LACUNARITY, AMPLITUDE, FLAT, SEED, OF],
        "the distance to scattered points: cells and cracks",
        |args| build(args, worley(args.word(7)), Fractal::Fbm),
    ),
];

const fn noise(
    name: &'static str,
    params: &'static [Parameter],
    doc: &'static str,
    build: fn(&Args) -> Result<Value, Wrong>,
) -> Signature {
    Signature { name, usage: Usage::Function, params, doc, build }
}

/// The number of layers that a call asks for, which is what it costs.
pub(super) fn layers(signature: &Signature, args: &Args) -> usize {
    let is_noise = SIGNATURES.iter().any(|noise| noise.name == signature.name);
    if is_noise { args.number(1) as usize } else { 1 }
}

/// Whether the call draws random numbers and does not say from what.
pub(super) fn is_noise(signature: &Signature) -> bool {
    signature.params.iter().any(|param| param.kind == ParameterKind::Seed)
}

fn build(args: &Args, basis: Basis, fractal: Fractal) -> Result<Value, Wrong> {
    let seed: Seed = args.seed(6);
    let settings = NoiseSettings {
        basis,
        fractal,
        domain: if args.flag(5) { Domain::Plane } else { Domain::Space },
        wavelength: args.number(0),
        octaves: args.number(1) as u32,
        gain: args.number(2),
        lacunarity: args.number(3),
        amplitude: args.number(4),
        seed,
        ..NoiseSettings::default()
    };
    checked(Expr::noise(&settings))
}

fn basis(word: &str) -> Basis {
    match word {
        "value" => Basis::Value,
        "simplex" => Basis::Simplex,
        "worley_f1" => Basis::Worley(WorleyKind::F1),
        "worley_f2" => Basis::Worley(WorleyKind::F2),
        "worley_f2_f1" => Basis::Worley(WorleyKind::F2MinusF1),
        _ => Basis::Gradient,
    }
}

fn worley(word: &str) -> Basis {
    Basis::Worley(match word {
        "f2" => WorleyKind::F2,
        "f2_f1" => WorleyKind::F2MinusF1,
        _ => WorleyKind::F1,
    })
}

fn fractal(word: &str) -> Fractal {
    match word {
        "ridged" => Fractal::Ridged,
        "billow" => Fractal::Billow,
        _ => Fractal::Fbm,
    }
}
