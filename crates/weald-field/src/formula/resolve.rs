//! From syntax to a program: names looked up, arguments put in the order of parameters.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use weald_space::Seed;

use super::builtin::{self, ParameterKind, Signature, Usage};
use super::error::{Wrong, nearest};
use super::lex::{Fault, Span};
use super::noises;
use super::parse::{Argument, Call, Kind, NodeId, Operator, Syntax};

/// Steps, one a node of the syntax.
#[derive(Clone, Debug, Default)]
pub(super) struct Program {
    pub(super) steps: Vec<Step>,
}

#[derive(Clone, Debug)]
pub(super) struct Step {
    pub(super) op: Op,
    pub(super) span: Span,
}

#[derive(Clone, Debug)]
pub(super) enum Op {
    Number(f64),
    Text(Arc<str>),
    /// An argument of the definition.
    Local(usize),
    /// A name that the host gives, by its place.
    Host(usize),
    Negate(NodeId),
    Binary(Operator, NodeId, NodeId),
    Less(NodeId, NodeId),
    Vector(Vec<NodeId>),
    List(Vec<NodeId>),
    /// A definition, with an argument for each parameter that is not left out.
    Definition(usize, Vec<Option<NodeId>>),
    Builtin(Box<BuiltinCall>),
}

#[derive(Clone, Debug)]
pub(super) struct BuiltinCall {
    pub(super) signature: &'static Signature,
    pub(super) receiver: Option<NodeId>,
    pub(super) rest: Vec<NodeId>,
    pub(super) args: Vec<Option<NodeId>>,
    pub(super) seed: Seed,
}

/// The parameters of a definition: a name, and whether it must be given.
pub(super) type Parameters = Vec<(Box<str>, bool)>;

/// The names that a text may use, beside those of the language.
pub(super) struct Names<'a> {
    pub(super) definitions: &'a BTreeMap<Box<str>, usize>,
    /// Of each definition.
    pub(super) params: &'a [Parameters],
    pub(super) host: &'a BTreeMap<String, usize>,
}

/// Resolves some nodes, the last of which is a whole. `locals` are the arguments that they may read, and `seed` is what
/// their noise draws from.
pub(super) fn resolve(
    names: &Names<'_>,
    text: &str,
    syntax: &Syntax,
    range: Range<usize>,
    locals: &[(Box<str>, bool)],
    seed: Seed,
) -> Result<Vec<Step>, Fault> {
    let mut resolver =
        Resolver { names, text, syntax, locals, seed, draws: 0, words: vec![None; syntax.nodes.len()] };
    let calls = range.clone().map(|i| resolver.call(i)).collect::<Result<Vec<_>, Fault>>()?;
    let steps = range.zip(calls).map(|(i, call)| {
        let op = match call {
            Some(op) => op,
            None => resolver.operand(i)?,
        };
        Ok(Step { op, span: syntax.nodes[i].span })
    });
    steps.collect()
}

struct Resolver<'a> {
    names: &'a Names<'a>,
    text: &'a str,
    syntax: &'a Syntax,
    locals: &'a [(Box<str>, bool)],
    seed: Seed,
    /// Calls so far that draw random numbers and do not say from what.
    draws: usize,
    /// Names that are words, since an argument asks for one.
    words: Vec<Option<&'static str>>,
}

