//! Where things stand in a RON text.
//!
//! The deserializer gives a position for what it cannot read, but none for what it read and we refuse, and no path for
//! either. This scanner gives both: the place of a path ([`span_of`]) and the path at a place ([`path_at`]). It knows
//! RON's shapes only (structs, tuples, lists, maps, strings, comments), runs only for the version and when there is an
//! error to tell, and keeps nothing but the path it stands on.
//!
//! Paths are written as in Rust: `ground.solids[2].shape.radius`. The name of a variant is no part of it, and
//! `Some(..)` is seen through.

use std::fmt::Write as _;
use std::ops::Range;

/// Levels of nesting that are followed; deeper values belong to the path of the level above.
const MAX_DEPTH: usize = 128;

/// The bytes of the value at `path`, or of the innermost value around it that the text does have.
#[must_use]
pub fn span_of(text: &str, path: &str) -> Range<usize> {
    let mut scan = Scan::new(text, Query::Path(path));
    scan.root();
    scan.span
}

/// The path of the innermost value that holds the byte at `offset`, empty for the root.
#[must_use]
pub fn path_at(text: &str, offset: usize) -> String {
    let mut scan = Scan::new(text, Query::Offset(offset));
    scan.root();
    scan.found.unwrap_or_default()
}

/// The bytes of each key and each value of the map at `path`, in order.
#[must_use]
pub fn entries_of(text: &str, path: &str) -> Vec<(Range<usize>, Range<usize>)> {
    let mut scan = Scan::new(text, Query::Entries(path));
    scan.root();
    scan.entries
}

/// The byte of a string literal, quotes and escapes included, from which the byte `inner` of its text comes.
#[must_use]
pub fn offset_in_literal(literal: &str, inner: usize) -> usize {
    if let Some(raw) = literal.strip_prefix('r') {
        return (2 + raw.find('"').unwrap_or(0) + inner).min(literal.len());
    }
    let (mut at, mut made) = (1, 0);
    while let Some(rest) = literal.get(at..).filter(|rest| !rest.is_empty()) {
        let (written, length) = escape(rest).unwrap_or_else(|| {
            let length = rest.chars().next().map_or(1, char::len_utf8);
            (length, length)
        });
        if made >= inner && length > 0 {
            break;
        }
        (at, made) = (at + written, made + length);
    }
    at.min(literal.len())
}

/// How many bytes an escape has, and how many it stands for.
fn escape(rest: &str) -> Option<(usize, usize)> {
    let rest = rest.strip_prefix('\\')?;
    let kind = rest.chars().next()?;
    Some(match kind {
        'x' => (4, 1),
        'u' => {
            let digits = rest.get(2..rest.find('}')?)?;
            let character = u32::from_str_radix(digits, 16).ok().and_then(char::from_u32)?;
            (1 + rest.find('}')? + 1, character.len_utf8())
        }
        '\n' | '\r' => (1 + rest.len() - rest.trim_start().len(), 0),
        _ => (1 + kind.len_utf8(), 1),
    })
}

/// The line and the column of a byte, both from 1; columns count characters.
#[must_use]
pub fn line_column(text: &str, offset: usize) -> (usize, usize) {
    let before = &text.as_bytes()[..offset.min(text.len())];
    let start = before.iter().rposition(|&b| b == b'\n').map_or(0, |at| at + 1);
    let line = 1 + before.iter().filter(|&&b| b == b'\n').count();
    let starts_character = |b: &&u8| **b & 0xC0 != 0x80;
    (line, 1 + before[start..].iter().filter(starts_character).count())
}

/// The byte at a line and a column, both from 1.
#[must_use]
pub fn offset_of(text: &str, line: usize, column: usize) -> usize {
    let mut start = 0;
    for _ in 1..line {
        match text[start..].find('\n') {
            Some(at) => start += at + 1,
            None => return text.len(),
        }
    }
    let in_line = text[start..].char_indices().nth(column.saturating_sub(1)).map(|(at, _)| at);
    in_line.map_or(text.len(), |at| start + at)
}

