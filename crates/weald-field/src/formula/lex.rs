//! From text to tokens.

use super::error::Wrong;

/// A formula may have so many bytes.
pub const MAX_TEXT: usize = 1 << 16;
/// A name may have so many bytes.
pub const MAX_NAME: usize = 64;

/// Bytes of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Span {
    pub(super) start: u32,
    pub(super) end: u32,
}

impl Span {
    pub(super) fn new(start: usize, end: usize) -> Self {
        Span { start: start as u32, end: end as u32 }
    }

    pub(super) fn to(self, end: Span) -> Span {
        Span { start: self.start, end: end.end }
    }

    pub(super) fn of(self, text: &str) -> &str {
        text.get(self.start as usize..self.end as usize).unwrap_or_default()
    }
}

/// What is wrong, and where.
pub(super) type Fault = (Wrong, Span);

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Token {
    Number(f64),
    /// A name; its span is its text.
    Name,
    /// A text in quotes; its span has the quotes.
    Text,
    Symbol(u8),
    End,
}

pub(super) struct Lexer<'t> {
    text: &'t str,
    at: usize,
}

impl<'t> Lexer<'t> {
    /// Texts of more than [`MAX_TEXT`] bytes are refused, so that spans fit in 32 bits.
    pub(super) fn new(text: &'t str) -> Result<Self, Fault> {
        if text.len() > MAX_TEXT {
            let what = format!("the formula has {} bytes", text.len());
            return Err((Wrong::TooLarge { what, limit: MAX_TEXT }, Span::new(0, 0)));
        }
        Ok(Lexer { text, at: 0 })
    }

    pub(super) fn next(&mut self) -> Result<(Token, Span), Fault> {
        self.skip_space();
        let start = self.at;
        let Some(first) = self.text[start..].chars().next() else {
            return Ok((Token::End, Span::new(start, start)));
        };
        let token = match first {
            '0'..='9' => self.number()?,
            'a'..='z' | 'A'..='Z' | '_' => self.name()?,
            '\'' | '"' => self.quoted(first)?,
            '+' | '-' | '*' | '/' | '^' | '(' | ')' | '[' | ']' | ',' | ':' | '.' | '<' | '>' => {
                self.at += 1;
                Token::Symbol(first as u8)
            }
            _ => return Err((Wrong::Character(first), Span::new(start, start + first.len_utf8()))),
        };
        Ok((token, Span::new(start, self.at)))
    }

    fn skip_space(&mut self) {
        loop {
            let rest = &self.text[self.at..];
            let spaces = rest.len() - rest.trim_start().len();
            self.at += spaces;
            let rest = &rest[spaces..];
            if rest.starts_with("//") {
                self.at += rest.find('\n').unwrap_or(rest.len());
            } else if spaces == 0 {
                return;
            }
        }
    }

    fn run(&mut self, belongs: impl Fn(u8) -> bool) {
        let rest = &self.text.as_bytes()[self.at..];
        self.at += rest.iter().take_while(|&&b| belongs(b)).count();
    }

    fn number(&mut self) -> Result<Token, Fault> {
        let start = self.at;
        let bytes = self.text.as_bytes();
        let digit_at = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_digit);
        self.run(|b| b.is_ascii_digit());
        if bytes.get(self.at) == Some(&b'.') && digit_at(self.at + 1) {
            self.at += 1;
            self.run(|b| b.is_ascii_digit());
        }
        if matches!(bytes.get(self.at), Some(b'e' | b'E')) {
            let sign = usize::from(matches!(bytes.get(self.at + 1), Some(b'+' | b'-')));
            if digit_at(self.at + 1 + sign) {
                self.at += 1 + sign;
                self.run(|b| b.is_ascii_digit());
            }
        }
        let end = self.at;
        self.run(|b| b.is_ascii_alphanumeric() || b == b'_');
        let value: Option<f64> = self.text[start..end].parse().ok().filter(|value: &f64| value.is_finite());
        match value {
            Some(value) if end == self.at => Ok(Token::Number(value)),
            _ => {
                let text: String = self.text[start..self.at].chars().take(40).collect();
                Err((Wrong::BadNumber(text), Span::new(start, self.at)))
            }
        }
    }

    fn name(&mut self) -> Result<Token, Fault> {
        let start = self.at;
        self.run(|b| b.is_ascii_alphanumeric() || b == b'_');
        let length = self.at - start;
        if length > MAX_NAME {
            let what = format!("the name has {length} letters");
            return Err((Wrong::TooLarge { what, limit: MAX_NAME }, Span::new(start, self.at)));
        }
        Ok(Token::Name)
    }

    fn quoted(&mut self, quote: char) -> Result<Token, Fault> {
        let start = self.at;
        let body = &self.text[start + 1..];
        match body.find(quote) {
            Some(end) => self.at = start + 1 + end + 1,
            None => return Err((Wrong::OpenText(quote), Span::new(start, start + 1))),
        }
        Ok(Token::Text)
    }
}
