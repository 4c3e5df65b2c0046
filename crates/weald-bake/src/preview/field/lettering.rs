//! Letters as strokes: lines and quadratic curves, drawn at any size and in two directions.
//!
//! Each glyph is a text of points on a grid 18 units high. A point is two digits in base 36, x then y: the baseline lies
//! at y = 4, small letters reach to 14 (`e`), capitals to 18 (`i`), and tails to 0. After a `~` come the control point
//! and the end of a curve. A slash lifts the pen.

use glam::Vec2;

use super::canvas::Pass;

const BASELINE: f32 = 4.0;
const CAPITALS: f32 = 14.0;
/// Units between letters, and the width of a space.
const GAP: f32 = 3.2;
const SPACE: f32 = 4.0;
/// Straight pieces that a curve is drawn in: at 20 pixels a capital, none is seen.
const PIECES: usize = 6;

const GLYPHS: &[(char, &str)] = &[
    ('0', "4i ~8i 8b ~84 44 ~04 0b ~0i 4i"),
    ('1', "1f 4i 44 / 14 74"),
    ('2', "0e ~0i 4i ~8i 8e ~8b 59 04 84"),
    ('3', "0f ~0i 4i ~8i 8f ~8c 4c ~8c 88 ~84 44 ~04 07"),
    ('4', "64 6i 08 88"),
    ('5', "8i 1i 0b ~1d 4d ~8d 89 ~84 44 ~04 07"),
    ('6', "7h ~6i 4i ~0i 0a ~04 44 ~84 88 ~8c 4c ~0c 08"),
    ('7', "0i 8i 34"),
    ('8', "4c ~0c 0f ~0i 4i ~8i 8f ~8c 4c ~8c 88 ~84 44 ~04 08 ~0c 4c"),
    ('9', "15 ~24 44 ~84 8c ~8i 4i ~0i 0e ~0a 4a ~8a 8e"),
    ('a', "8e 84 / 89 ~8e 4e ~0e 09 ~04 44 ~84 89"),
    ('b', "0i 04 / 09 ~0e 4e ~8e 89 ~84 44 ~04 09"),
    ('c', "8c ~7e 4e ~0e 09 ~04 44 ~74 86"),
    ('d', "8i 84 / 89 ~8e 4e ~0e 09 ~04 44 ~84 89"),
    ('e', "09 89 ~8e 4e ~0e 09 ~04 44 ~74 86"),
    ('f', "6i ~2i 2f 24 / 0e 5e"),
    ('g', "8e 83 ~80 40 ~10 01 / 89 ~8e 4e ~0e 09 ~04 44 ~84 89"),
    ('h', "0i 04 / 09 ~0e 4e ~8e 8a 84"),
    ('i', "1e 14 / 1i 1i"),
    ('j', "3e 32 ~30 00 / 3i 3i"),
    ('k', "0i 04 / 7e 08 / 3a 74"),
    ('l', "1i 14"),
    ('m', "0e 04 / 0a ~0e 3e ~6e 6a 64 / 6a ~6e 9e ~ce ca c4"),
    ('n', "0e 04 / 09 ~0e 4e ~8e 8a 84"),
    ('o', "4e ~8e 89 ~84 44 ~04 09 ~0e 4e"),
    ('p', "0e 00 / 09 ~0e 4e ~8e 89 ~84 44 ~04 09"),
    ('q', "8e 80 / 89 ~8e 4e ~0e 09 ~04 44 ~84 89"),
    ('r', "0e 04 / 09 ~0e 4e 5e"),
    ('s', "7d ~6e 4e ~0e 0c ~09 49 ~89 87 ~84 44 ~14 05"),
    ('t', "2i 27 ~24 54 / 0e 5e"),
    ('u', "0e 08 ~04 44 ~84 89 / 8e 84"),
    ('v', "0e 44 8e"),
    ('w', "0e 34 6e 94 ce"),
    ('x', "0e 84 / 8e 04"),
    ('y', "0e 44 / 8e 20"),
    ('z', "0e 8e 04 84"),
    ('A', "04 5i a4 / 29 89"),
    ('B', "0i 04 54 ~a4 a8 ~ac 5c 0c / 5c ~9c 9f ~9i 5i 0i"),
    ('C', "af ~9i 5i ~0i 0b ~04 54 ~94 a7"),
    ('D', "0i 04 44 ~a4 ab ~ai 4i 0i"),
    ('E', "9i 0i 04 94 / 0b 7b"),
    ('F', "9i 0i 04 / 0b 7b"),
    ('G', "af ~9i 5i ~0i 0b ~04 54 ~a4 ab 6b"),
    ('H', "0i 04 / ai a4 / 0b ab"),
    ('I', "1i 14"),
    ('J', "6i 68 ~64 34 ~04 07"),
    ('K', "0i 04 / 9i 0a / 3c 94"),
    ('L', "0i 04 84"),
    ('M', "04 0i 69 ci c4"),
    ('N', "04 0i a4 ai"),
    ('O', "5i ~ai ab ~a4 54 ~04 0b ~0i 5i"),
    ('P', "04 0i 5i ~ai ae ~aa 5a 0a"),
    ('Q', "5i ~ai ab ~a4 54 ~04 0b ~0i 5i / 67 a3"),
    ('R', "04 0i 5i ~ai ae ~aa 5a 0a / 5a a4"),
    ('S', "9f ~8i 5i ~0i 0e ~0b 5b ~ab a8 ~a4 54 ~14 07"),
    ('T', "0i ai / 5i 54"),
    ('U', "0i 09 ~04 54 ~a4 a9 ai"),
    ('V', "0i 54 ai"),
    ('W', "0i 34 6e 94 ci"),
    ('X', "0i a4 / ai 04"),
    ('Y', "0i 5b ai / 5b 54"),
    ('Z', "0i ai 04 a4"),
    ('.', "14 14"),
    (',', "15 03"),
    (':', "15 15 / 1c 1c"),
    ('-', "0a 5a"),
    ('+', "0a 8a / 4e 46"),
    ('=', "0c 8c / 08 88"),
    ('(', "3i ~0f 0a ~05 32"),
    (')', "0i ~3f 3a ~35 02"),
    ('/', "02 6i"),
    ('_', "02 82"),
    ('<', "8e 09 84"),
    ('>', "0e 89 04"),
    ('%', "04 8i / 1i ~3i 3g ~3d 1d ~0d 0g ~0i 1i / 79 ~99 96 ~94 74 ~54 56 ~59 79"),
    ('°', "2i ~4i 4g ~4e 2e ~0e 0g ~0i 2i"),
    ('\'', "1i 1e"),
    ('?', "0f ~0i 4i ~8i 8f ~8b 4a 48 / 44 44"),
];