enum Query<'a> {
    Path(&'a str),
    Offset(usize),
    Entries(&'a str),
}

/// What stopped the scan: the text is no RON, or the answer is found.
struct Stop;

struct Scan<'a> {
    text: &'a [u8],
    at: usize,
    depth: usize,
    /// The path of the value that is being read.
    path: String,
    query: Query<'a>,
    /// The best answer to a query for a path so far.
    span: Range<usize>,
    /// How much of the queried path `span` stands for.
    matched: usize,
    /// The answer to a query for an offset.
    found: Option<String>,
    /// The answer to a query for entries.
    entries: Vec<(Range<usize>, Range<usize>)>,
}

impl<'a> Scan<'a> {
    fn new(text: &'a str, query: Query<'a>) -> Self {
        let text = text.as_bytes();
        let (path, entries) = (String::new(), Vec::new());
        Scan { text, at: 0, depth: 0, path, query, span: 0..0, matched: 0, found: None, entries }
    }

    fn root(&mut self) {
        self.skip_attributes();
        self.skip_space();
        let start = self.at;
        let end = self.first_line_end(start);
        if matches!(self.query, Query::Path(_)) {
            self.span = start..end;
        }
        if self.value().is_err() && self.found.is_none() {
            self.found = Some(self.path.clone());
        }
    }

    fn first_line_end(&self, start: usize) -> usize {
        self.text[start..].iter().position(|&b| b == b'\n').map_or(self.text.len(), |n| start + n)
    }

    /// Reads a member of a struct, list or map and answers the query where the member is its answer.
    fn member(&mut self, name: Option<&str>, index: usize, start: usize) -> Result<(), Stop> {
        let length = self.path.len();
        match name {
            Some(name) if length == 0 => self.path.push_str(name),
            Some(name) => {
                self.path.push('.');
                self.path.push_str(name);
            }
            None => {
                let _ = write!(self.path, "[{index}]");
            }
        }
        self.skip_space();
        let value_start = self.at;
        self.value()?;
        self.answer(start, value_start)?;
        self.path.truncate(length);
        Ok(())
    }

    fn answer(&mut self, start: usize, value_start: usize) -> Result<(), Stop> {
        match self.query {
            Query::Offset(offset) if (start..self.at).contains(&offset) => {
                self.found = Some(self.path.clone());
                Err(Stop)
            }
            Query::Path(wanted) if self.path.len() > self.matched && leads_to(&self.path, wanted) => {
                self.span = value_start..self.at;
                self.matched = self.path.len();
                if self.path == wanted { Err(Stop) } else { Ok(()) }
            }
            _ => Ok(()),
        }
    }

    fn value(&mut self) -> Result<(), Stop> {
        self.skip_space();
        match self.peek().ok_or(Stop)? {
            b'"' => self.string(),
            b'\'' => self.character(),
            b'(' => self.members(b')', false),
            b'[' => self.members(b']', false),
            b'{' => self.map(),
            _ => self.word_and_body(),
        }
    }

    /// A number, a name, or a name with a body in parentheses.
    fn word_and_body(&mut self) -> Result<(), Stop> {
        if self.raw_string()? {
            return Ok(());
        }
        let word = self.word();
        if word.is_empty() {
            return Err(Stop);
        }
        let end = self.at;
        self.skip_space();
        if self.peek() == Some(b'(') {
            return self.members(b')', self.text[word] == *b"Some");
        }
        self.at = end;
        Ok(())
    }

    fn word(&mut self) -> Range<usize> {
        let start = self.at;
        let ends = |b: u8| b.is_ascii_whitespace() || b"()[]{},:\"'/".contains(&b);
        while self.peek().is_some_and(|b| !ends(b)) {
            self.at += 1;
        }
        start..self.at
    }

    /// The members of a struct, tuple or list, from its opening bracket to behind `close`.
    fn members(&mut self, close: u8, transparent: bool) -> Result<(), Stop> {
        self.deeper()?;
        for index in 0.. {
            self.skip_space();
            if self.peek() == Some(close) {
                break;
            }
            let start = self.at;
            let name = if close == b')' { self.field_name() } else { None };
            if transparent && name.is_none() {
                self.value()?;
            } else {
                let name = name.map(|range| String::from_utf8_lossy(&self.text[range]).into_owned());
                self.member(name.as_deref(), index, start)?;
            }
            self.separator(close)?;
        }
        self.at += 1;
        self.depth -= 1;
        Ok(())
    }

