//! From a program to a value.
//!
//! Steps run in their order, so only calls of definitions recurse; these are no deeper than [`MAX_HEIGHT`]. What a
//! formula expands to is paid for step by step.
//!
//! [`MAX_HEIGHT`]: super::MAX_HEIGHT

use std::ops::Range;
use std::sync::Arc;

use super::builtin::{Arg, Args};
use super::definitions::Library;
use super::error::{FormulaError, Part, Place, Wrong};
use super::lex::{Fault, Span};
use super::parse::NodeId;
use super::resolve::{BuiltinCall, Op, Program};
use super::value::{Scalar, Value};
use super::{MAX_STEPS, noises};

/// More calls than these are not told in an error.
const TOLD_CALLS: usize = 8;

pub(super) struct Evaluator<'d> {
    pub(super) library: &'d Library,
    /// The values of definitions without parameters.
    pub(super) known: &'d mut [Option<Value>],
    pub(super) steps: &'d mut usize,
}

/// Which text a program is made from.
#[derive(Clone, Copy)]
pub(super) struct Origin {
    pub(super) origin: usize,
    pub(super) part: Part,
}

impl Origin {
    pub(super) fn place(self, span: Span) -> Place {
        let bytes = span.start as usize..span.end as usize;
        Place { origin: self.origin, part: self.part, bytes }
    }

    pub(super) fn error(self, (wrong, span): Fault) -> FormulaError {
        FormulaError { wrong: Box::new(wrong), place: self.place(span), calls: Vec::new() }
    }
}

