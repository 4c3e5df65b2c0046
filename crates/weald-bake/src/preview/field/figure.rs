//! What stands around a cut: frame, axes, scale bar, legend.

use glam::{DVec2, Vec2};
use weald_space::Axis;

use super::super::Picture;
use super::boxes::Window;
use super::canvas::{Pass, mix};
use super::lettering::{Align, Lettering};
use super::ramp::Ramp;
use super::{Cut, CutSettings, Furniture, INK, PALE, PAPER};

/// Height of capitals where the figure is 900 pixels high.
const LETTERS: f32 = 10.5;

/// Where things stand, in pixels.
pub(super) struct Layout {
    /// The upper left corner of the panel, and its size.
    left: u32,
    top: u32,
    width: u32,
    height: u32,
    /// Pixels of what is one pixel in a figure 900 pixels high.
    pub(super) unit: f32,
}

impl Layout {
    pub(super) fn new(settings: &CutSettings) -> Self {
        let (width, height) = (settings.width, settings.height);
        if settings.furniture == Furniture::Bare {
            let unit = (width as f32 / 600.0).clamp(0.3, 1.0);
            return Layout { left: 0, top: 0, width, height, unit };
        }
        // A wide figure of a flat region has the letters of a high one.
        let unit = (f64::from(width) / 1200.0).min(f64::from(height) / 520.0).clamp(0.45, 4.0) as f32;
        let margin = |pixels: f32, of: u32| ((pixels * unit) as u32).min(of / 4);
        let (left, right) = (margin(84.0, width), margin(158.0, width));
        let (top, bottom) = (margin(48.0, height), margin(92.0, height));
        Layout { left, top, width: width - left - right, height: height - top - bottom, unit }
    }

    /// The part of the plane that the panel shows.
    pub(super) fn window(&self, settings: &CutSettings) -> Window {
        let [min, max] = settings.area.map(DVec2::from);
        let size = DVec2::new(self.width.into(), self.height.into());
        let metres_per_pixel = ((max - min) / size).max_element();
        let half = 0.5 * metres_per_pixel * size;
        let middle = 0.5 * (min + max);
        Window {
            plane: settings.plane,
            corner: DVec2::new(middle.x - half.x, middle.y + half.y),
            metres_per_pixel,
            width: self.width as usize,
            height: self.height as usize,
        }
    }

    /// The panel's upper left corner.
    pub(super) fn origin(&self) -> Vec2 {
        Vec2::new(self.left as f32, self.top as f32)
    }

    fn end(&self) -> Vec2 {
        self.origin() + Vec2::new(self.width as f32, self.height as f32)
    }

    /// Colours a pixel of the panel.
    pub(super) fn set(&self, picture: &mut Picture, column: usize, row: usize, color: [u8; 3]) {
        let (x, y) = (self.left as usize + column, self.top as usize + row);
        let at = 3 * (y * picture.width as usize + x);
        picture.rgb8[at..at + 3].copy_from_slice(&color);
    }

    fn letters(&self, align: Align) -> Lettering {
        Lettering::new(LETTERS * self.unit, align)
    }

    /// Draws all that stands around and over the panel.
    pub(super) fn furnish(
        &self,
        picture: &mut Picture,
        pass: &mut Pass,
        settings: &CutSettings,
        window: &Window,
        found: &Cut,
        ramp: &Ramp,
    ) {
        self.scale_bar(picture, pass, window);
        self.color_bar(picture, found, ramp);
        pass.outline(self.origin(), self.end(), 0.6 * self.unit);
        self.axis(pass, window, 0);
        self.axis(pass, window, 1);
        self.legend(pass, found);
        self.titles(pass, settings, found);
        pass.lay(picture, INK, 1.0);
    }

