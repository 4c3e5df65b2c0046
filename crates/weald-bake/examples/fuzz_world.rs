//! Feeds broken worlds to the parser and the resolver for a while: `fuzz_world SECONDS [SEED]`.
//!
//! A case is one of the worlds here, changed a few times: bytes flipped, pieces of worlds put into each other, numbers
//! made extreme, parts repeated, formulas grown from a grammar. Nothing may panic, every error must point into its
//! file, and the memory that the process ever had must stay below [`MEMORY`]. The same seed gives the same cases.

use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::time::{Duration, Instant};

use glam::I64Vec3;
use weald_bake::recipe;
use weald_field::formula::{ParameterKind, Usage, signatures};
use weald_space::Seed;
use weald_space::seed::Draw;

/// More than this is an unbounded allocation: all caps together allow some 100 MB.
const MEMORY: u64 = 1 << 30;
/// A case may compute so long.
const SLOW: Duration = Duration::from_secs(20);

/// What came out.
#[derive(Debug, Default)]
pub(crate) struct Outcome {
    /// Worlds that were tried.
    pub(crate) cases: u64,
    /// Of these, the ones that were in order.
    pub(crate) accepted: u64,
    /// The longest that a case computed.
    pub(crate) slowest: Duration,
    /// The most memory that the process had, in bytes; 0 where the system does not tell.
    pub(crate) memory: u64,
}

/// Tries worlds for a while.
///
/// # Errors
/// The first world that made it panic, point beside its text, take too long or take too much memory.
pub(crate) fn fuzz(time: Duration, seed: u64) -> Result<Outcome, String> {
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let file = folder.path().join("w.ron");
    fs::write(folder.path().join("lib.ron"), LIBRARY).map_err(|error| error.to_string())?;
    let began = Instant::now();
    let mut outcome = Outcome::default();
    while began.elapsed() < time {
        let mut draw = Seed::new(seed).at(I64Vec3::new(outcome.cases as i64, 0, 0), 0, 0);
        let text = case(&mut draw);
        let started = busy();
        let accepted =
            try_one(&file, &text).map_err(|wrong| format!("case {}: {wrong}:\n{text}", outcome.cases))?;
        let took = busy().saturating_sub(started);
        outcome.memory = peak_memory();
        if took > SLOW || outcome.memory > MEMORY {
            let memory = outcome.memory;
            return Err(format!("case {} took {took:?} and {memory} bytes:\n{text}", outcome.cases));
        }
        outcome.cases += 1;
        outcome.accepted += u64::from(accepted);
        outcome.slowest = outcome.slowest.max(took);
    }
    Ok(outcome)
}

/// Whether the world is in order.
fn try_one(file: &Path, text: &str) -> Result<bool, String> {
    let parsed = catch_unwind(AssertUnwindSafe(|| match recipe::parse(file, text) {
        Ok(_) => Ok(true),
        Err(error) => {
            let message = error.to_string();
            let inside = error.spot.as_ref().is_none_or(|spot| spot.text.get(spot.bytes.clone()).is_some());
            if inside { Ok(false) } else { Err(format!("the place is not in the text: {message}")) }
        }
    }));
    parsed.unwrap_or_else(|_| Err("it panics".to_owned()))
}

/// The time that this thread has computed, which a busy machine does not stretch; none where the system does not tell.
fn busy() -> Duration {
    let times = fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    Duration::from_nanos(times.split(' ').next().and_then(|nanos| nanos.parse().ok()).unwrap_or(0))
}

/// The most memory that this process had at once.
fn peak_memory() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kilobytes = line.and_then(|rest| rest.trim().strip_suffix(" kB")?.trim().parse::<u64>().ok());
    kilobytes.unwrap_or(0) << 10
}

const LIBRARY: &str = r#"Fields(fields: {
    "lib_hills": "fbm(wavelength: 200, flat: true) * 20",
    "lib_ball(size, up: 3)": "sphere(size, at: (0, 0, up))",
})"#;

