//! A tape as a WGSL module, for previews on a GPU.
//!
//! The module samples a grid: one invocation a point. It is printed by evaluating the tape with
//! [`Symbol`]s. A GPU has no f64, so what is worked out of positions in f64 (places relative to
//! an origin, cells of noise lattices and the parts of the way in them) is tabled along each axis for the grid that is
//! asked for, exactly as on the CPU; the module goes on from there. Whole numbers and hashes are those of the CPU,
//! values differ by the rounding that WGSL leaves open. The CPU is the reference.
//!
//! The module declares, in group 0:
//!
//! | binding | what |
//! |---|---|
//! | 0 | `dims`: points along x, y and z (uniform, `vec4<u32>`) |
//! | 1 | `floats`: tables (storage, read) |
//! | 2 | `ints`: tables (storage, read) |
//! | 3 | `out`: the values, x fastest, then y, then z (storage, read and write) |
//!
//! Its entry point is `sample`, with 64 invocations a workgroup; the number of a point is
//! `id.x + id.y * num_workgroups.x * 64`.

use std::cell::RefCell;
use std::sync::Arc;

use glam::{DVec2, DVec3};
use weald_space::{Axis, Interval};

use crate::algebra::{Algebra as _, Dual, Enclosure, Pointwise, Printer, Symbol, WordSymbol};
use crate::cloud::Cloud;
use crate::curve::Curve;
use crate::noise::{Noise, Spot};
use crate::once::{Hull, Once, wrapped};
use crate::op::{Machine, Op, Raster};
use crate::prism::Prism;
use crate::prune::correction;
use crate::raster::{RasterAxis, RasterSpot};
use crate::segments::Segments;
use crate::shape::Shape;
use crate::tape::{Grid, Tape};

/// The most lines that a module may have: a software driver compiles as many in 15 s, and twice as many not in 30.
pub const MAX_LINES: usize = 8_000;

/// Why a tape cannot be printed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WgslError {
    /// The module would be too long.
    #[error("the shader has more than {limit} lines; prune the tape to what reaches the grid")]
    TooLong {
        /// The cap.
        limit: usize,
    },
}

/// A tape as WGSL.
#[derive(Clone, Debug)]
pub struct Shader {
    /// The module.
    pub source: String,
    /// The tables that do not depend on the grid.
    floats: Vec<f32>,
    heads: Vec<Head>,
}

/// What a module reads for one grid.
#[derive(Clone, Debug, PartialEq)]
pub struct Tables {
    /// Binding 1.
    pub floats: Vec<f32>,
    /// Binding 2.
    pub ints: Vec<u32>,
    /// Points along x, y and z.
    pub dims: [u32; 3],
}

/// What is tabled along an axis of the grid.
#[derive(Clone, Debug)]
struct Head {
    axis: usize,
    origin: f64,
    of: HeadKind,
}

#[derive(Clone, Debug)]
enum HeadKind {
    /// Metres from the origin, with this period.
    Place(f64),
    /// The cell of the lattice of an octave, and the part.
    Lattice(Arc<Noise>, usize),
    /// The cell of a raster, and the part.
    Raster(RasterAxis),
}

impl Shader {
    /// Prints a tape.
    ///
    /// # Errors
    /// If the module would have more than [`MAX_LINES`] lines, for example for a union of many segments.
    pub fn new(tape: &Tape) -> Result<Shader, WgslError> {
        let printer = Printer::default();
        let heads = RefCell::new(Vec::new());
        let value = print(tape, &printer, &heads)?;
        let value = format!("{value:?}");
        let printed = printer.finish();
        let source = format!("{PROLOGUE}{}    out[number] = {value};\n}}\n", printed.lines);
        Ok(Shader { source, floats: printed.floats, heads: heads.into_inner() })
    }

    /// What the module reads for this grid.
    #[must_use]
    pub fn tables(&self, grid: &Grid) -> Tables {
        let axes = grid.places();
        let mut floats = self.floats.clone();
        let mut ints = vec![0; 2 * self.heads.len()];
        for (number, head) in self.heads.iter().enumerate() {
            ints[2 * number] = floats.len() as u32;
            ints[2 * number + 1] = ints.len() as u32;
            for place in &axes[head.axis] {
                let local = place - head.origin;
                match &head.of {
                    HeadKind::Place(period) => floats.push(wrapped(local, *period) as f32),
                    HeadKind::Lattice(noise, octave) => {
                        let (cell, part) = noise.octaves()[*octave].split(head.axis, local);
                        floats.push(part);
                        ints.push(cell);
                    }
                    HeadKind::Raster(axis) => {
                        let (cell, part) = axis.split(local);
                        floats.push(part);
                        ints.push(cell);
                    }
                }
            }
        }
        // A binding holds at least one entry.
        floats.push(0.0);
        ints.push(0);
        Tables { floats, ints, dims: grid.dims.map(|points| points as u32) }
    }
}

const PROLOGUE: &str = "\
@group(0) @binding(0) var<uniform> dims: vec4<u32>;
@group(0) @binding(1) var<storage, read> floats: array<f32>;
@group(0) @binding(2) var<storage, read> ints: array<u32>;
@group(0) @binding(3) var<storage, read_write> out: array<f32>;

