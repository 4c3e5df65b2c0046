//! A library of definitions, and formulas that use it.

use std::collections::BTreeMap;
use std::ops::Range;

use weald_space::Seed;

use super::builtin;
use super::error::{FormulaError, Part, Wrong};
use super::evaluate::{Evaluator, Origin, mistyped};
use super::lex::Span;
use super::parse::{self, Head, Syntax};
use super::resolve::{Names, Op, Parameters, Program, resolve};
use super::size::readings;
use super::value::{Scalar, Value};
use super::{MAX_DEFINITIONS, MAX_HEIGHT, MAX_STEPS};
use crate::expr::Expr;

/// What the host gives to formulas.
#[derive(Clone, Debug)]
pub struct Host {
    /// What noise draws from, by the name of its definition.
    pub seed: Seed,
    /// Fields by name, such as the elevation of a world. A name of the language hides one of these.
    pub names: BTreeMap<String, Expr>,
}

/// A definition as it is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Definition<'t> {
    /// `hills`, or `rock(size, height: 3)` with parameters and their defaults.
    pub head: &'t str,
    /// The formula.
    pub body: &'t str,
    /// A number by which errors name these two texts.
    pub origin: usize,
}

/// A library of definitions: each may use all others, but not itself in a circle.
#[derive(Clone, Debug)]
pub struct Definitions {
    library: Library,
    names: BTreeMap<Box<str>, usize>,
    params: Vec<Parameters>,
    host_names: BTreeMap<String, usize>,
    seed: Seed,
    known: Vec<Option<Value>>,
    /// What was expanded so far.
    steps: usize,
}

#[derive(Clone, Debug)]
pub(super) struct Library {
    pub(super) definitions: Vec<Resolved>,
    pub(super) host: Vec<Expr>,
}

#[derive(Clone, Debug)]
pub(super) struct Resolved {
    pub(super) origin: usize,
    /// Of each parameter, the steps of its default in `head`.
    pub(super) defaults: Vec<Option<Range<usize>>>,
    pub(super) head: Program,
    pub(super) body: Program,
}

/// A definition whose texts are parsed.
struct Parsed<'t> {
    definition: Definition<'t>,
    head: Head,
    body: Syntax,
}