impl Resolver<'_> {
    /// The step of a node that is a call, and else nothing.
    fn call(&mut self, node: usize) -> Result<Option<Op>, Fault> {
        let Kind::Call(call) = &self.syntax.nodes[node].kind else { return Ok(None) };
        let span = self.syntax.nodes[node].span;
        let name = call.name.of(self.text);
        if call.receiver.is_some() {
            let signature = builtin::find_method(name).ok_or_else(|| self.no_method(call.name))?;
            return self.builtin(signature, call, span).map(Some);
        }
        if let Some(signature) = builtin::find(name) {
            if signature.usage == Usage::Constant {
                let (is, write) = ("no function", name.to_owned());
                return Err((Wrong::Misused { name: name.to_owned(), is, write }, call.name));
            }
            return self.builtin(signature, call, span).map(Some);
        }
        let is_value = self.local(name).is_some() || self.names.host.contains_key(name);
        match self.names.definitions.get(name) {
            Some(&definition) if !is_value => {
                let params = &self.names.params[definition];
                let args = self.bind(call, span, params, true, &|| shown(name, params))?;
                Ok(Some(Op::Definition(definition, args.1)))
            }
            _ if is_value => {
                let (is, write) = ("no function", name.to_owned());
                Err((Wrong::Misused { name: name.to_owned(), is, write }, call.name))
            }
            _ => Err(self.unknown("function", call.name)),
        }
    }

    fn builtin(&mut self, signature: &'static Signature, call: &Call, span: Span) -> Result<Op, Fault> {
        let params: Parameters =
            signature.params.iter().map(|param| (param.name.into(), param.default.is_none())).collect();
        let variadic = matches!(signature.usage, Usage::Variadic(_));
        let (rest, args) = self.bind(call, span, &params, !variadic, &|| signature.to_string())?;
        if let Usage::Variadic(least) = signature.usage
            && rest.len() < least
        {
            let (name, signature) = ("a".to_owned(), signature.to_string());
            return Err((Wrong::MissingArgument { name, signature }, span));
        }
        for (param, arg) in signature.params.iter().zip(&args) {
            if let (ParameterKind::Word(words), Some(arg)) = (param.kind, arg) {
                self.words[*arg as usize] = self.word(words, *arg);
            }
        }
        let mut seed = self.seed;
        let says_seed = |(param, arg): (&builtin::Parameter, &Option<NodeId>)| {
            param.kind == ParameterKind::Seed && arg.is_some()
        };
        if noises::is_noise(signature) && !signature.params.iter().zip(&args).any(says_seed) {
            seed = seed.child(&format!("#{}", self.draws));
            self.draws += 1;
        }
        Ok(Op::Builtin(Box::new(BuiltinCall { signature, receiver: call.receiver, rest, args, seed })))
    }

    fn word(&self, words: &[&'static str], arg: NodeId) -> Option<&'static str> {
        let node = &self.syntax.nodes[arg as usize];
        let is_name = matches!(node.kind, Kind::Name);
        words.iter().find(|&&word| is_name && word == node.span.of(self.text)).copied()
    }

    /// Puts arguments in the order of parameters. Those without a name are for the first parameters, or a list of their
    /// own.
    fn bind(
        &self,
        call: &Call,
        span: Span,
        params: &[(Box<str>, bool)],
        by_position: bool,
        signature: &dyn Fn() -> String,
    ) -> Result<(Vec<NodeId>, Vec<Option<NodeId>>), Fault> {
        let mut rest = Vec::new();
        let mut args: Vec<Option<NodeId>> = vec![None; params.len()];
        let mut named = false;
        for &Argument { name, value } in &call.args {
            let value_span = self.syntax.nodes[value as usize].span;
            let Some(name) = name else {
                if named {
                    return Err((Wrong::LatePosition { signature: signature() }, value_span));
                }
                rest.push(value);
                continue;
            };
            named = true;
            let text = name.of(self.text);
            let Some(i) = params.iter().position(|(param, _)| **param == *text) else {
                let wrong = Wrong::UnknownArgument { name: text.to_owned(), signature: signature() };
                return Err((wrong, name));
            };
            let given = args[i].is_some() || (by_position && i < rest.len());
            if given {
                return Err((Wrong::ArgumentTwice { name: text.to_owned(), signature: signature() }, name));
            }
            args[i] = Some(value);
        }
        if by_position {
            if let Some(&first) = rest.get(params.len()) {
                let (found, most) = (rest.len(), params.len());
                let wrong = Wrong::TooManyArguments { found, most, signature: signature() };
                return Err((wrong, self.syntax.nodes[first as usize].span));
            }
            args.iter_mut().zip(rest.drain(..)).for_each(|(arg, value)| *arg = Some(value));
        }
        match params.iter().zip(&args).find(|((_, must), arg)| *must && arg.is_none()) {
            Some(((name, _), _)) => {
                Err((Wrong::MissingArgument { name: name.to_string(), signature: signature() }, span))
            }
            None => Ok((rest, args)),
        }
    }

    /// The step of a node that is no call.
    fn operand(&self, node: usize) -> Result<Op, Fault> {
        let span = self.syntax.nodes[node].span;
        Ok(match &self.syntax.nodes[node].kind {
            Kind::Number(value) => Op::Number(*value),
            Kind::Text => {
                let text = span.of(self.text);
                Op::Text(text.get(1..text.len() - 1).unwrap_or_default().into())
            }
            Kind::Name => match self.words[node] {
                Some(word) => Op::Text(word.into()),
                None => self.name(span)?,
            },
            Kind::Negate(a) => Op::Negate(*a),
            Kind::Binary(operator, a, b) => Op::Binary(*operator, *a, *b),
            Kind::Less(a, b) => Op::Less(*a, *b),
            Kind::Vector(parts) => Op::Vector(parts.clone()),
            Kind::List(items) => Op::List(items.clone()),
            Kind::Call(_) => return Err(self.unknown("function", span)),
        })
    }

    fn local(&self, name: &str) -> Option<usize> {
        self.locals.iter().position(|(local, _)| **local == *name)
    }

    fn name(&self, span: Span) -> Result<Op, Fault> {
        let name = span.of(self.text);
        if let Some(local) = self.local(name) {
            return Ok(Op::Local(local));
        }
        if let Some(signature) = builtin::find(name) {
            if signature.usage != Usage::Constant {
                let write = signature.to_string();
                return Err((Wrong::Misused { name: name.to_owned(), is: "a function", write }, span));
            }
            let (rest, args) = (Vec::new(), Vec::new());
            let call = BuiltinCall { signature, receiver: None, rest, args, seed: self.seed };
            return Ok(Op::Builtin(Box::new(call)));
        }
        if let Some(&host) = self.names.host.get(name) {
            return Ok(Op::Host(host));
        }
        let Some(&definition) = self.names.definitions.get(name) else {
            return Err(self.unknown("name", span));
        };
        let params = &self.names.params[definition];
        if params.iter().any(|(_, must)| *must) {
            let write = shown(name, params);
            return Err((Wrong::Misused { name: name.to_owned(), is: "a function", write }, span));
        }
        Ok(Op::Definition(definition, vec![None; params.len()]))
    }

    fn unknown(&self, what: &'static str, span: Span) -> Fault {
        let name = span.of(self.text);
        let names = builtin::signatures().filter(|s| s.usage != Usage::Method).map(|s| s.name);
        let locals = self.locals.iter().map(|(local, _)| &**local);
        let definitions = self.names.definitions.keys().map(|name| &**name);
        let all = names.chain(locals).chain(definitions).chain(self.names.host.keys().map(String::as_str));
        let near = nearest(name, all);
        (Wrong::UnknownName { what, name: name.to_owned(), near }, span)
    }

    fn no_method(&self, span: Span) -> Fault {
        let name = span.of(self.text);
        let methods = builtin::signatures().filter(|s| s.usage == Usage::Method).map(|s| s.name);
        let near = nearest(name, methods);
        (Wrong::UnknownName { what: "method", name: name.to_owned(), near }, span)
    }
}

/// A definition with its parameters, those with a default in brackets.
pub(super) fn shown(name: &str, params: &[(Box<str>, bool)]) -> String {
    let one =
        |(param, must): &(Box<str>, bool)| if *must { param.to_string() } else { format!("{param}: ..") };
    format!("{name}({})", params.iter().map(one).collect::<Vec<_>>().join(", "))
}
