//! What a formula is worth, and how operators join values.

use std::sync::Arc;

use super::error::Wrong;
use super::ops;
use super::parse::Operator;
use crate::expr::Expr;

/// No number of a formula is further from zero, so that all of them are finite in single precision too.
const LARGEST: f64 = 1e30;

/// A number known when compiled, or a field.
#[derive(Clone, Debug)]
pub(super) enum Scalar {
    Number(f64),
    Field(Expr),
}

impl Scalar {
    pub(super) fn expr(&self) -> Expr {
        match self {
            Scalar::Number(value) => Expr::constant(*value as f32),
            Scalar::Field(expr) => expr.clone(),
        }
    }

    /// The number, as a result that is checked.
    pub(super) fn number(value: f64) -> Result<Scalar, Wrong> {
        let holds = value.abs() <= LARGEST;
        if holds { Ok(Scalar::Number(value)) } else { Err(Wrong::Result { value }) }
    }

    /// By numbers where it is one, else by fields.
    pub(super) fn map(
        &self,
        number: impl Fn(f64) -> f64,
        field: impl Fn(&Expr) -> Expr,
    ) -> Result<Scalar, Wrong> {
        match self {
            Scalar::Number(value) => Scalar::number(number(*value)),
            Scalar::Field(expr) => Ok(Scalar::Field(field(expr))),
        }
    }

    /// By numbers where both are, else by fields.
    pub(super) fn zip(
        &self,
        other: &Scalar,
        number: impl Fn(f64, f64) -> f64,
        field: impl Fn(&Expr, &Expr) -> Expr,
    ) -> Result<Scalar, Wrong> {
        match (self, other) {
            (Scalar::Number(a), Scalar::Number(b)) => Scalar::number(number(*a, *b)),
            _ => Ok(Scalar::Field(field(&self.expr(), &other.expr()))),
        }
    }

    fn negate(&self) -> Result<Scalar, Wrong> {
        self.map(|a| -a, |a| -a.clone())
    }

    fn join(&self, operator: Operator, other: &Scalar) -> Result<Scalar, Wrong> {
        match operator {
            Operator::Add => self.zip(other, |a, b| a + b, |a, b| a + b),
            Operator::Subtract => self.zip(other, |a, b| a - b, |a, b| a - b),
            Operator::Multiply => self.zip(other, |a, b| a * b, |a, b| a * b),
            Operator::Divide => self.zip(other, |a, b| a / b, |a, b| a / b),
            Operator::Power => match other {
                Scalar::Number(exponent) => ops::power(self, *exponent),
                Scalar::Field(_) => Err(Wrong::Type {
                    subject: "the exponent".to_owned(),
                    wanted: "a number".to_owned(),
                    found: "a field".to_owned(),
                }),
            },
        }
    }
}

/// What a formula, or a part of it, is worth.
#[derive(Clone, Debug)]
pub(super) enum Value {
    Scalar(Scalar),
    /// Two to four.
    Vector(Arc<[Scalar]>),
    /// Of scalars and vectors only: lists in lists would be dropped by recursion.
    List(Arc<[Value]>),
    Text(Arc<str>),
    Flag(bool),
    Condition(Condition),
}

/// The condition of an `if`.
#[derive(Clone, Debug)]
pub(super) enum Condition {
    Known(bool),
    /// It holds where the field is negative.
    Negative(Expr),
}

impl Value {
    pub(super) const fn number(value: f64) -> Value {
        Value::Scalar(Scalar::Number(value))
    }

    /// The type, for messages.
    pub(super) fn type_name(&self) -> String {
        match self {
            Value::Scalar(Scalar::Number(_)) => "a number".to_owned(),
            Value::Scalar(Scalar::Field(_)) => "a field".to_owned(),
            Value::Vector(parts) => {
                let has_field = parts.iter().any(|part| matches!(part, Scalar::Field(_)));
                format!("a vector of {}{}", parts.len(), if has_field { " with fields" } else { "" })
            }
            Value::List(_) => "a list".to_owned(),
            Value::Text(_) => "a text".to_owned(),
            Value::Flag(_) => "true or false".to_owned(),
            Value::Condition(_) => "a comparison".to_owned(),
        }
    }

    pub(super) fn negate(&self) -> Result<Value, Wrong> {
        match self {
            Value::Scalar(a) => Ok(Value::Scalar(a.negate()?)),
            Value::Vector(parts) => {
                Ok(Value::Vector(parts.iter().map(Scalar::negate).collect::<Result<_, Wrong>>()?))
            }
            other => {
                let (subject, wanted) = ("what has a sign".to_owned(), "a number or a field".to_owned());
                Err(Wrong::Type { subject, wanted, found: other.type_name() })
            }
        }
    }

    /// The value of `self operator other`. Vectors are added to vectors of their size, and multiplied by scalars.
    pub(super) fn join(&self, operator: Operator, other: &Value) -> Result<Value, Wrong> {
        let all = |parts: &mut dyn Iterator<Item = Result<Scalar, Wrong>>| {
            Ok(Value::Vector(parts.collect::<Result<_, Wrong>>()?))
        };
        match (self, operator, other) {
            (Value::Scalar(a), _, Value::Scalar(b)) => Ok(Value::Scalar(a.join(operator, b)?)),
            (Value::Vector(a), Operator::Add | Operator::Subtract, Value::Vector(b))
                if a.len() == b.len() =>
            {
                all(&mut a.iter().zip(b.iter()).map(|(a, b)| a.join(operator, b)))
            }
            (Value::Vector(a), Operator::Multiply | Operator::Divide, Value::Scalar(b)) => {
                all(&mut a.iter().map(|a| a.join(operator, b)))
            }
            (Value::Scalar(a), Operator::Multiply, Value::Vector(b)) => {
                all(&mut b.iter().map(|b| a.join(operator, b)))
            }
            _ => Err(Wrong::Operands {
                operator: operator.symbol(),
                left: self.type_name(),
                right: other.type_name(),
            }),
        }
    }

    /// The condition `self < other`.
    pub(super) fn less(&self, other: &Value) -> Result<Value, Wrong> {
        let (Value::Scalar(a), Value::Scalar(b)) = (self, other) else {
            let (left, right) = (self.type_name(), other.type_name());
            return Err(Wrong::Operands { operator: '<', left, right });
        };
        Ok(Value::Condition(match (a, b) {
            (Scalar::Number(a), Scalar::Number(b)) => Condition::Known(a < b),
            _ => Condition::Negative(&a.expr() - &b.expr()),
        }))
    }
}
