//! Numbers that are names: computing with them prints WGSL.
//!
//! Every operation writes one line, `let v7 = v3 + v5;`, and its result is the new name. So the printed program does
//! what the tape does, in the same order, and no op is written twice. What WGSL leaves open (the order of sums, fused
//! multiplications, the last bits of division) makes the values differ from the CPU's by rounding; whole numbers and
//! hashes are the same.

use std::cell::RefCell;
use std::fmt::{self, Write as _};
use std::ops::{Add, Mul, Neg, Sub};

use super::{Algebra, LEAST_DIVISOR, Pointwise, Table, Word, functions};

/// The lines printed so far, and the tables that they read.
#[derive(Debug, Default)]
pub struct Printer {
    inner: RefCell<Inner>,
}

#[derive(Debug, Default)]
struct Inner {
    lines: String,
    names: u32,
    /// Where each table starts, and its length.
    tables: Vec<(usize, usize)>,
    floats: Vec<f32>,
}

/// What is printed besides the lines.
#[derive(Debug, Default)]
pub struct Printed {
    /// The lines, each a statement.
    pub lines: String,
    /// The tables that the lines read, one after the other.
    pub floats: Vec<f32>,
}

/// A number under a name.
#[derive(Clone, Copy)]
pub struct Symbol<'p> {
    printer: &'p Printer,
    name: Name,
}

/// A word under a name.
#[derive(Clone, Copy)]
pub struct WordSymbol<'p> {
    printer: &'p Printer,
    name: Name,
}

#[derive(Clone, Copy, Debug)]
enum Name {
    Line(u32),
    Float(f32),
    Word(u32),
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Name::Line(number) => write!(f, "v{number}"),
            Name::Float(value) if value.is_finite() => write!(f, "{value:?}f"),
            Name::Float(value) => write!(f, "bitcast<f32>({}u)", value.to_bits()),
            Name::Word(value) => write!(f, "{value}u"),
        }
    }
}

impl fmt::Debug for Symbol<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.name, f)
    }
}

impl fmt::Debug for WordSymbol<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.name, f)
    }
}

impl Printer {
    /// Prints a statement that gives an expression of WGSL a name.
    fn line(&self, expression: fmt::Arguments) -> Name {
        let mut inner = self.inner.borrow_mut();
        let number = inner.names;
        inner.names += 1;
        let _ = writeln!(inner.lines, "    let v{number} = {expression};");
        Name::Line(number)
    }

    /// A number that is an expression of WGSL.
    pub fn number(&self, expression: fmt::Arguments) -> Symbol<'_> {
        Symbol { printer: self, name: self.line(expression) }
    }

    /// A word that is an expression of WGSL.
    pub fn word(&self, expression: fmt::Arguments) -> WordSymbol<'_> {
        WordSymbol { printer: self, name: self.line(expression) }
    }

    /// How many lines there are.
    pub fn line_count(&self) -> usize {
        self.inner.borrow().names as usize
    }

    /// The place of a table's first entry among all tables; equal tables are one.
    fn table(&self, table: &[f32]) -> usize {
        let mut inner = self.inner.borrow_mut();
        let same = |&(start, length): &(usize, usize)| inner.floats[start..start + length] == *table;
        let start = inner.tables.iter().find(|&place| same(place)).map(|&(start, _)| start);
        start.unwrap_or_else(|| {
            let at = inner.floats.len();
            inner.tables.push((at, table.len()));
            inner.floats.extend_from_slice(table);
            at
        })
    }

    /// All that was printed.
    pub fn finish(self) -> Printed {
        let Inner { lines, floats, .. } = self.inner.into_inner();
        Printed { lines, floats }
    }
}

macro_rules! operators {
    ($($trait:ident $method:ident $sign:literal),*) => {$(
        impl $trait for Symbol<'_> {
            type Output = Self;
            fn $method(self, other: Self) -> Self {
                self.printer.number(format_args!("{} {} {}", self.name, $sign, other.name))
            }
        }
    )*};
}

operators!(Add add "+", Sub sub "-", Mul mul "*");

impl Neg for Symbol<'_> {
    type Output = Self;
    fn neg(self) -> Self {
        if let Name::Float(value) = self.name {
            return self.like(-value);
        }
        self.printer.number(format_args!("-{}", self.name))
    }
}

impl Add<f32> for Symbol<'_> {
    type Output = Self;
    fn add(self, constant: f32) -> Self {
        self + self.like(constant)
    }
}

