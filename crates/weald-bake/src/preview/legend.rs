//! North arrow and scale bar of a plan, drawn into the finished bytes.

use super::Picture;

/// Shortest side of a picture that has room for a legend.
const LEAST_SIDE: u32 = 200;
const INK: [u8; 3] = [44, 40, 36];
const PAPER: [u8; 3] = [250, 248, 243];
/// Glyphs of 5 x 7 cells, a row five bits: the letters that a scale and an arrow need.
const GLYPHS: [(char, [u8; 7]); 8] = [
    ('0', [0b01110, 0b10001, 0b10011, 0b10101, 0b11001, 0b10001, 0b01110]),
    ('1', [0b00100, 0b01100, 0b00100, 0b00100, 0b00100, 0b00100, 0b01110]),
    ('2', [0b01110, 0b10001, 0b00001, 0b00110, 0b01000, 0b10000, 0b11111]),
    ('5', [0b11111, 0b10000, 0b11110, 0b00001, 0b00001, 0b10001, 0b01110]),
    ('.', [0b00000, 0b00000, 0b00000, 0b00000, 0b00000, 0b01100, 0b01100]),
    ('k', [0b10000, 0b10000, 0b10010, 0b10100, 0b11000, 0b10100, 0b10010]),
    ('m', [0b00000, 0b00000, 0b11010, 0b10101, 0b10101, 0b10101, 0b10101]),
    ('N', [0b10001, 0b11001, 0b11001, 0b10101, 0b10011, 0b10011, 0b10001]),
];

/// Draws both into the lower left and the upper right corner, unless the picture is too small.
pub(super) fn draw(picture: &mut Picture, metres_per_pixel: f64) {
    let side = picture.width.min(picture.height);
    if side < LEAST_SIDE {
        return;
    }
    let cell = (side / 420).max(1);
    scale_bar(picture, metres_per_pixel, cell);
    north_arrow(picture, cell);
}

/// A length of 1, 2 or 5 times a power of ten, at most a quarter of the picture long.
fn scale_bar(picture: &mut Picture, metres_per_pixel: f64, cell: u32) {
    let longest = f64::from(picture.width) * metres_per_pixel / 4.0;
    let mut length = 1e-3;
    for factor in [2.0, 2.5, 2.0].into_iter().cycle() {
        if length * factor > longest {
            break;
        }
        length *= factor;
    }
    let pixels = ((length / metres_per_pixel) as u32).max(4);
    let label = label(length);
    let (left, bar_top) = (8 * cell, picture.height - 11 * cell);
    let wide = pixels.max(label.len() as u32 * 6 * cell);
    fill(picture, [left - 4 * cell, bar_top - 13 * cell], [wide + 8 * cell, 20 * cell], PAPER);
    text(picture, &label, [left, bar_top - 9 * cell], cell);
    fill(picture, [left, bar_top], [pixels, 3 * cell], INK);
    let line = (cell / 2).max(1);
    fill(
        picture,
        [left + pixels / 2, bar_top + line],
        [pixels - pixels / 2 - line, 3 * cell - 2 * line],
        PAPER,
    );
}

fn label(metres: f64) -> String {
    if metres >= 1000.0 {
        format!("{:.0}km", metres / 1000.0)
    } else {
        format!("{}m", (metres * 1000.0 + 0.5).floor() / 1000.0)
    }
}

fn north_arrow(picture: &mut Picture, cell: u32) {
    let (half, tall) = (5 * cell, 14 * cell);
    let (middle, top) = (picture.width - 14 * cell, 7 * cell);
    fill(picture, [middle - 8 * cell, top - 3 * cell], [16 * cell, tall + 15 * cell], PAPER);
    for row in 0..tall {
        // The arrow widens towards its foot, which is notched.
        let reach = half * row / tall;
        let notch = (row * 3).saturating_sub(tall * 2) * half / tall;
        if reach > notch {
            fill(picture, [middle - reach, top + row], [reach - notch, 1], INK);
            fill(picture, [middle + notch, top + row], [reach - notch, 1], [150, 144, 136]);
        }
    }
    text(picture, "N", [middle - 5 * cell / 2, top + tall + 2 * cell], cell);
}

fn text(picture: &mut Picture, text: &str, [left, top]: [u32; 2], cell: u32) {
    for (place, letter) in text.chars().enumerate() {
        let Some((_, rows)) = GLYPHS.iter().find(|(c, _)| *c == letter) else {
            continue;
        };
        for (y, bits) in rows.iter().enumerate() {
            for x in (0..5_u32).filter(|x| bits >> (4 - x) & 1 == 1) {
                fill(
                    picture,
                    [left + (place as u32 * 6 + x) * cell, top + y as u32 * cell],
                    [cell, cell],
                    INK,
                );
            }
        }
    }
}

/// A rectangle, as far as it lies inside the picture.
fn fill(picture: &mut Picture, [left, top]: [u32; 2], [width, height]: [u32; 2], color: [u8; 3]) {
    let (right, bottom) = ((left + width).min(picture.width), (top + height).min(picture.height));
    for y in top..bottom {
        for x in left..right {
            let at = 3 * (y as usize * picture.width as usize + x as usize);
            picture.rgb8[at..at + 3].copy_from_slice(&color);
        }
    }
}
