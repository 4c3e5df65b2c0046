//! Strokes and fills with smooth edges.
//!
//! A figure is drawn in passes of one colour each. A pass gathers how much of each pixel its strokes cover, the most of
//! them where they overlap, and is then laid on: so a line of many short pieces is as dark at its joints as between.

use glam::Vec2;

use super::super::Picture;

/// How much of each pixel one pass covers, from 0 to 1.
pub(in crate::preview) struct Pass {
    width: u32,
    cover: Vec<f32>,
}

impl Pass {
    pub(in crate::preview) fn new(picture: &Picture) -> Self {
        Pass { width: picture.width, cover: vec![0.0; picture.width as usize * picture.height as usize] }
    }

    fn rows(&self) -> u32 {
        (self.cover.len() / self.width as usize) as u32
    }

    /// A line with round ends. Places are in pixels from the upper left corner; a pixel's middle lies at a half.
    pub(in crate::preview) fn stroke(&mut self, [a, b]: [Vec2; 2], half_width: f32) {
        let reach = Vec2::splat(half_width + 1.0);
        let (low, high) = (a.min(b) - reach, a.max(b) + reach);
        let along = b - a;
        let scale = if a == b { 0.0 } else { 1.0 / along.length_squared() };
        self.each(low, high, |pixel| {
            let part = ((pixel - a).dot(along) * scale).clamp(0.0, 1.0);
            half_width + 0.5 - pixel.distance(a + along * part)
        });
    }

    /// A rectangle.
    pub(in crate::preview) fn fill(&mut self, low: Vec2, high: Vec2) {
        self.each(low - 1.0, high + 1.0, |pixel| {
            let inside = (pixel + 0.5).min(high) - (pixel - 0.5).max(low);
            inside.max(Vec2::ZERO).element_product()
        });
    }

    /// The border of a rectangle.
    pub(in crate::preview) fn outline(&mut self, low: Vec2, high: Vec2, half_width: f32) {
        let corners = [low, Vec2::new(high.x, low.y), high, Vec2::new(low.x, high.y)];
        for i in 0..4 {
            self.stroke([corners[i], corners[(i + 1) % 4]], half_width);
        }
    }

    fn each(&mut self, low: Vec2, high: Vec2, cover: impl Fn(Vec2) -> f32) {
        let clamped = |v: f32, end: u32| v.clamp(0.0, end as f32) as u32;
        let (rows, width) = (self.rows(), self.width);
        for y in clamped(low.y, rows)..clamped(high.y + 1.0, rows) {
            for x in clamped(low.x, width)..clamped(high.x + 1.0, width) {
                let here = &mut self.cover[(y * width + x) as usize];
                *here = here.max(cover(Vec2::new(x as f32 + 0.5, y as f32 + 0.5)).min(1.0));
            }
        }
    }

    /// Lays the pass on the picture and empties it.
    pub(in crate::preview) fn lay(&mut self, picture: &mut Picture, color: [u8; 3], opacity: f32) {
        for (pixel, cover) in picture.rgb8.as_chunks_mut::<3>().0.iter_mut().zip(&mut self.cover) {
            if *cover > 0.0 {
                *pixel = mix(*pixel, color, *cover * opacity);
                *cover = 0.0;
            }
        }
    }
}

/// A colour between two.
pub(in crate::preview) fn mix(from: [u8; 3], to: [u8; 3], share: f32) -> [u8; 3] {
    let channel = |i: usize| {
        let (from, to) = (f32::from(from[i]), f32::from(to[i]));
        (from + (to - from) * share + 0.5) as u8
    };
    [channel(0), channel(1), channel(2)]
}
