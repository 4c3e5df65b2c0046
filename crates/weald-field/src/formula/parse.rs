//! From tokens to a syntax tree.
//!
//! Operators bind by their power (V. R. Pratt, "Top Down Operator Precedence", POPL 1973), from loose to tight:
//! comparison, sum, product, sign, power, method. The tree lies in a list, each node behind the nodes that it reads, so
//! that what comes after needs no recursion; the parser recurses by nesting only, which is limited.

use super::error::Wrong;
use super::lex::{Fault, Lexer, Span, Token};

/// Brackets, signs and powers may be nested so deep.
pub const MAX_NESTING: usize = 256;
/// A definition may have so many parameters.
const MAX_PARAMETERS: usize = 64;

/// The place of a node in its list.
pub(super) type NodeId = u32;

/// A formula as it is written.
#[derive(Clone, Debug, Default)]
pub(super) struct Syntax {
    /// Each behind what it reads; the last one is the whole.
    pub(super) nodes: Vec<Node>,
}

#[derive(Clone, Debug)]
pub(super) struct Node {
    pub(super) kind: Kind,
    pub(super) span: Span,
}

#[derive(Clone, Debug)]
pub(super) enum Kind {
    Number(f64),
    Name,
    Text,
    Negate(NodeId),
    Binary(Operator, NodeId, NodeId),
    Less(NodeId, NodeId),
    Vector(Vec<NodeId>),
    List(Vec<NodeId>),
    Call(Call),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operator {
    Add,
    Subtract,
    Multiply,
    Divide,
    Power,
}

impl Operator {
    pub(super) const fn symbol(self) -> char {
        match self {
            Operator::Add => '+',
            Operator::Subtract => '-',
            Operator::Multiply => '*',
            Operator::Divide => '/',
            Operator::Power => '^',
        }
    }
}

/// `name(..)`, or `receiver.name(..)`.
#[derive(Clone, Debug)]
pub(super) struct Call {
    pub(super) name: Span,
    pub(super) receiver: Option<NodeId>,
    pub(super) args: Vec<Argument>,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Argument {
    pub(super) name: Option<Span>,
    pub(super) value: NodeId,
}

/// A name, and parameters with their defaults as nodes.
#[derive(Clone, Debug)]
pub(super) struct Head {
    pub(super) name: Span,
    pub(super) params: Vec<HeadParameter>,
    /// The defaults of all parameters, one behind the other.
    pub(super) syntax: Syntax,
}

#[derive(Clone, Debug)]
pub(super) struct HeadParameter {
    pub(super) name: Span,
    /// The nodes of its default; the last one is the whole.
    pub(super) default: Option<std::ops::Range<usize>>,
}

/// Parses a formula.
pub(super) fn formula(text: &str) -> Result<Syntax, Fault> {
    let mut parser = Parser::new(text)?;
    parser.expression(0)?;
    parser.end("an operator or the end")?;
    Ok(parser.syntax)
}

/// Parses `name` or `name(parameter, parameter: default)`.
pub(super) fn head(text: &str) -> Result<Head, Fault> {
    let mut parser = Parser::new(text)?;
    let name = parser.name("a name")?;
    let mut params: Vec<HeadParameter> = Vec::new();
    if parser.accept(b'(')? {
        while !parser.accept(b')')? {
            let param = parser.name("a parameter")?;
            if params.iter().any(|other| other.name.of(text) == param.of(text)) {
                let name = param.of(text).to_owned();
                return Err((Wrong::NameTaken { name, language: false, first: None }, param));
            }
            let first = parser.syntax.nodes.len();
            let mut default = None;
            if parser.accept(b':')? {
                parser.expression(0)?;
                default = Some(first..parser.syntax.nodes.len());
            }
            params.push(HeadParameter { name: param, default });
            parser.separator(b')', "',' or ')'")?;
        }
    }
    parser.end("the end of the name")?;
    if params.len() > MAX_PARAMETERS {
        let what = format!("there are {} parameters", params.len());
        return Err((Wrong::TooLarge { what, limit: MAX_PARAMETERS }, name));
    }
    Ok(Head { name, params, syntax: parser.syntax })
}

struct Parser<'t> {
    text: &'t str,
    lexer: Lexer<'t>,
    /// The token that is to be read next.
    token: Token,
    span: Span,
    /// The end of the token before.
    last: Span,
    depth: usize,
    syntax: Syntax,
}

impl<'t> Parser<'t> {
    fn new(text: &'t str) -> Result<Self, Fault> {
        let mut lexer = Lexer::new(text)?;
        let (token, span) = lexer.next()?;
        let last = Span::new(0, 0);
        Ok(Parser { text, lexer, token, span, last, depth: 0, syntax: Syntax::default() })
    }

