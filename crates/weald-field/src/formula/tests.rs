use std::collections::BTreeMap;

use proptest::prelude::*;
use weald_space::Seed;

use super::builtin::{Fallback, ParameterKind, Signature, Usage, signatures};
use super::parse::{self, Kind, NodeId, Operator, Syntax};
use super::*;
use crate::tape::Tape;

/// A formula, apart from how it is written.
#[derive(Clone, Debug, PartialEq)]
enum Tree {
    Number(f64),
    Name(String),
    Text(String),
    Negate(Box<Tree>),
    Binary(Operator, Box<Tree>, Box<Tree>),
    Vector(Vec<Tree>),
    List(Vec<Tree>),
    Call(Option<Box<Tree>>, String, Vec<(Option<String>, Tree)>),
    If(Box<[Tree; 4]>),
}

fn tree() -> impl Strategy<Value = Tree> {
    let name = "[a-z_][a-z0-9_]{0,6}";
    let leaf = prop_oneof![
        (0.0..1e6_f64).prop_map(Tree::Number),
        (0_u32..200).prop_map(|n| Tree::Number(n.into())),
        name.prop_map(Tree::Name),
        "[ a-z0-9é()/*\"]{0,6}".prop_map(Tree::Text),
    ];
    leaf.prop_recursive(5, 60, 4, move |inner| {
        let operator = prop_oneof![
            Just(Operator::Add),
            Just(Operator::Subtract),
            Just(Operator::Multiply),
            Just(Operator::Divide),
            Just(Operator::Power),
        ];
        let args =
            prop::collection::vec((prop::option::of(name), inner.clone()), 0..4).prop_map(|mut args| {
                args.sort_by_key(|(name, _)| name.is_some());
                args
            });
        let boxed = || inner.clone().prop_map(Box::new);
        prop_oneof![
            boxed().prop_map(Tree::Negate),
            (operator, boxed(), boxed()).prop_map(|(op, a, b)| Tree::Binary(op, a, b)),
            prop::collection::vec(inner.clone(), 2..5).prop_map(Tree::Vector),
            prop::collection::vec(inner.clone(), 0..4).prop_map(Tree::List),
            (prop::option::of(boxed()), name, args).prop_map(|(of, name, args)| Tree::Call(of, name, args)),
            prop::array::uniform4(inner.clone()).prop_map(|all| Tree::If(Box::new(all))),
        ]
    })
}

/// Writes a tree with no more parentheses than it needs.
struct Writer<G> {
    text: String,
    gaps: G,
}

impl<G: Iterator<Item = usize>> Writer<G> {
    fn put(&mut self, token: &str) {
        const GAPS: [&str; 6] = ["", " ", "\n\t", " // a ) * (\n", "  ", ""];
        let gap = GAPS[self.gaps.next().unwrap_or(0) % GAPS.len()];
        // Names and numbers must not run together.
        let joins = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
        if gap.is_empty() && joins(self.text.chars().last()) && joins(token.chars().next()) {
            self.text.push(' ');
        }
        self.text.push_str(gap);
        self.text.push_str(token);
    }

    fn tree(&mut self, tree: &Tree, least: u8) {
        let binds = match tree {
            Tree::Binary(Operator::Add | Operator::Subtract, ..) => 10,
            Tree::Binary(Operator::Multiply | Operator::Divide, ..) => 20,
            Tree::Negate(_) => 25,
            Tree::Binary(Operator::Power, ..) => 30,
            _ => 40,
        };
        if binds < least {
            self.put("(");
            self.tree(tree, 0);
            self.put(")");
            return;
        }
        match tree {
            Tree::Number(value) => self.put(&value.to_string()),
            Tree::Name(name) => self.put(name),
            Tree::Text(text) if text.contains('"') => self.put(&format!("'{text}'")),
            Tree::Text(text) => self.put(&format!("\"{text}\"")),
            Tree::Negate(a) => {
                self.put("-");
                self.tree(a, 25);
            }
            Tree::Binary(operator, a, b) => {
                let (left, right) = match operator {
                    Operator::Add | Operator::Subtract => (10, 11),
                    Operator::Multiply | Operator::Divide => (20, 21),
                    Operator::Power => (31, 25),
                };
                self.tree(a, left);
                self.put(&operator.symbol().to_string());
                self.tree(b, right);
            }
            Tree::Vector(parts) => self.list("(", parts, ")"),
            Tree::List(items) => self.list("[", items, "]"),
            Tree::Call(of, name, args) => {
                if let Some(of) = of {
                    self.tree(of, 40);
                    self.put(".");
                }
                self.put(name);
                self.put("(");
                for (i, (name, value)) in args.iter().enumerate() {
                    if i > 0 {
                        self.put(",");
                    }
                    if let Some(name) = name {
                        self.put(name);
                        self.put(":");
                    }
                    self.tree(value, 0);
                }
                self.put(")");
            }
            Tree::If(all) => {
                let [a, b, then, otherwise] = &**all;
                self.put("if");
                self.put("(");
                self.tree(a, 0);
                self.put("<");
                self.tree(b, 0);
                for branch in [then, otherwise] {
                    self.put(",");
                    self.tree(branch, 0);
                }
                self.put(")");
            }
        }
    }