    fn map(&mut self) -> Result<(), Stop> {
        self.deeper()?;
        loop {
            self.skip_space();
            if self.peek() == Some(b'}') {
                break;
            }
            let start = self.at;
            self.value()?;
            let key_span = start..self.at;
            let key = String::from_utf8_lossy(&self.text[key_span.clone()]).trim_matches('"').to_owned();
            self.skip_space();
            self.expect(b':')?;
            self.skip_space();
            let value_start = self.at;
            self.member(Some(&key), 0, start)?;
            if matches!(self.query, Query::Entries(path) if path == self.path) {
                self.entries.push((key_span, value_start..self.at));
            }
            self.separator(b'}')?;
        }
        self.at += 1;
        self.depth -= 1;
        Ok(())
    }

    fn deeper(&mut self) -> Result<(), Stop> {
        self.at += 1;
        self.depth += 1;
        if self.depth > MAX_DEPTH { Err(Stop) } else { Ok(()) }
    }

    fn separator(&mut self, close: u8) -> Result<(), Stop> {
        self.skip_space();
        match self.peek() {
            Some(b',') => self.at += 1,
            Some(b) if b == close => {}
            _ => return Err(Stop),
        }
        Ok(())
    }

    /// The name before a colon, if there is one; the scan then stands behind the colon.
    fn field_name(&mut self) -> Option<Range<usize>> {
        let start = self.at;
        let word = self.word();
        self.skip_space();
        if !word.is_empty() && self.peek() == Some(b':') {
            self.at += 1;
            return Some(word);
        }
        self.at = start;
        None
    }

    fn string(&mut self) -> Result<(), Stop> {
        self.at += 1;
        loop {
            match self.peek().ok_or(Stop)? {
                b'"' => break,
                b'\\' => self.at += 2,
                _ => self.at += 1,
            }
        }
        self.at += 1;
        Ok(())
    }

    fn character(&mut self) -> Result<(), Stop> {
        self.at += 1;
        if self.peek() == Some(b'\\') {
            self.at += 1;
        }
        self.at += 1;
        while self.peek().ok_or(Stop)? != b'\'' {
            self.at += 1;
        }
        self.at += 1;
        Ok(())
    }

    /// Reads `r#".."#`, if the scan stands on one.
    fn raw_string(&mut self) -> Result<bool, Stop> {
        let rest = &self.text[self.at..];
        let hashes = rest.iter().skip(1).take_while(|&&b| b == b'#').count();
        if rest.first() != Some(&b'r') || rest.get(1 + hashes) != Some(&b'"') {
            return Ok(false);
        }
        let mut close = vec![b'"'];
        close.resize(1 + hashes, b'#');
        self.at += 2 + hashes;
        let body = self.text.get(self.at..).ok_or(Stop)?;
        let end = body.windows(close.len()).position(|w| w == close).ok_or(Stop)?;
        self.at += end + close.len();
        Ok(true)
    }

    fn skip_space(&mut self) {
        loop {
            let rest = self.text.get(self.at..).unwrap_or_default();
            if rest.first().is_some_and(u8::is_ascii_whitespace) {
                self.at += 1;
            } else if rest.starts_with(b"//") {
                self.at = self.first_line_end(self.at);
            } else if rest.starts_with(b"/*") {
                self.skip_block_comment();
            } else {
                return;
            }
        }
    }

    fn skip_block_comment(&mut self) {
        let mut open = 0_usize;
        while let Some(rest) = self.text.get(self.at..).filter(|rest| !rest.is_empty()) {
            if rest.starts_with(b"/*") {
                (open, self.at) = (open + 1, self.at + 2);
            } else if rest.starts_with(b"*/") {
                (open, self.at) = (open - 1, self.at + 2);
                if open == 0 {
                    return;
                }
            } else {
                self.at += 1;
            }
        }
    }

    fn skip_attributes(&mut self) {
        self.skip_space();
        while self.text[self.at.min(self.text.len())..].starts_with(b"#!") {
            match self.text[self.at..].iter().position(|&b| b == b']') {
                Some(end) => self.at += end + 1,
                None => return,
            }
            self.skip_space();
        }
    }

    fn peek(&self) -> Option<u8> {
        self.text.get(self.at).copied()
    }

    fn expect(&mut self, byte: u8) -> Result<(), Stop> {
        if self.peek() != Some(byte) {
            return Err(Stop);
        }
        self.at += 1;
        Ok(())
    }
}