impl Mul<f32> for Symbol<'_> {
    type Output = Self;
    fn mul(self, constant: f32) -> Self {
        self * self.like(constant)
    }
}

impl<'p> Algebra for Symbol<'p> {
    type Context = &'p Printer;

    fn constant(printer: &'p Printer, value: f32) -> Self {
        Symbol { printer, name: Name::Float(value) }
    }
    fn context(self) -> &'p Printer {
        self.printer
    }
    fn divide(self, by: Self) -> Self {
        let least = self.like(LEAST_DIVISOR);
        let signed = Self::choose(self.like(0.0), by, least, -least);
        let size = by.abs();
        let divisor = self
            .printer
            .number(format_args!("select({}, {}, {} < {})", by.name, signed.name, size.name, least.name));
        self.printer.number(format_args!("{} / {}", self.name, divisor.name))
    }
    fn min(self, other: Self) -> Self {
        Self::choose(self, other, self, other)
    }
    fn max(self, other: Self) -> Self {
        Self::choose(other, self, self, other)
    }
    fn abs(self) -> Self {
        self.printer.number(format_args!("abs({})", self.name))
    }
    fn floor(self) -> Self {
        self.printer.number(format_args!("floor({})", self.name))
    }
    fn root(self) -> Self {
        self.printer.number(format_args!("sqrt(max({}, 0.0f))", self.name))
    }
    fn wave(self) -> Self {
        functions::wave(self)
    }
    fn power(self, exponent: f32) -> Self {
        functions::power(self, exponent)
    }
    fn length<const N: usize>(of: [Self; N]) -> Self {
        let mut sum = of[0] * of[0];
        for &component in &of[1..] {
            sum = sum + component * component;
        }
        sum.root()
    }
    fn choose(a: Self, b: Self, then: Self, otherwise: Self) -> Self {
        let (a, b) = (a.name, b.name);
        then.printer.number(format_args!("select({}, {}, {a} <= {b})", otherwise.name, then.name))
    }
}

impl<'p> Pointwise for Symbol<'p> {
    type Word = WordSymbol<'p>;

    fn word(printer: &'p Printer, value: u32) -> WordSymbol<'p> {
        WordSymbol { printer, name: Name::Word(value) }
    }
    fn to_word(self) -> WordSymbol<'p> {
        self.printer.word(format_args!("bitcast<u32>(i32({}))", self.name))
    }
    fn from_word(printer: &'p Printer, word: WordSymbol<'p>) -> Self {
        printer.number(format_args!("f32(bitcast<i32>({}))", word.name))
    }
    fn bits(self) -> WordSymbol<'p> {
        self.printer.word(format_args!("bitcast<u32>({})", self.name))
    }
    fn from_bits(printer: &'p Printer, bits: WordSymbol<'p>) -> Self {
        printer.number(format_args!("bitcast<f32>({})", bits.name))
    }
    fn pick(word: WordSymbol<'p>, then: Self, otherwise: Self) -> Self {
        word.printer.number(format_args!("select({}, {}, {} != 0u)", otherwise.name, then.name, word.name))
    }
    fn lookup(printer: &'p Printer, table: Table, number: WordSymbol<'p>) -> Self {
        let start = printer.table(table.0);
        let last = table.0.len() - 1;
        printer.number(format_args!("floats[{start}u + min({}, {last}u)]", number.name))
    }
    fn along(value: Self, _axis: usize, _slope: f32) -> Self {
        value
    }
}

impl WordSymbol<'_> {
    fn with(self, sign: &str, other: Name) -> Self {
        self.printer.word(format_args!("{} {sign} {other}", self.name))
    }
}

impl Word for WordSymbol<'_> {
    fn plus(self, other: Self) -> Self {
        self.with("+", other.name)
    }
    fn plus_constant(self, constant: u32) -> Self {
        self.with("+", Name::Word(constant))
    }
    fn times(self, constant: u32) -> Self {
        self.with("*", Name::Word(constant))
    }
    fn xor(self, other: Self) -> Self {
        self.with("^", other.name)
    }
    fn and(self, constant: u32) -> Self {
        self.with("&", Name::Word(constant))
    }
    fn or(self, constant: u32) -> Self {
        self.with("|", Name::Word(constant))
    }
    fn shifted_right(self, by: u32) -> Self {
        self.with(">>", Name::Word(by))
    }
    fn shifted_left(self, by: u32) -> Self {
        self.with("<<", Name::Word(by))
    }
}