impl Definitions {
    /// Checks the syntax of all definitions, looks up their names and finds circles.
    ///
    /// # Errors
    /// The first one in the order given; if there is none, a name that two definitions or a host's field have, then
    /// an unknown name or a wrong argument, then a circle.
    pub fn new<'t>(
        definitions: impl IntoIterator<Item = Definition<'t>>,
        host: Host,
    ) -> Result<Self, FormulaError> {
        let Host { seed, names: host } = host;
        let (host_names, host): (Vec<String>, Vec<Expr>) = host.into_iter().unzip();
        let host_names: BTreeMap<String, usize> = host_names.into_iter().zip(0..).collect();
        let mut parsed: Vec<Parsed<'t>> = Vec::new();
        let mut names: BTreeMap<Box<str>, usize> = BTreeMap::new();
        let mut params: Vec<Parameters> = Vec::new();
        let mut nodes = 0;
        for definition in definitions {
            let origin = |part| Origin { origin: definition.origin, part };
            let head = parse::head(definition.head).map_err(|fault| origin(Part::Head).error(fault))?;
            let name = head.name.of(definition.head);
            let taken = taken(name, &names, &host_names, &parsed)
                .or_else(|| (names.len() == MAX_DEFINITIONS).then(too_many))
                .map(|wrong| (wrong, head.name))
                .or_else(|| hidden(definition.head, &head));
            if let Some(fault) = taken {
                return Err(origin(Part::Head).error(fault));
            }
            let body = parse::formula(definition.body).map_err(|fault| origin(Part::Body).error(fault))?;
            nodes += head.syntax.nodes.len() + body.nodes.len();
            if nodes > MAX_STEPS {
                let what = format!("the definitions have {nodes} parts");
                let wrong = Wrong::TooLarge { what, limit: MAX_STEPS };
                return Err(origin(Part::Head).error((wrong, head.name)));
            }
            names.insert(name.into(), parsed.len());
            params.push(parameters(definition.head, &head));
            parsed.push(Parsed { definition, head, body });
        }
        let known = vec![None; parsed.len()];
        let mut all = Definitions {
            library: Library { definitions: Vec::new(), host },
            names,
            params,
            host_names,
            seed,
            known,
            steps: 0,
        };
        let resolved = parsed.iter().enumerate().map(|(i, one)| all.resolved(i, one));
        all.library.definitions = resolved.collect::<Result<_, FormulaError>>()?;
        let uses: Vec<Vec<Use>> = all.library.definitions.iter().map(uses).collect();
        let name = |i: usize| {
            let Parsed { definition, head, .. } = &parsed[i];
            head.name.of(definition.head)
        };
        check_heights(&uses, name)?;
        Ok(all)
    }

    /// Evaluates all definitions without parameters, so that those that nothing uses are checked too.
    ///
    /// # Errors
    /// A type that does not fit, a parameter out of its range, or too much.
    pub fn check(&mut self) -> Result<(), FormulaError> {
        for number in 0..self.params.len() {
            if self.params[number].is_empty() {
                let origin = self.library.definitions[number].origin;
                let place = Origin { origin, part: Part::Head }.place(Span::new(0, 0));
                self.evaluator().definition(number, Vec::new(), place)?;
            }
        }
        Ok(())
    }

    /// The field of a formula. `label` stands in for the name of a definition: noise draws by it. `origin` is the number
    /// by which errors name the text.
    ///
    /// # Errors
    /// Whatever [`Wrong`] has.
    pub fn field(&mut self, label: &str, text: &str, origin: usize) -> Result<Expr, FormulaError> {
        let (value, whole) = self.value(label, text, origin)?;
        let expr = match value {
            Value::Scalar(scalar) => scalar.expr(),
            other => return Err(whole(mistyped("the formula", "a field or a number", &other))),
        };
        let readings = readings(&expr, MAX_STEPS);
        self.evaluator().pay(readings).map_err(whole)?;
        Ok(expr)
    }

    /// The number of a formula, as [`Definitions::field`] gives its field.
    ///
    /// # Errors
    /// Whatever [`Wrong`] has; also if the value depends on the place.
    pub fn number(&mut self, label: &str, text: &str, origin: usize) -> Result<f64, FormulaError> {
        let (value, whole) = self.value(label, text, origin)?;
        match value {
            Value::Scalar(Scalar::Number(value)) => Ok(value),
            other => Err(whole(mistyped("the formula", "a number", &other))),
        }
    }

    fn value(
        &mut self,
        label: &str,
        text: &str,
        origin: usize,
    ) -> Result<(Value, impl Fn(Wrong) -> FormulaError + use<>), FormulaError> {
        let origin = Origin { origin, part: Part::Body };
        let syntax = parse::formula(text).map_err(|fault| origin.error(fault))?;
        let all = 0..syntax.nodes.len();
        let seed = self.seed.child("formula").child(label);
        let steps = resolve(&self.scope(), text, &syntax, all.clone(), &[], seed);
        let program = Program { steps: steps.map_err(|fault| origin.error(fault))? };
        let value = self.evaluator().run(&program, all, &[], origin)?;
        let end = text.len();
        Ok((value, move |wrong| origin.error((wrong, Span::new(0, end)))))
    }

    fn scope(&self) -> Names<'_> {
        Names { definitions: &self.names, params: &self.params, host: &self.host_names }
    }

    fn evaluator(&mut self) -> Evaluator<'_> {
        Evaluator { library: &self.library, known: &mut self.known, steps: &mut self.steps }
    }

    fn resolved(&self, number: usize, parsed: &Parsed<'_>) -> Result<Resolved, FormulaError> {
        let Parsed { definition, head, body } = parsed;
        let Definition { origin, .. } = *definition;
        let fail = |part| move |fault| Origin { origin, part }.error(fault);
        let params = &self.params[number];
        let seed = self.seed.child("definition").child(head.name.of(definition.head));
        let mut defaults = Program::default();
        for (i, param) in head.params.iter().enumerate() {
            if let Some(range) = &param.default {
                let seed = seed.child("default").child(&params[i].0);
                let earlier = &params[..i];
                let steps =
                    resolve(&self.scope(), definition.head, &head.syntax, range.clone(), earlier, seed);
                defaults.steps.extend(steps.map_err(fail(Part::Head))?);
            }
        }
        let all = 0..body.nodes.len();
        let steps = resolve(&self.scope(), definition.body, body, all, params, seed);
        Ok(Resolved {
            origin,
            defaults: head.params.iter().map(|param| param.default.clone()).collect(),
            head: defaults,
            body: Program { steps: steps.map_err(fail(Part::Body))? },
        })
    }
}