@compute @workgroup_size(64)
fn sample(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
    let number = id.x + id.y * groups.x * 64u;
    if number >= dims.x * dims.y * dims.z {
        return;
    }
    let at = vec3<u32>(number % dims.x, number / dims.x % dims.y, number / (dims.x * dims.y));
";

/// Prints the lines that make the value of a tape.
fn print<'p>(tape: &Tape, printer: &'p Printer, heads: &RefCell<Vec<Head>>) -> Result<Symbol<'p>, WgslError> {
    let mut values: Vec<Symbol> = Vec::new();
    let mut duals: Vec<Option<Dual<Symbol>>> = Vec::new();
    for (term, &in_height) in tape.terms().iter().zip(tape.in_height()) {
        let op = &term.op;
        let noise = if let Op::Noise { noise, .. } = op { Some(noise) } else { None };
        let place = OnGrid { heads, noise };
        let args = term.args().iter().map(|&arg| arg as usize);
        let (value, dual) = match op {
            Op::Correction => {
                let height = duals[term.args()[0] as usize];
                (height.map_or(Symbol::constant(printer, 1.0), correction), None)
            }
            _ if in_height => {
                let args: Vec<Dual<Symbol>> = args.filter_map(|arg| duals[arg]).collect();
                let dual = Once::value(op, printer, &args, place);
                (dual.value, Some(dual))
            }
            _ => {
                let args: Vec<Symbol> = args.map(|arg| values[arg]).collect();
                (Once::value(op, printer, &args, place), None)
            }
        };
        values.push(value);
        duals.push(dual);
        if printer.line_count() > MAX_LINES {
            return Err(WgslError::TooLong { limit: MAX_LINES });
        }
    }
    Ok(values.last().copied().unwrap_or(Symbol::constant(printer, 0.0)))
}

/// On a grid, whose tables are listed as they are asked for.
struct OnGrid<'a> {
    heads: &'a RefCell<Vec<Head>>,
    /// The noise that is being printed.
    noise: Option<&'a Arc<Noise>>,
}

impl OnGrid<'_> {
    /// The names of a tabled part and of its cell.
    fn tabled<'p>(&self, printer: &'p Printer, head: Head) -> (Symbol<'p>, WordSymbol<'p>) {
        let at = ["at.x", "at.y", "at.z"][head.axis];
        let is_place = matches!(head.of, HeadKind::Place(_));
        let mut heads = self.heads.borrow_mut();
        let number = heads.len();
        heads.push(head);
        let part = printer.number(format_args!("floats[ints[{}u] + {at}]", 2 * number));
        let cell = if is_place {
            Symbol::word(printer, 0)
        } else {
            printer.word(format_args!("ints[ints[{}u] + {at}]", 2 * number + 1))
        };
        (part, cell)
    }
}

/// Symbols, with or without gradients.
trait Printed<'p>: Pointwise<Context = &'p Printer, Word = WordSymbol<'p>> {
    fn level(symbol: Symbol<'p>) -> Self;
}

impl<'p> Printed<'p> for Symbol<'p> {
    fn level(symbol: Symbol<'p>) -> Self {
        symbol
    }
}

impl<'p> Printed<'p> for Dual<Symbol<'p>> {
    fn level(symbol: Symbol<'p>) -> Self {
        Dual::level(symbol)
    }
}

impl<'p, A: Printed<'p>> Hull<A> for OnGrid<'_> {
    fn hull(&self, _of: A) -> Enclosure {
        Enclosure(Interval::ALL)
    }
}

impl<'p, A: Printed<'p>> Machine<A> for Once<'_, A, OnGrid<'_>> {
    fn coordinate(&mut self, axis: Axis, origin: f64, period: f64) {
        let axis = axis.index();
        let (place, _) = self.place.tabled(self.context, Head { axis, origin, of: HeadKind::Place(period) });
        self.out = A::along(A::level(place), axis, 1.0);
    }

    fn noise(&mut self, noise: &Noise, base: Option<DVec3>) {
        let octaves = noise.octaves();
        let Some((base, shared)) = base.zip(self.place.noise) else {
            let spot = |octave: usize, axis: usize| octaves[octave].spot_from_place(axis, self.args[axis]);
            self.out = noise.value(self.context, spot);
            return;
        };
        let axes = if noise.reads().z { 3 } else { 2 };
        let mut spots: Vec<Spot<A>> = Vec::new();
        for (number, octave) in octaves.iter().enumerate() {
            for axis in 0..axes {
                let of = HeadKind::Lattice(Arc::clone(shared), number);
                let (part, cell) = self.place.tabled(self.context, Head { axis, origin: base[axis], of });
                let part = A::along(A::level(part), axis, octave.frequency() as f32);
                let spot = Spot { cell, part };
                spots.push(match self.args.get(axis) {
                    Some(&by) => octave.moved(spot, by),
                    None => spot,
                });
            }
        }
        self.out = noise.value(self.context, |octave, axis| spots[octave * axes + axis]);
    }

    fn raster(&mut self, raster: &Raster, base: Option<DVec2>) {
        let Some(base) = base else {
            self.out = raster.at_place(self.context, [self.args[0], self.args[1]]);
            return;
        };
        let [x, y] = [0, 1].map(|axis| {
            let of = HeadKind::Raster(raster.axis(axis));
            let (part, cell) = self.place.tabled(self.context, Head { axis, origin: base[axis], of });
            RasterSpot { cell, part: A::along(A::level(part), axis, raster.axis(axis).slope()) }
        });
        self.out = raster.at_spots(self.context, x, y);
    }

    fn curve(&mut self, curve: &Curve) {
        self.out = curve.apply(self.args[0]);
    }
    fn shape(&mut self, shape: &Shape) {
        shape.sweep(self);
    }
    fn prism(&mut self, prism: &Prism) {
        prism.sweep(self);
    }
    fn segments(&mut self, segments: &Segments) {
        segments.sweep(self);
    }
    fn cloud(&mut self, cloud: &Cloud) {
        cloud.sweep(self);
    }
}