    /// Ticks and coordinates along the lower or the left side.
    fn axis(&self, pass: &mut Pass, window: &Window, upwards: usize) {
        let unit = self.unit;
        let (low, high) = (window.low()[upwards], window.high()[upwards]);
        let apart = f64::from(if upwards == 0 { 104.0 } else { 64.0 } * unit) * window.metres_per_pixel;
        let step = round_step(apart);
        let align = if upwards == 0 { Align::Middle } else { Align::End };
        for i in multiples(low, high, step) {
            let metres = i as f64 * step;
            let mut at = DVec2::splat(0.0);
            at[upwards] = metres;
            let pixel = window.pixel(at).as_vec2() + self.origin();
            let (foot, out, label) = match upwards {
                0 => (Vec2::new(pixel.x, self.end().y), Vec2::Y, Vec2::new(0.0, 23.0)),
                _ => (Vec2::new(self.origin().x, pixel.y), -Vec2::X, Vec2::new(-11.0, 5.0)),
            };
            pass.stroke([foot, foot + out * 6.0 * unit], 0.6 * unit);
            self.letters(align).write(pass, &number(metres, step), foot + label * unit);
        }
        let axis = window.plane.axes()[upwards];
        let name = match axis {
            Axis::X => "x, m (to the east)",
            Axis::Y => "y, m (to the north)",
            Axis::Z => "z, m (up)",
        };
        let middle = 0.5 * (self.origin() + self.end());
        let letters = Lettering { upright: upwards == 1, ..self.letters(Align::Middle) };
        let at = match upwards {
            0 => Vec2::new(middle.x, self.end().y + 48.0 * unit),
            _ => Vec2::new(self.origin().x - 64.0 * unit, middle.y),
        };
        letters.write(pass, name, at);
    }

    /// A length of 1, 2 or 5 times a power of ten, in the lower left corner of the panel.
    fn scale_bar(&self, picture: &mut Picture, pass: &mut Pass, window: &Window) {
        let unit = self.unit;
        let longest = f64::from(self.width) * window.metres_per_pixel / 5.0;
        let length = round_step(longest * 0.45);
        let pixels = (length / window.metres_per_pixel) as f32;
        let label = format!("{} m", number(length, length));
        let letters = self.letters(Align::Start);
        let corner = Vec2::new(self.origin().x, self.end().y) + Vec2::new(16.0, -16.0) * unit;
        let wide = pixels.max(letters.length(&label));
        pass.fill(corner + Vec2::new(-9.0, -31.0) * unit, corner + Vec2::new(wide + 9.0 * unit, 9.0 * unit));
        pass.lay(picture, PAPER, 0.88);
        letters.write(pass, &label, corner - Vec2::Y * 11.0 * unit);
        pass.fill(corner - Vec2::Y * 4.0 * unit, corner + Vec2::X * pixels);
        pass.lay(picture, INK, 1.0);
    }

    /// Left and right end, top and bottom of the colour bar.
    fn bar(&self) -> (Vec2, Vec2) {
        let left = self.end().x + 24.0 * self.unit;
        let (top, bottom) = (self.origin().y + 44.0 * self.unit, self.end().y - 142.0 * self.unit);
        (Vec2::new(left, top), Vec2::new(left + 34.0 * self.unit, bottom.max(top + 60.0 * self.unit)))
    }

    /// The values as colours: to the left as where the field is evaluated, to the right as in decided boxes.
    fn color_bar(&self, picture: &mut Picture, found: &Cut, ramp: &Ramp) {
        let (low, high) = self.bar();
        let reach = found.greatest.abs().max(found.least.abs()).max(f32::MIN_POSITIVE);
        let middle = 0.5 * (low.x + high.x);
        for y in low.y as u32..(high.y as u32).min(picture.height) {
            let share = (y as f32 + 0.5 - low.y) / (high.y - low.y);
            let color = ramp.color((found.greatest + (found.least - found.greatest) * share) / reach);
            for x in low.x as u32..(high.x as u32).min(picture.width) {
                let color = if (x as f32) < middle { color } else { mix(color, PAPER, PALE) };
                let at = 3 * (y as usize * picture.width as usize + x as usize);
                picture.rgb8[at..at + 3].copy_from_slice(&color);
            }
        }
    }

    /// Numbers at the colour bar, and what lines and boxes mean.
    fn legend(&self, pass: &mut Pass, found: &Cut) {
        let unit = self.unit;
        let (low, high) = self.bar();
        let letters = self.letters(Align::Start);
        pass.outline(low, high, 0.5 * unit);
        letters.write(pass, "value, m", Vec2::new(low.x, low.y - 29.0 * unit));
        let (least, greatest, step) =
            (f64::from(found.least), f64::from(found.greatest), f64::from(found.step));
        let spread = (greatest - least).max(f64::MIN_POSITIVE);
        let row = |value: f64| high.y - ((value - least) / spread) as f32 * (high.y - low.y);
        let end = |value: f64| number(value, step * 0.1);
        let small = Lettering { size: 0.9 * letters.size, ..letters };
        small.write(pass, &format!("max {}", end(greatest)), Vec2::new(low.x, low.y - 8.0 * unit));
        small.write(pass, &format!("min {}", end(least)), Vec2::new(low.x, high.y + 19.0 * unit));
        let every = [1.0, 2.0, 5.0, 10.0].map(|times| round_step(step * times * 0.99));
        let room = |step: f64| step / spread * f64::from(high.y - low.y) > f64::from(17.0 * unit);
        let step = every.into_iter().find(|&step| room(step)).unwrap_or(every[3]);
        for i in multiples(least, greatest, step) {
            let value = i as f64 * step;
            let at = Vec2::new(high.x, row(value));
            let weight = if i == 0 { 1.3 } else { 0.5 };
            pass.stroke(
                [if i == 0 { Vec2::new(low.x, at.y) } else { at }, at + Vec2::X * 5.0 * unit],
                weight * unit,
            );
            let letters = Lettering { bold: i == 0, ..letters };
            letters.write(pass, &number(value, step), at + Vec2::new(10.0, 4.5) * unit);
        }
        self.key(pass, found, Vec2::new(low.x, high.y + 48.0 * unit));
    }