    fn list(&mut self, open: &str, items: &[Tree], close: &str) {
        self.put(open);
        for (i, item) in items.iter().enumerate() {
            if i > 0 {
                self.put(",");
            }
            self.tree(item, 0);
        }
        self.put(close);
    }
}

fn read(text: &str, syntax: &Syntax, node: NodeId) -> Tree {
    let parse::Node { kind, span } = &syntax.nodes[node as usize];
    let all = |nodes: &[NodeId]| nodes.iter().map(|&node| read(text, syntax, node)).collect();
    let boxed = |node: NodeId| Box::new(read(text, syntax, node));
    match kind {
        Kind::Number(value) => Tree::Number(*value),
        Kind::Name => Tree::Name(span.of(text).to_owned()),
        Kind::Text => Tree::Text(span.of(text)[1..].trim_end_matches(&span.of(text)[..1]).to_owned()),
        Kind::Negate(a) => Tree::Negate(boxed(*a)),
        Kind::Binary(operator, a, b) => Tree::Binary(*operator, boxed(*a), boxed(*b)),
        Kind::Less(..) => panic!("a comparison outside of a call"),
        Kind::Vector(parts) => Tree::Vector(all(parts)),
        Kind::List(items) => Tree::List(all(items)),
        Kind::Call(call) => {
            let name = call.name.of(text).to_owned();
            if let [condition, then, otherwise] = &call.args[..]
                && let Kind::Less(a, b) = syntax.nodes[condition.value as usize].kind
            {
                let all = [a, b, then.value, otherwise.value].map(|node| read(text, syntax, node));
                return Tree::If(Box::new(all));
            }
            let one = |arg: &parse::Argument| {
                (arg.name.map(|name| name.of(text).to_owned()), read(text, syntax, arg.value))
            };
            Tree::Call(call.receiver.map(boxed), name, call.args.iter().map(one).collect())
        }
    }
}

fn library(definitions: &[(&str, &str)]) -> Result<Definitions, FormulaError> {
    let all = definitions.iter().enumerate();
    let host = Host { seed: Seed::new(1), names: BTreeMap::new() };
    Definitions::new(all.map(|(origin, (head, body))| Definition { head, body, origin }), host)
}

proptest! {
    #[test]
    fn a_formula_that_is_written_reads_as_it_was(
        tree in tree(),
        gaps in prop::collection::vec(0_usize..6, 1..40),
    ) {
        let mut writer = Writer { text: String::new(), gaps: gaps.into_iter().cycle() };
        writer.tree(&tree, 0);
        let text = writer.text;
        let syntax = parse::formula(&text).map_err(|(wrong, _)| TestCaseError::fail(format!("{wrong}: {text}")))?;
        prop_assert_eq!(read(&text, &syntax, syntax.nodes.len() as NodeId - 1), tree, "{}", text);
    }

    #[test]
    fn no_text_makes_it_panic(text in "\\PC{0,60}", head in "\\PC{0,20}") {
        let mut none = library(&[])?;
        let _ = none.field("a", &text, 0);
        let _ = library(&[(&head, &text)]);
    }

    #[test]
    fn no_row_of_tokens_makes_it_panic(tokens in prop::collection::vec(token(), 0..40)) {
        let text = tokens.concat();
        let mut some = library(&[("f(a, b: 2)", "a * b"), ("h", "fbm(40)")])?;
        if let Err(error) = some.field("a", &text, 0) {
            let bytes = error.place.bytes.clone();
            let head_or_body = ["f(a, b: 2)", "a * b", "h", "fbm(40)", &text];
            prop_assert!(head_or_body.iter().any(|text| text.get(bytes.clone()).is_some()), "{bytes:?}");
        }
        let _ = library(&[(&text, "1")]);
        let _ = library(&[("f(a)", &text)]);
    }
}