    fn advance(&mut self) -> Result<Span, Fault> {
        self.last = self.span;
        (self.token, self.span) = self.lexer.next()?;
        Ok(self.last)
    }

    fn accept(&mut self, symbol: u8) -> Result<bool, Fault> {
        let found = self.token == Token::Symbol(symbol);
        if found {
            self.advance()?;
        }
        Ok(found)
    }

    fn expect(&mut self, symbol: u8, wanted: &'static str) -> Result<(), Fault> {
        if self.accept(symbol)? { Ok(()) } else { Err(self.unexpected(wanted)) }
    }

    /// Passes a comma, or stays before the closing bracket.
    fn separator(&mut self, close: u8, wanted: &'static str) -> Result<(), Fault> {
        if self.token == Token::Symbol(close) { Ok(()) } else { self.expect(b',', wanted) }
    }

    fn end(&mut self, wanted: &'static str) -> Result<(), Fault> {
        if self.token == Token::End { Ok(()) } else { Err(self.unexpected(wanted)) }
    }

    fn name(&mut self, wanted: &'static str) -> Result<Span, Fault> {
        if self.token == Token::Name { self.advance() } else { Err(self.unexpected(wanted)) }
    }

    fn unexpected(&self, wanted: &'static str) -> Fault {
        let found = match self.token {
            Token::End => "the end".to_owned(),
            Token::Symbol(symbol) => format!("'{}'", symbol as char),
            _ => self.span.of(self.text).chars().take(40).collect(),
        };
        (Wrong::Unexpected { wanted, found }, self.span)
    }

    fn push(&mut self, kind: Kind, span: Span) -> NodeId {
        self.syntax.nodes.push(Node { kind, span });
        self.syntax.nodes.len() as NodeId - 1
    }

    fn span_of(&self, node: NodeId) -> Span {
        self.syntax.nodes[node as usize].span
    }

    /// An expression whose operators bind at least as tightly as `least`.
    fn expression(&mut self, least: u8) -> Result<NodeId, Fault> {
        self.depth += 1;
        if self.depth > MAX_NESTING {
            return Err((Wrong::TooDeep { what: "brackets and signs", limit: MAX_NESTING }, self.span));
        }
        let mut left = self.operand()?;
        while let Token::Symbol(symbol) = self.token {
            let (operator, binds, right_least) = match symbol {
                b'+' => (Operator::Add, 10, 11),
                b'-' => (Operator::Subtract, 10, 11),
                b'*' => (Operator::Multiply, 20, 21),
                b'/' => (Operator::Divide, 20, 21),
                // To the right: 2 ^ 3 ^ 2 is 2 ^ 9. A sign may follow: 2 ^ -1.
                b'^' => (Operator::Power, POWER, SIGN),
                b'.' => {
                    left = self.method(left)?;
                    continue;
                }
                _ => break,
            };
            if binds < least {
                break;
            }
            self.advance()?;
            let right = self.expression(right_least)?;
            let span = self.span_of(left).to(self.last);
            left = self.push(Kind::Binary(operator, left, right), span);
        }
        self.depth -= 1;
        Ok(left)
    }