/// Where a text stands about its place, along its direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::preview) enum Align {
    Start,
    Middle,
    End,
}

/// How a text is written.
#[derive(Clone, Copy, Debug)]
pub(in crate::preview) struct Lettering {
    /// Height of capitals in pixels.
    pub(in crate::preview) size: f32,
    pub(in crate::preview) align: Align,
    /// Whether it runs upwards instead of to the right.
    pub(in crate::preview) upright: bool,
    pub(in crate::preview) bold: bool,
}

impl Lettering {
    pub(in crate::preview) fn new(size: f32, align: Align) -> Self {
        Lettering { size, align, upright: false, bold: false }
    }

    /// Pixels from the begin of a text to its end.
    pub(in crate::preview) fn length(self, text: &str) -> f32 {
        let advance: f32 = text.chars().map(advance).sum();
        (advance - GAP).max(0.0) * self.size / CAPITALS
    }

    /// Writes a text; `at` is on its baseline.
    pub(in crate::preview) fn write(self, pass: &mut Pass, text: &str, at: Vec2) {
        let scale = self.size / CAPITALS;
        let before = match self.align {
            Align::Start => 0.0,
            Align::Middle => 0.5 * self.length(text),
            Align::End => self.length(text),
        };
        let half_width = self.size * if self.bold { 0.085 } else { 0.055 };
        let mut left = -before / scale;
        for letter in text.chars() {
            for [a, b] in strokes(letter) {
                let place = |p: Vec2| {
                    let (along, above) = ((left + p.x) * scale, (p.y - BASELINE) * scale);
                    at + if self.upright { Vec2::new(-above, -along) } else { Vec2::new(along, -above) }
                };
                pass.stroke([place(a), place(b)], half_width.max(0.55));
            }
            left += advance(letter);
        }
    }
}

/// The pen's way; an unknown letter is a box.
fn path(letter: char) -> &'static str {
    GLYPHS.iter().find(|(c, _)| *c == letter).map_or("04 0i 8i 84 04", |(_, path)| path)
}

fn advance(letter: char) -> f32 {
    if letter == ' ' {
        return SPACE + GAP;
    }
    let point = |token: &str| token.trim_start_matches('~').chars().next().and_then(|c| c.to_digit(36));
    path(letter).split(' ').filter_map(point).max().unwrap_or(0).max(2) as f32 + GAP
}

fn point(token: &str) -> Option<Vec2> {
    let mut digits = token.chars().map(|c| c.to_digit(36));
    let (x, y) = (digits.next()??, digits.next()??);
    Some(Vec2::new(x as f32, y as f32))
}

/// The straight pieces of a letter.
fn strokes(letter: char) -> Vec<[Vec2; 2]> {
    let mut pieces = Vec::new();
    if letter == ' ' {
        return pieces;
    }
    for stroke in path(letter).split(" / ") {
        let mut pen: Option<Vec2> = None;
        let mut control: Option<Vec2> = None;
        for token in stroke.split(' ') {
            if let Some(token) = token.strip_prefix('~') {
                control = point(token);
                continue;
            }
            let (Some(from), Some(to)) = (pen.or(point(token)), point(token)) else { continue };
            match control.take() {
                Some(bend) => curve(&mut pieces, from, bend, to),
                None if pen.is_some() => pieces.push([from, to]),
                None => {}
            }
            pen = Some(to);
        }
    }
    pieces
}

fn curve(pieces: &mut Vec<[Vec2; 2]>, from: Vec2, bend: Vec2, to: Vec2) {
    let at = |i: usize| {
        let t = i as f32 / PIECES as f32;
        from.lerp(bend, t).lerp(bend.lerp(to, t), t)
    };
    pieces.extend((0..PIECES).map(|i| [at(i), at(i + 1)]));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_point_of_a_glyph_is_read() {
        for (letter, path) in GLYPHS {
            for token in path.split(' ').filter(|token| *token != "/") {
                assert!(token.trim_start_matches('~').len() == 2, "{letter}: {token}");
                assert!(point(token.trim_start_matches('~')).is_some(), "{letter}: {token}");
            }
            assert!(!strokes(*letter).is_empty(), "{letter}");
        }
    }

    #[test]
    fn a_text_is_as_long_as_its_strokes() {
        let lettering = Lettering::new(14.0, Align::Start);
        assert!((lettering.length("1") - 7.0).abs() < 1e-4);
        assert!((lettering.length("11") - (7.0 + GAP + 7.0)).abs() < 1e-4);
        assert_eq!(lettering.length(""), 0.0);
    }
}