    fn key(&self, pass: &mut Pass, found: &Cut, at: Vec2) {
        let unit = self.unit;
        let letters = self.letters(Align::Start);
        let step = f64::from(found.step);
        let lines = [("surface".to_owned(), 1.3), (format!("every {} m", number(step, step)), 0.35)];
        for (i, (text, weight)) in lines.into_iter().enumerate() {
            let at = at + Vec2::Y * 21.0 * unit * i as f32;
            pass.stroke([at - Vec2::Y * 4.0 * unit, at + Vec2::new(22.0, -4.0) * unit], weight * unit);
            letters.write(pass, &text, at + Vec2::X * 30.0 * unit);
        }
        for (i, text) in ["full: evaluated", "pale: decided"].into_iter().enumerate() {
            letters.write(pass, text, at + Vec2::Y * 21.0 * unit * (i + 2) as f32);
        }
    }

    fn titles(&self, pass: &mut Pass, settings: &CutSettings, found: &Cut) {
        let unit = self.unit;
        let letters = self.letters(Align::Start);
        let title = Lettering { size: 1.15 * letters.size, bold: true, ..letters };
        title.write(pass, &settings.title, self.origin() - Vec2::Y * 15.0 * unit);
        let [least, most] = found.sides;
        let text = format!(
            "Negative inside. {} boxes of {} to {} m: in {:.0} % of the area the field's bounds alone tell inside from outside.",
            found.boxes,
            number(least, least),
            number(most, least),
            100.0 * found.decided,
        );
        let note = Lettering { size: 0.92 * letters.size, ..letters };
        note.write(pass, &text, Vec2::new(self.origin().x, self.end().y + 76.0 * unit));
    }
}

/// The whole multiples of a step in a range, as their numbers: few, whatever the range.
fn multiples(low: f64, high: f64, step: f64) -> impl Iterator<Item = i64> {
    let (first, last) = ((low / step).ceil() as i64, (high / step).floor() as i64);
    (first..=last).take(200)
}

/// 1, 2 or 5 times a power of ten: the least that is not below a number.
pub(super) fn round_step(at_least: f64) -> f64 {
    let mut power = 1e-9;
    while power < 1e12 {
        for digit in [1.0, 2.0, 5.0] {
            if digit * power >= at_least {
                // Whole numbers and their inverses are exact; what was multiplied up from below is not.
                let whole = digit * power;
                return if whole >= 1.0 { whole.round() } else { digit / (1.0 / power).round() };
            }
        }
        power *= 10.0;
    }
    power
}

/// A number with as many decimals as a step has.
fn number(value: f64, step: f64) -> String {
    let mut decimals = 0;
    let mut scaled = step;
    while decimals < 6 && (scaled - scaled.round()).abs() > 1e-3 * scaled {
        scaled *= 10.0;
        decimals += 1;
    }
    let text = format!("{value:.decimals$}");
    // A zero has no sign.
    if text.trim_start_matches('-').chars().all(|c| c == '0' || c == '.') {
        return text.trim_start_matches('-').to_owned();
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_round_and_not_below() {
        for (at_least, step) in
            [(0.3, 0.5), (1.0, 1.0), (1.1, 2.0), (7.0, 10.0), (2300.0, 5000.0), (0.017, 0.02)]
        {
            assert_eq!(round_step(at_least), step);
        }
    }

    #[test]
    fn numbers_have_the_decimals_of_their_step() {
        for (value, step, text) in [
            (120.0, 20.0, "120"),
            (0.5, 0.5, "0.5"),
            (-0.01, 0.5, "0.0"),
            (1.25, 0.25, "1.25"),
            (-3.0, 1.0, "-3"),
        ] {
            assert_eq!(number(value, step), text);
        }
    }
}
