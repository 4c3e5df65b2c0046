//! Many small pictures on one page, each with its name.

use glam::Vec2;

use super::super::Picture;
use super::canvas::Pass;
use super::lettering::{Align, Lettering};
use super::{INK, PAPER};

/// Pixels around each picture, and below it for its name.
const MARGIN: u32 = 4;
const NAME: u32 = 17;
const LETTERS: f32 = 7.6;

/// A picture at a fraction of its size: each pixel is the mean of `factor` by `factor`. What does not fill a pixel at
/// the right and the lower side is left out.
///
/// # Panics
/// If `factor` is 0 or above a side of the picture.
#[must_use]
pub fn reduced(picture: &Picture, factor: u32) -> Picture {
    let (width, height) = (picture.width / factor, picture.height / factor);
    assert!(width > 0 && height > 0, "a picture of {} x {} by {factor}", picture.width, picture.height);
    let count = factor * factor;
    let mut rgb8 = Vec::with_capacity(3 * width as usize * height as usize);
    for y in 0..height {
        for x in 0..width {
            let mut sum = [count / 2; 3];
            for i in 0..count {
                let pixel = picture.pixel(x * factor + i % factor, y * factor + i / factor);
                sum.iter_mut().zip(pixel).for_each(|(sum, channel)| *sum += u32::from(channel));
            }
            rgb8.extend(sum.map(|sum| (sum / count) as u8));
        }
    }
    Picture { width, height, rgb8 }
}

/// Pictures in rows of `columns`, each with its name below. All have the size of the first, or are cut to it.
///
/// # Panics
/// If there are no pictures, or no columns.
#[must_use]
pub fn contact_sheet(pictures: &[(&str, Picture)], columns: u32) -> Picture {
    let [wide, tall] = [pictures[0].1.width + 2 * MARGIN, pictures[0].1.height + MARGIN + NAME];
    let rows = (pictures.len() as u32).div_ceil(columns);
    let (width, height) = (wide * columns, tall * rows);
    let mut sheet = Picture { width, height, rgb8: PAPER.repeat(width as usize * height as usize) };
    let mut pass = Pass::new(&sheet);
    for (i, (name, picture)) in pictures.iter().enumerate() {
        let (left, top) = (i as u32 % columns * wide + MARGIN, i as u32 / columns * tall + MARGIN);
        let shown = (picture.width.min(wide - 2 * MARGIN), picture.height.min(tall - MARGIN - NAME));
        for y in 0..shown.1 {
            let length = 3 * shown.0 as usize;
            let from = 3 * (y * picture.width) as usize;
            let to = 3 * ((top + y) * width + left) as usize;
            sheet.rgb8[to..to + length].copy_from_slice(&picture.rgb8[from..from + length]);
        }
        let middle = left as f32 + 0.5 * (wide - 2 * MARGIN) as f32;
        let below = (top + tall - MARGIN) as f32 - 6.0;
        Lettering::new(LETTERS, Align::Middle).write(&mut pass, name, Vec2::new(middle, below));
    }
    pass.lay(&mut sheet, INK, 1.0);
    sheet
}