impl Evaluator<'_> {
    /// The value of some steps, the last of which is a whole.
    pub(super) fn run(
        &mut self,
        program: &Program,
        range: Range<usize>,
        locals: &[Value],
        origin: Origin,
    ) -> Result<Value, FormulaError> {
        let first = range.start;
        let mut values: Vec<Option<Value>> = Vec::with_capacity(range.len());
        for step in &program.steps[range] {
            let fail = |wrong: Wrong| origin.error((wrong, step.span));
            self.pay(1).map_err(fail)?;
            let mut take = |node: NodeId| {
                let value = values.get_mut(node as usize - first).and_then(Option::take);
                value.expect("each node is read once, by a later one")
            };
            let value = match &step.op {
                Op::Number(value) => Value::Scalar(Scalar::number(*value).map_err(fail)?),
                Op::Text(text) => text_value(text),
                Op::Local(local) => locals[*local].clone(),
                Op::Host(host) => Value::Scalar(Scalar::Field(self.library.host[*host].clone())),
                Op::Negate(a) => take(*a).negate().map_err(fail)?,
                Op::Binary(operator, a, b) => take(*a).join(*operator, &take(*b)).map_err(fail)?,
                Op::Less(a, b) => take(*a).less(&take(*b)).map_err(fail)?,
                Op::Vector(parts) => vector(parts.iter().map(|&part| take(part))).map_err(fail)?,
                Op::List(items) => list(items.iter().map(|&item| take(item))).map_err(fail)?,
                Op::Definition(definition, args) => {
                    let args = args.iter().map(|arg| arg.map(&mut take)).collect();
                    self.definition(*definition, args, origin.place(step.span))?
                }
                Op::Builtin(call) => self.builtin(call, &mut take).map_err(|(wrong, node)| {
                    let span = node.map_or(step.span, |node| program.steps[node as usize].span);
                    origin.error((wrong, span))
                })?,
            };
            values.push(Some(value));
        }
        Ok(values.pop().flatten().expect("a formula has a last step"))
    }

    /// The value of a definition with some of its arguments.
    pub(super) fn definition(
        &mut self,
        number: usize,
        args: Vec<Option<Value>>,
        call: Place,
    ) -> Result<Value, FormulaError> {
        if let Some(value) = &self.known[number] {
            return Ok(value.clone());
        }
        let library = self.library;
        let definition = &library.definitions[number];
        let mut locals: Vec<Value> = Vec::with_capacity(args.len());
        let head = Origin { origin: definition.origin, part: Part::Head };
        for (arg, default) in args.into_iter().zip(&definition.defaults) {
            let value = match (arg, default) {
                (Some(value), _) => value,
                (None, range) => {
                    let range = range.clone().expect("what has no default is given");
                    self.run(&definition.head, range, &locals, head)?
                }
            };
            locals.push(value);
        }
        let body = Origin { origin: definition.origin, part: Part::Body };
        let value = self.run(&definition.body, 0..definition.body.steps.len(), &locals, body);
        if definition.defaults.is_empty() {
            let value = value?;
            self.known[number] = Some(value.clone());
            return Ok(value);
        }
        value.map_err(|mut error| {
            if error.calls.len() < TOLD_CALLS {
                error.calls.push(call);
            }
            error
        })
    }

    /// An error is about the whole call, or about the argument at a node.
    fn builtin(
        &mut self,
        call: &BuiltinCall,
        take: &mut dyn FnMut(NodeId) -> Value,
    ) -> Result<Value, (Wrong, Option<NodeId>)> {
        let BuiltinCall { signature, receiver, rest, args, seed } = call;
        let mut field = |what: &str, node: NodeId| match take(node) {
            Value::Scalar(scalar) => Ok(scalar),
            other => {
                let subject = format!("{what} of `{}`", signature.name);
                let (wanted, found) = ("a field or a number".to_owned(), other.type_name());
                Err((Wrong::Type { subject, wanted, found }, Some(node)))
            }
        };
        let receiver = receiver.map(|node| field("the subject", node)).transpose()?;
        let rest = rest.iter().map(|&node| field("an argument", node)).collect::<Result<Vec<_>, _>>()?;
        let one = |(param, node): (&super::builtin::Parameter, &Option<NodeId>)| match node {
            Some(node) => param.arg(signature.name, &take(*node)).map_err(|wrong| (wrong, Some(*node))),
            None => Ok(param.default_arg().expect("what has no default is given")),
        };
        let args = signature.params.iter().zip(args).map(one).collect::<Result<Vec<_>, _>>()?;
        let args = Args { receiver: receiver.map(|scalar| scalar.expr()), rest, args, seed: *seed };
        self.pay(cost(call, &args)).map_err(|wrong| (wrong, None))?;
        (signature.build)(&args).map_err(|wrong| (wrong, None))
    }

    /// Counts steps that a formula expands to.
    pub(super) fn pay(&mut self, steps: usize) -> Result<(), Wrong> {
        *self.steps += steps;
        if *self.steps <= MAX_STEPS {
            return Ok(());
        }
        let what = format!("the formulas expand to {} steps", *self.steps);
        Err(Wrong::TooLarge { what, limit: MAX_STEPS })
    }
}

/// What a call builds, counted in steps.
fn cost(call: &BuiltinCall, args: &Args) -> usize {
    let points = args.args.iter().map(|arg| match arg {
        Arg::Points(points) => points.len(),
        _ => 0,
    });
    args.rest.len() + points.sum::<usize>() + noises::layers(call.signature, args)
}

fn text_value(text: &Arc<str>) -> Value {
    Value::Text(Arc::clone(text))
}

fn vector(parts: impl Iterator<Item = Value>) -> Result<Value, Wrong> {
    let one = |part: Value| match part {
        Value::Scalar(scalar) => Ok(scalar),
        other => Err(mistyped("a part of a vector", "a number or a field", &other)),
    };
    Ok(Value::Vector(parts.map(one).collect::<Result<_, Wrong>>()?))
}

fn list(items: impl Iterator<Item = Value>) -> Result<Value, Wrong> {
    let one = |item: Value| match item {
        Value::Scalar(_) | Value::Vector(_) => Ok(item),
        other => Err(mistyped("an item of a list", "a number or a vector", &other)),
    };
    Ok(Value::List(items.map(one).collect::<Result<_, Wrong>>()?))
}

pub(super) fn mistyped(subject: &str, wanted: &str, value: &Value) -> Wrong {
    Wrong::Type { subject: subject.to_owned(), wanted: wanted.to_owned(), found: value.type_name() }
}