const WORLDS: [&str; 3] = [
    r##"World(
    version: 1, name: "a", seed: 3, cell_size: 2.0, region: (min: (-64, -64), max: (64, 64)),
    use: ["lib.ron"],
    fields: {
        "hills": "lib_hills + ridged(90, flat: true) * 10 // a comment",
        "tower(radius, height: 2 * radius)": "cylinder(radius, height).at((0, 0, height / 2))",
        "ring": "torus(major: 30, minor: 8).rotate(x: 90).at((12, 4, 33))",
    },
    ground: (
        base: 1.5,
        detail: [
            (name: "n", noise: (kind: Value, wavelength: 60, octaves: 3), amplitude: 4),
            (name: "f", field: "hills"),
            (name: "s", field: "2 * fbm(30) * if(z < 40, 1, 0)"),
        ],
        solids: [
            (name: "t", op: Add, at: Ground(4, 5, 0), turn_deg: 30, blend: 2,
             shape: Union(blend: 1, of: [Field("tower(6).warp(x: fbm(10))"), Sphere(radius: 9)])),
            (name: "c", op: Cut, at: World(0, 0, 5), shape: Field("lib_ball(size: 7).twist(turn: 3)")),
        ],
    ),
    materials: [(name: "grass", color: "#6f8f3f"), (name: "rock", color: "#857d72")],
    surface: (default: "grass", rules: [
        (material: "rock", slope_deg: (30, 180), field: (of: "hills - z", below: 4)),
        (material: "rock", height: (10, 90), border: (name: "b", field: "lib_hills")),
    ]),
    camera: (eye: Ground(60, -80, 20), target: World(0, 0, 5)),
)"##,
    r##"World(version: 1, name: "b", cell_size: 4,
    fields: { "deep": "worley(80, of: f2_f1) * 8", "points": "[(0, 0, 0), (10, 5, 2, 3), (20, 0, 9)]" },
    ground: (density: "difference(ground(billow(120, flat: true) * 30), polyline(points), deep - 1, blend: 3)"),
    materials: [(name: "grass", color: "#6f8f3f")], surface: (default: "grass"))"##,
    r##"World(version: 1, name: "c", cell_size: 1, ground: (base: 0, solids: [
        (name: "h", op: Add, at: World(0, 0, 0), shape: Difference(from: Box(size: (20, 20, 20)), cut: [
            Cylinder(radius: 4, length: 30, tilt_deg: 90), Field("prism([(0, 0), (9, 0), (4, 8)], bottom: -2, top: 12)"),
        ])),
    ]), materials: [(name: "grass", color: "#6f8f3f")], surface: (default: "grass"))"##,
];

const NUMBERS: [&str; 14] = [
    "0",
    "-1",
    "1",
    "0.5",
    "1e30",
    "1e31",
    "-1e308",
    "1e999",
    "1e-300",
    "NaN",
    "inf",
    "4294967296",
    "65537",
    "18446744073709551616",
];

fn case(draw: &mut Draw) -> String {
    let mut text = pick(draw, &WORLDS).to_owned();
    for _ in 0..=draw.below(4) {
        text = match draw.below(8) {
            0 => flipped(draw, text),
            1 => spliced(draw, &text),
            2 => repeated(draw, &text),
            3 => renumbered(draw, &text),
            _ => reformulated(draw, &text),
        };
        text.truncate(text.floor_char_boundary(1 << 20));
    }
    text
}

fn pick<'a>(draw: &mut Draw, all: &[&'a str]) -> &'a str {
    all[draw.below(all.len() as u32) as usize]
}