fn token() -> impl Strategy<Value = String> {
    let names: Vec<&str> = signatures().map(|s| s.name).chain(["a", "f", "h", "q"]).collect();
    const MARKS: [&str; 18] =
        ["(", ")", ",", "[", "]", "+", "-", "*", "/", "^", "<", ">", ":", ".", "'", "\"", "//", "\n"];
    prop_oneof![
        4 => prop::sample::select(names).prop_map(|name| format!("{name} ")),
        6 => prop::sample::select(&MARKS[..]).prop_map(str::to_owned),
        2 => prop::sample::select(&["0", "1", "2.5", "-3", "1e3", "9e99"][..]).prop_map(|n| format!("{n} ")),
        2 => prop::sample::select(&["(1, 2, 3)", "sphere(4)", "at: ", "(x, y)", "a < b"][..]).prop_map(str::to_owned),
    ]
}

/// A call of a name of the language with what it must have, and with all it may have.
fn calls(signature: &Signature) -> [String; 2] {
    let sample = |kind: ParameterKind| match kind {
        ParameterKind::Number(_) => "3".to_owned(),
        ParameterKind::Field => "x * 0.1".to_owned(),
        ParameterKind::Point => "(1, 2, 3)".to_owned(),
        ParameterKind::Span | ParameterKind::Pair => "(1, 2)".to_owned(),
        ParameterKind::Word(words) => words[words.len() - 1].to_owned(),
        ParameterKind::Flag => "true".to_owned(),
        ParameterKind::Seed => "'north'".to_owned(),
        ParameterKind::Condition => "x < 2".to_owned(),
        ParameterKind::Points { size: 2, .. } => "[(0, 0), (4, 1), (5, 7)]".to_owned(),
        ParameterKind::Points { .. } => "[(0, 0, 0), (4, 1, 2), (5, 7, 9, 2)]".to_owned(),
        ParameterKind::Counts => "(1, 2, 3)".to_owned(),
    };
    [false, true].map(|all| {
        let params = signature.params.iter().filter(|param| all || param.default.is_none());
        let mut args: Vec<String> = Vec::new();
        for param in params {
            let value = match param.name {
                // The end of a range that begins at the sample.
                "high" | "top" => "5".to_owned(),
                "rounding" => "0.25".to_owned(),
                "to" if param.kind == ParameterKind::Point => "(4, 5, 9)".to_owned(),
                _ => sample(param.kind),
            };
            args.push(format!("{}: {value}", param.name));
        }
        let name = signature.name;
        match signature.usage {
            Usage::Constant => name.to_owned(),
            Usage::Function => format!("{name}({})", args.join(", ")),
            Usage::Variadic(_) => {
                args.splice(0..0, ["x".to_owned(), "sphere(2)".to_owned()]);
                format!("{name}({})", args.join(", "))
            }
            Usage::Method => format!("sphere(2).{name}({})", args.join(", ")),
        }
    })
}

#[test]
fn every_name_of_the_language_builds_what_its_table_says() {
    let mut none = library(&[]).unwrap();
    for signature in signatures() {
        for call in calls(signature) {
            let made = none.field("a", &call, 0);
            if matches!(signature.name, "true" | "false") {
                assert!(made.is_err(), "{call} is no field");
                continue;
            }
            let made = made.unwrap_or_else(|error| panic!("{call}: {error}"));
            Tape::new(&made).unwrap_or_else(|error| panic!("{call}: {error}"));
        }
    }
}

#[test]
fn every_name_of_the_language_is_one_name_and_says_what_it_is() {
    let mut names: Vec<(bool, &str)> = signatures().map(|s| (s.usage == Usage::Method, s.name)).collect();
    names.sort_unstable();
    let count = names.len();
    names.dedup();
    assert_eq!(names.len(), count, "two signatures have one name");
    for signature in signatures() {
        assert!(!signature.doc.is_empty(), "{} has no line", signature.name);
        for param in signature.params {
            let word = if let Some(Fallback::Word(word)) = param.default { Some(word) } else { None };
            if let (ParameterKind::Word(words), Some(word)) = (param.kind, word) {
                assert!(words.contains(&word), "{}: {word} is none of {words:?}", signature.name);
            }
        }
    }
}