fn taken(
    name: &str,
    names: &BTreeMap<Box<str>, usize>,
    host: &BTreeMap<String, usize>,
    parsed: &[Parsed<'_>],
) -> Option<Wrong> {
    let first = names.get(name).map(|&first| parsed[first].definition.origin);
    let language = builtin::find(name).is_some();
    let is_taken = language || first.is_some() || host.contains_key(name);
    is_taken.then(|| Wrong::NameTaken { name: name.to_owned(), language, first })
}

/// A parameter with a name of the language.
fn hidden(text: &str, head: &Head) -> Option<(Wrong, Span)> {
    let hides = head.params.iter().find(|param| builtin::find(param.name.of(text)).is_some())?;
    let name = hides.name.of(text).to_owned();
    Some((Wrong::NameTaken { name, language: true, first: None }, hides.name))
}

fn too_many() -> Wrong {
    let what = format!("there are more than {MAX_DEFINITIONS} definitions");
    Wrong::TooLarge { what, limit: MAX_DEFINITIONS }
}

fn parameters(text: &str, head: &Head) -> Parameters {
    head.params.iter().map(|param| (param.name.of(text).into(), param.default.is_none())).collect()
}

/// A definition that another reads, and where it does.
struct Use {
    definition: usize,
    from: Origin,
    span: Span,
}

fn uses(resolved: &Resolved) -> Vec<Use> {
    let Resolved { origin, head, body, .. } = resolved;
    let of = |program: &Program, part| {
        let from = Origin { origin: *origin, part };
        let uses = program.steps.iter().filter_map(move |step| match step.op {
            Op::Definition(definition, _) => Some(Use { definition, from, span: step.span }),
            _ => None,
        });
        uses.collect::<Vec<_>>()
    };
    let mut all = of(head, Part::Head);
    all.extend(of(body, Part::Body));
    all
}

/// Refuses circles and chains of more than [`MAX_HEIGHT`] definitions.
fn check_heights<'n>(uses: &[Vec<Use>], name: impl Fn(usize) -> &'n str) -> Result<(), FormulaError> {
    /// Neither entered, nor on the way, nor done.
    #[derive(Clone, Copy)]
    enum Height {
        Unknown,
        OnTheWay,
        Known(usize),
    }
    let mut heights = vec![Height::Unknown; uses.len()];
    for root in 0..uses.len() {
        if matches!(heights[root], Height::Known(_)) {
            continue;
        }
        heights[root] = Height::OnTheWay;
        // Each with the number of its uses that are done, and the greatest height of these.
        let mut way: Vec<(usize, usize, usize)> = vec![(root, 0, 0)];
        while let Some((at, done, highest)) = way.last_mut() {
            let Some(next) = uses[*at].get(*done) else {
                heights[*at] = Height::Known(*highest + 1);
                way.pop();
                continue;
            };
            match heights[next.definition] {
                Height::Known(height) if height >= MAX_HEIGHT => {
                    let wrong = Wrong::TooDeep { what: "definitions", limit: MAX_HEIGHT };
                    return Err(next.from.error((wrong, next.span)));
                }
                Height::Known(height) => {
                    *highest = (*highest).max(height);
                    *done += 1;
                }
                Height::Unknown => {
                    heights[next.definition] = Height::OnTheWay;
                    let definition = next.definition;
                    way.push((definition, 0, 0));
                }
                Height::OnTheWay => {
                    let start = way.iter().position(|&(on, ..)| on == next.definition).unwrap_or(0);
                    let (first, done, _) = way[start];
                    let closing = &uses[first][done];
                    let mut circle: Vec<String> =
                        way[start..].iter().map(|&(on, ..)| name(on).to_owned()).collect();
                    circle.push(name(first).to_owned());
                    return Err(closing
                        .from
                        .error((Wrong::Cycle { circle: shortened(circle) }, closing.span)));
                }
            }
        }
    }
    Ok(())
}

/// A circle of many names without most of those between.
fn shortened(circle: Vec<String>) -> Vec<String> {
    const SHOWN: usize = 8;
    if circle.len() <= SHOWN {
        return circle;
    }
    let last = circle[circle.len() - 1].clone();
    let more = format!("({} more)", circle.len() - SHOWN);
    circle.into_iter().take(SHOWN - 1).chain([more, last]).collect()
}