fn flipped(draw: &mut Draw, text: String) -> String {
    let mut bytes = text.into_bytes();
    for _ in 0..=draw.below(6) {
        if !bytes.is_empty() {
            let at = draw.below(bytes.len() as u32) as usize;
            bytes[at] = (draw.u32() >> draw.below(25)) as u8;
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// The places at which tokens begin.
fn tokens(text: &str) -> Vec<usize> {
    let word = |c: char| c.is_alphanumeric() || c == '_' || c == '.';
    let mut last = ' ';
    let mut starts: Vec<usize> = Vec::new();
    for (at, c) in text.char_indices() {
        if !(c.is_whitespace() || word(last) && word(c)) {
            starts.push(at);
        }
        last = c;
    }
    starts.push(text.len());
    starts
}

/// A range of up to so many tokens.
fn piece(draw: &mut Draw, text: &str, most: u32) -> std::ops::Range<usize> {
    let starts = tokens(text);
    let first = draw.below(starts.len() as u32) as usize;
    let last = (first + draw.below(most + 1) as usize).min(starts.len() - 1);
    starts[first]..starts[last]
}

fn spliced(draw: &mut Draw, text: &str) -> String {
    let from = pick(draw, &WORLDS);
    let new = &from[piece(draw, from, 20)];
    let old = piece(draw, text, 8);
    format!("{}{new} {}", &text[..old.start], &text[old.end..])
}

fn repeated(draw: &mut Draw, text: &str) -> String {
    let part = piece(draw, text, 6);
    let times = 1 << draw.below(13);
    format!("{}{}{}", &text[..part.start], text[part.clone()].repeat(times), &text[part.start..])
}

fn renumbered(draw: &mut Draw, text: &str) -> String {
    let starts = tokens(text);
    let is_number = |pair: &&[usize]| text[pair[0]..].starts_with(|c: char| c.is_ascii_digit());
    let numbers: Vec<&[usize]> = starts.windows(2).filter(is_number).collect();
    if numbers.is_empty() {
        return text.to_owned();
    }
    let number = numbers[draw.below(numbers.len() as u32) as usize];
    let rest = &text[number[0]..];
    let end = number[0] + rest.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(rest.len());
    format!("{}{}{}", &text[..number[0]], pick(draw, &NUMBERS), &text[end..])
}

/// Puts a formula in place of a string, or among the definitions.
fn reformulated(draw: &mut Draw, text: &str) -> String {
    let quotes: Vec<usize> = text.match_indices('"').map(|(at, _)| at).collect();
    let depth = 1 + draw.below(6);
    let formula = formula(draw, depth);
    if quotes.len() < 2 || draw.chance(0.3) {
        let name = pick(draw, &["hills", "a", "b", "f(n)", "f(n, m: n * 2)", "ring", "g(a, b, c: 3)"]);
        return text.replacen("fields: {", &format!("fields: {{ \"{name}\": \"{formula}\","), 1);
    }
    let first = draw.below(quotes.len() as u32 / 2) as usize * 2;
    format!("{}{formula}{}", &text[..=quotes[first]], &text[quotes[first + 1]..])
}

/// A formula from the grammar of the language; mostly of the right types.
fn formula(draw: &mut Draw, depth: u32) -> String {
    if depth == 0 {
        let names = ["x", "y", "z", "hills", "ring", "a", "b", "n", "elevation", "lib_hills", "f(2)", "pi"];
        let name = pick(draw, &names).to_owned();
        return if draw.chance(0.5) { name } else { pick(draw, &NUMBERS).to_owned() };
    }
    let mut inner = |draw: &mut Draw| {
        let less = 1 + draw.below(depth);
        formula(draw, depth - less)
    };
    match draw.below(10) {
        0 => format!("-{}", inner(draw)),
        1 => format!("({})", inner(draw)),
        2..=4 => {
            let operator = pick(draw, &["+", "-", "*", "/", "^"]);
            format!("{} {operator} {}", inner(draw), inner(draw))
        }
        _ => call(draw, &mut inner),
    }
}

fn call(draw: &mut Draw, inner: &mut dyn FnMut(&mut Draw) -> String) -> String {
    let all: Vec<_> = signatures().collect();
    let signature = all[draw.below(all.len() as u32) as usize];
    let mut args: Vec<String> = Vec::new();
    if let Usage::Variadic(_) = signature.usage {
        args.extend((0..=draw.below(3)).map(|_| inner(draw)));
    }
    for param in signature.params {
        if param.default.is_some() && draw.chance(0.6) {
            continue;
        }
        let number = |draw: &mut Draw| match draw.chance(0.9) {
            true => format!("{}", f64::from(draw.below(900)) / 9.0),
            false => pick(draw, &NUMBERS).to_owned(),
        };
        let value = match param.kind {
            _ if draw.chance(0.03) => inner(draw),
            ParameterKind::Number(_) => format!("{}", 1 + draw.below(9)),
            ParameterKind::Field => inner(draw),
            ParameterKind::Point => format!("({}, {}, {})", number(draw), number(draw), number(draw)),
            ParameterKind::Span | ParameterKind::Pair => format!("({}, {})", number(draw), number(draw)),
            ParameterKind::Word(words) => pick(draw, words).to_owned(),
            ParameterKind::Flag => pick(draw, &["true", "false"]).to_owned(),
            ParameterKind::Seed => pick(draw, &["1", "'a'", "n"]).to_owned(),
            ParameterKind::Condition => format!("{} < {}", inner(draw), inner(draw)),
            ParameterKind::Points { size, .. } => {
                let one = |draw: &mut Draw| {
                    let parts: Vec<String> = (0..size).map(|_| number(draw)).collect();
                    format!("({})", parts.join(", "))
                };
                let points: Vec<String> = (0..2 + draw.below(4)).map(|_| one(draw)).collect();
                format!("[{}]", points.join(", "))
            }
            ParameterKind::Counts => "(1, 2, 0)".to_owned(),
        };
        args.push(format!("{}: {value}", param.name));
    }
    let (name, args) = (signature.name, args.join(", "));
    match signature.usage {
        Usage::Constant => name.to_owned(),
        Usage::Method => format!("({}).{name}({args})", inner(draw)),
        _ => format!("{name}({args})"),
    }
}

/// Runs for the seconds that the first argument says, with the seed of the second.
#[allow(dead_code, reason = "a test takes the rest of this file as a module")]
fn main() -> Result<(), String> {
    let mut args = std::env::args().skip(1);
    let seconds = args.next().and_then(|text| text.parse().ok()).unwrap_or(10);
    let seed = args.next().and_then(|text| text.parse().ok()).unwrap_or(1);
    // A panic is caught and told with its case.
    std::panic::set_hook(Box::new(|info| eprintln!("{info}")));
    let Outcome { cases, accepted, slowest, memory } = fuzz(Duration::from_secs(seconds), seed)?;
    println!(
        "{cases} worlds in {seconds} s, {accepted} of them in order; the slowest took {slowest:?}, the most memory \
         was {} MB",
        memory >> 20
    );
    Ok(())
}