/// Whether `wanted` is `path` or lies inside it.
fn leads_to(path: &str, wanted: &str) -> bool {
    wanted.strip_prefix(path).is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const TEXT: &str = "#![enable(implicit_some)]\n// a (comment: 1)\nWorld(\n    name: \"a, (b\", /* x: ( */\n    \
                        list: [Box(size: (1, 2, 3)), Some(Sphere(r: 4.5))],\n    map: { \"k\": r#\"v\"w\"# },\n)\n";

    #[test]
    fn a_path_leads_to_its_value() {
        for (path, value) in [
            ("name", "\"a, (b\""),
            ("list[0].size[2]", "3"),
            ("list[1].r", "4.5"),
            ("list[1]", "Some(Sphere(r: 4.5))"),
            ("map.k", "r#\"v\"w\"#"),
            ("list[0].size.nothing", "(1, 2, 3)"),
            ("nothing", "World("),
        ] {
            assert_eq!(&TEXT[span_of(TEXT, path)], value, "{path}");
        }
    }

    #[test]
    fn a_place_has_the_path_of_its_innermost_value() {
        for (part, path) in
            [("4.5", "list[1].r"), ("name", "name"), ("2, 3", "list[0].size[1]"), ("World", "")]
        {
            assert_eq!(path_at(TEXT, TEXT.find(part).unwrap()), path, "{part}");
        }
    }

    #[test]
    fn entries_of_a_map_have_their_places() {
        let text = "(a: 1, map: { \"k\": 1, \"f(n: 2)\" : \"x\", \"k\": (map: { 3: 4 }) })";
        let entries = entries_of(text, "map");
        let shown: Vec<(&str, &str)> =
            entries.into_iter().map(|(key, value)| (&text[key], &text[value])).collect();
        assert_eq!(shown, [("\"k\"", "1"), ("\"f(n: 2)\"", "\"x\""), ("\"k\"", "(map: { 3: 4 })")]);
        assert_eq!(entries_of(text, "nothing"), []);
    }

    #[test]
    fn broken_text_has_the_path_on_which_it_breaks() {
        assert_eq!(path_at("World(a: (b: [1, (c: ", 20), "a.b[1].c");
        assert_eq!(path_at("(a: \"open", 5), "a");
    }

    #[test]
    fn lines_and_columns_count_characters_from_one() {
        assert_eq!(line_column("aé\nüb", 6), (2, 2));
        assert_eq!(offset_of("aé\nüb", 2, 2), 6);
        assert_eq!(offset_of("a", 5, 5), 1);
    }

    /// Parts of a string as they are written, and what they stand for. The last one takes blanks behind it away.
    const PARTS: [(&str, &str); 10] = [
        ("a", "a"),
        ("é", "é"),
        ("\\n", "\n"),
        ("\\\"", "\""),
        ("\\\\", "\\"),
        ("\\x41", "A"),
        ("\\xc3\\xa9", "é"),
        ("\\u{e9}", "é"),
        ("\\u{1f600}", "😀"),
        ("\\\n  ", ""),
    ];

    /// Any value.
    #[derive(Clone, Debug)]
    enum Tree {
        Leaf(String),
        List(Vec<Tree>),
        Struct(Option<String>, Vec<(String, Tree)>),
        Maybe(Box<Tree>),
    }

    fn tree() -> impl Strategy<Value = Tree> {
        let leaf = prop_oneof![
            "-?[0-9]{1,5}(\\.[0-9]{1,3})?",
            "\"[ a-z(),:\\[\\]/*é]{0,8}\"",
            "[A-Z][a-z]{1,5}",
            Just("'\\''".to_owned()),
            Just("r##\"a\"#b\"##".to_owned()),
        ];
        leaf.prop_map(Tree::Leaf).prop_recursive(4, 40, 5, |inner| {
            let field = ("[a-z_]{1,6}", inner.clone());
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..5).prop_map(Tree::List),
                (prop::option::of("[A-Z][a-z]{0,4}"), prop::collection::vec(field, 0..5)).prop_map(
                    |(name, mut f)| {
                        f.sort_by(|a, b| a.0.cmp(&b.0));
                        f.dedup_by(|a, b| a.0 == b.0);
                        Tree::Struct(name, f)
                    }
                ),
                inner.prop_map(|t| Tree::Maybe(Box::new(t))),
            ]
        })
    }

    struct Written<G> {
        text: String,
        gaps: G,
        values: Vec<(String, Range<usize>)>,
    }

    impl<G: Iterator<Item = usize>> Written<G> {
        fn gap(&mut self) {
            const GAPS: [&str; 6] = ["", " ", "\n\t", " // x: (\n", "/* [ /* ) */ */", "\n"];
            self.text.push_str(GAPS[self.gaps.next().unwrap_or(0) % 6]);
        }

        fn value(&mut self, tree: &Tree, path: &str) {
            let start = self.text.len();
            match tree {
                Tree::Leaf(text) => self.text.push_str(text),
                Tree::List(items) => {
                    self.text.push('[');
                    for (i, item) in items.iter().enumerate() {
                        self.gap();
                        self.value(item, &format!("{path}[{i}]"));
                        self.gap();
                        self.text.push(',');
                    }
                    self.text.push(']');
                }
                Tree::Struct(name, fields) => {
                    self.text.push_str(name.as_deref().unwrap_or(""));
                    self.text.push('(');
                    for (i, (name, value)) in fields.iter().enumerate() {
                        let separator = if i > 0 { "," } else { "" };
                        self.text.push_str(separator);
                        self.gap();
                        self.text.push_str(name);
                        self.gap();
                        self.text.push(':');
                        self.gap();
                        let dot = if path.is_empty() { "" } else { "." };
                        self.value(value, &format!("{path}{dot}{name}"));
                    }
                    self.text.push(')');
                }
                Tree::Maybe(inner) => {
                    let before = self.values.len();
                    self.text.push_str("Some(");
                    self.value(inner, path);
                    self.text.push(')');
                    let inside = self.values.split_off(before);
                    self.values.extend(inside.into_iter().filter(|(p, _)| p != path));
                }
            }
            self.values.push((path.to_owned(), start..self.text.len()));
        }
    }

    proptest! {
        #[test]
        fn every_value_of_any_text_is_found_by_its_path(
            tree in tree(),
            gaps in prop::collection::vec(0..6_usize, 64),
        ) {
            let mut written = Written { text: String::new(), gaps: gaps.into_iter().cycle(), values: Vec::new() };
            written.value(&tree, "");
            let Written { text, values, .. } = written;
            for (path, span) in values.iter().filter(|(path, _)| !path.is_empty()) {
                prop_assert_eq!(span_of(&text, path), span.clone(), "{} in {}", path, text);
            }
        }

        #[test]
        fn a_byte_of_a_string_comes_from_its_place_in_the_literal(
            parts in prop::collection::vec(prop::sample::select(&PARTS[..]), 0..12),
            hashes in 0_usize..3,
        ) {
            // A line that goes on swallows all space that follows.
            let swallows = |pair: &[(&str, &str)]| pair[0].1.is_empty() && pair[1].0.starts_with(char::is_whitespace);
            prop_assume!(!parts.windows(2).any(swallows));
            let text: String = parts.iter().map(|(_, text)| *text).collect();
            let literal = format!("\"{}\"", parts.iter().map(|(written, _)| *written).collect::<String>());
            prop_assert_eq!(ron::from_str::<String>(&literal).unwrap(), text.clone());
            let mut made = 0;
            let mut at = 1;
            for (written, text) in &parts {
                if !text.is_empty() {
                    prop_assert_eq!(offset_in_literal(&literal, made), at, "{} in {}", made, literal);
                }
                (made, at) = (made + text.len(), at + written.len());
            }
            let hashes = "#".repeat(hashes);
            let plain: String = text.chars().filter(|c| *c != '"').collect();
            let raw = format!("r{hashes}\"{plain}\"{hashes}");
            for (inner, c) in plain.char_indices() {
                prop_assert!(raw[offset_in_literal(&raw, inner)..].starts_with(c), "{} in {}", inner, raw);
            }
        }

        #[test]
        fn no_text_makes_the_scanner_panic(text in "[(){}\\[\\],:\"'r#/*a-z0-9 \n\\\\é]{0,60}", offset in 0..80_usize) {
            let _ = (path_at(&text, offset), span_of(&text, "a.b[1]"), line_column(&text, offset));
        }
    }
}