    fn operand(&mut self) -> Result<NodeId, Fault> {
        let start = self.span;
        match self.token {
            Token::Number(value) => {
                self.advance()?;
                Ok(self.push(Kind::Number(value), start))
            }
            Token::Text => {
                self.advance()?;
                Ok(self.push(Kind::Text, start))
            }
            Token::Name => {
                self.advance()?;
                if self.token == Token::Symbol(b'(') {
                    self.call(start, None)
                } else {
                    Ok(self.push(Kind::Name, start))
                }
            }
            Token::Symbol(b'-') => {
                self.advance()?;
                let inner = self.expression(SIGN)?;
                Ok(self.push(Kind::Negate(inner), start.to(self.last)))
            }
            Token::Symbol(b'(') => self.parentheses(),
            Token::Symbol(b'[') => {
                self.advance()?;
                let items = self.items(b']', "',' or ']'")?;
                Ok(self.push(Kind::List(items), start.to(self.last)))
            }
            _ => Err(self.unexpected("a number, a name, '(' or '['")),
        }
    }

    /// A group, or a vector if there is a comma.
    fn parentheses(&mut self) -> Result<NodeId, Fault> {
        let start = self.advance()?;
        let first = self.expression(0)?;
        if self.accept(b')')? {
            return Ok(first);
        }
        self.expect(b',', "',' or ')'")?;
        let mut items = vec![first];
        items.extend(self.items(b')', "',' or ')'")?);
        let span = start.to(self.last);
        if !(2..=4).contains(&items.len()) {
            let found = format!("{}", items.len());
            return Err((Wrong::Unexpected { wanted: "a vector of 2 to 4 numbers", found }, span));
        }
        Ok(self.push(Kind::Vector(items), span))
    }

    /// Expressions with commas between them, up to the closing bracket and past it.
    fn items(&mut self, close: u8, wanted: &'static str) -> Result<Vec<NodeId>, Fault> {
        let mut items = Vec::new();
        while !self.accept(close)? {
            items.push(self.expression(0)?);
            self.separator(close, wanted)?;
        }
        Ok(items)
    }

    fn method(&mut self, receiver: NodeId) -> Result<NodeId, Fault> {
        self.advance()?;
        let name = self.name("the name of a method")?;
        if self.token != Token::Symbol(b'(') {
            return Err(self.unexpected("'(' with the arguments of the method"));
        }
        self.call(name, Some(receiver))
    }

    fn call(&mut self, name: Span, receiver: Option<NodeId>) -> Result<NodeId, Fault> {
        self.advance()?;
        let mut args = Vec::new();
        while !self.accept(b')')? {
            let argument = self.argument()?;
            args.push(argument);
            self.separator(b')', "',' or ')'")?;
        }
        let start = receiver.map_or(name, |receiver| self.span_of(receiver));
        let span = start.to(self.last);
        Ok(self.push(Kind::Call(Call { name, receiver, args }), span))
    }

    /// `value`, `name: value`, or a comparison.
    fn argument(&mut self) -> Result<Argument, Fault> {
        let mut name = None;
        let mut value = self.expression(0)?;
        let is_name = matches!(self.syntax.nodes[value as usize].kind, Kind::Name);
        if is_name && self.accept(b':')? {
            name = self.syntax.nodes.pop().map(|node| node.span);
            value = self.expression(0)?;
        }
        let less = match self.token {
            Token::Symbol(b'<') => true,
            Token::Symbol(b'>') => false,
            _ => return Ok(Argument { name, value }),
        };
        self.advance()?;
        let right = self.expression(0)?;
        let span = self.span_of(value).to(self.last);
        let kind = if less { Kind::Less(value, right) } else { Kind::Less(right, value) };
        Ok(Argument { name, value: self.push(kind, span) })
    }
}

/// The power of a sign: -x * y is (-x) * y.
const SIGN: u8 = 25;
/// The power of `^`: -x ^ 2 is -(x ^ 2).
const POWER: u8 = 30;
