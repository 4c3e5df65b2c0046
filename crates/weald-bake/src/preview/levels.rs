//! A picture of levels of detail: each in its own colour, with a key to them.

use glam::Vec2;

use super::field::canvas::Pass;
use super::field::lettering::{Align, Lettering};
use super::tone::linear_from_srgb;
use super::{MaterialLook, Picture};

/// Colours in sRGB, from the finest level: along the spectrum, so that their order is seen, and from light to dark and
/// back in small steps, so that neighbours differ for those too who see red and green alike.
const COLORS: [[u8; 3]; 8] = [
    [231, 196, 78],
    [222, 132, 62],
    [192, 74, 80],
    [143, 78, 150],
    [78, 92, 178],
    [58, 148, 190],
    [66, 170, 138],
    [140, 192, 92],
];
/// Share of a colour's light that surfaces send back, so that in full sun they look as the key does: all of it glares.
const ALBEDO: f64 = 0.6;
const INK: [u8; 3] = [44, 40, 36];
const PAPER: [u8; 3] = [250, 248, 243];
/// Sides of a picture that has room for a key, pixels.
const LEAST_SIDES: [u32; 2] = [320, 180];

/// A row of the key: a level and what is told of it.
#[derive(Clone, Debug, PartialEq)]
pub struct LevelRow {
    /// The level, 0 for the finest.
    pub level: u8,
    /// What is told of it.
    pub text: String,
}

fn color(level: u8) -> [u8; 3] {
    COLORS[usize::from(level) % COLORS.len()]
}

/// The looks of the materials of a mesh whose vertices have the number of their level as material.
#[must_use]
pub fn level_looks(levels: u8) -> Vec<MaterialLook> {
    let linear = |channel: u8| (ALBEDO * linear_from_srgb(channel)) as f32;
    let look = |level| MaterialLook { base_color: color(level).map(linear), roughness: 1.0 };
    (0..levels).map(look).collect()
}

/// Draws the key into the upper left corner, unless the picture is too small.
pub fn draw_level_key(picture: &mut Picture, rows: &[LevelRow]) {
    if picture.width < LEAST_SIDES[0] || picture.height < LEAST_SIDES[1] || rows.is_empty() {
        return;
    }
    let unit = (picture.width.min(picture.height) as f32 / 420.0).clamp(1.0, 6.0);
    let lettering = Lettering::new(7.0 * unit, Align::Start);
    let (step, swatch) = (14.0 * unit, Vec2::new(16.0 * unit, 9.0 * unit));
    let longest = rows.iter().map(|row| lettering.length(&row.text)).fold(0.0, f32::max);
    let (low, pad) = (Vec2::splat(8.0 * unit), 6.0 * unit);
    let size = Vec2::new(swatch.x + longest + 3.0 * pad, step * rows.len() as f32 + pad);
    let mut pass = Pass::new(picture);
    pass.fill(low, low + size);
    pass.lay(picture, PAPER, 0.92);
    for (i, row) in rows.iter().enumerate() {
        let corner = low + Vec2::new(pad, pad + step * i as f32);
        pass.fill(corner, corner + swatch);
        pass.lay(picture, color(row.level), 1.0);
        lettering.write(&mut pass, &row.text, corner + Vec2::new(swatch.x + pad, 8.0 * unit));
        pass.lay(picture, INK, 1.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_level_has_a_colour_of_its_own_and_the_key_shows_it() {
        let looks = level_looks(8);
        for (i, a) in looks.iter().enumerate() {
            for b in &looks[..i] {
                let apart: f32 = a.base_color.iter().zip(b.base_color).map(|(a, b)| (a - b).abs()).sum();
                assert!(apart > 0.1, "{:?} beside {:?}", a.base_color, b.base_color);
            }
        }
        let blank = |width, height| Picture { width, height, rgb8: vec![0; 3 * (width * height) as usize] };
        let rows: Vec<LevelRow> =
            (0..3).map(|level| LevelRow { level, text: format!("level {level}") }).collect();
        let mut picture = blank(640, 420);
        draw_level_key(&mut picture, &rows);
        let shown: Vec<[u8; 3]> = picture.rgb8.as_chunks::<3>().0.to_vec();
        assert!((0..3).all(|level| shown.contains(&color(level))) && !shown.contains(&color(3)));
        let mut small = blank(100, 100);
        draw_level_key(&mut small, &rows);
        assert_eq!(small, blank(100, 100));
    }
}
