//! Fills a picture, in bands of rows from the top.
//!
//! Three passes over each band, each row on its own, so that any number of threads gives the same bytes:
//! 1. one ray a pixel to the scene, from there one to the sun and several to the sky;
//! 2. more rays to the sun where neighbours disagree, and a filter over the sky's share that heeds edges;
//! 3. colour, with more rays through the pixels in which something ends.
//!
//! A row of pass 2 reads three rows of pass 1 on either side, one of pass 3 a row of both. So only a band and these few
//! rows are held, whatever the picture's height.

use std::collections::VecDeque;
use std::ops::ControlFlow;

use glam::{DVec3, Vec3};
use rayon::prelude::*;

use super::light::{Light, Surface, patches};
use super::pattern::{Disk, hemisphere, pixel_turn};
use super::scene::{Hit, Ray, Scene};
use super::settings::PictureSettings;
use super::tone::Tone;
use super::view::{Screen, View, clip};
use super::{Picture, PreviewError};

/// Rows a band.
const BAND: usize = 64;
/// Reach of the filter over the sky's share, pixels. With 4 rays a pixel, 49 pixels gather some 200 rays, which random
/// rays would leave within 3 % and this even pattern leaves closer. Less shows grain; more costs by its square, and
/// carries the shade of a corner farther than the eye expects.
const REACH: usize = 3;
/// Radius of the sun's disk at distance 1: 0.6 degrees, a little more than twice the real one, as on a hazy day.
const SUN_RADIUS: f32 = 0.0105;
/// Sky share where a thin thing has no neighbour to take it from.
const THIN_SKY: f32 = 0.8;

/// All that a pixel depends on.
pub(super) struct Shot<'a> {
    pub(super) scene: &'a Scene,
    pub(super) screen: Screen,
    pub(super) light: Light,
    pub(super) settings: &'a PictureSettings,
    pub(super) tone: Tone,
    /// Colour where a plan shows nothing; `None` for the sky.
    pub(super) paper: Option<Vec3>,
    pub(super) sky: Disk,
    pub(super) sun: Disk,
}

/// Consecutive rows, of which the oldest are dropped.
struct Rows<T> {
    first: usize,
    rows: VecDeque<Vec<T>>,
}

/// Filtered light of a pixel.
#[derive(Clone, Copy)]
struct Lit {
    sun: f32,
    sky: f32,
}

impl<T: Send> Rows<T> {
    fn new() -> Self {
        Rows { first: 0, rows: VecDeque::new() }
    }

    fn end(&self) -> usize {
        self.first + self.rows.len()
    }

    fn row(&self, y: usize) -> &[T] {
        &self.rows[y - self.first]
    }

    fn fill(&mut self, end: usize, make: impl Fn(usize) -> Vec<T> + Sync + Send) {
        let made: Vec<Vec<T>> = (self.end()..end).into_par_iter().map(make).collect();
        self.rows.extend(made);
    }

    fn drop_before(&mut self, y: usize) {
        while self.first < y && self.rows.pop_front().is_some() {
            self.first += 1;
        }
    }
}

/// Makes the picture; `progress` hears the share done, and may break off.
pub(super) fn render(
    shot: &Shot<'_>,
    progress: &dyn Fn(f32) -> ControlFlow<()>,
) -> Result<Picture, PreviewError> {
    let (width, height) = (shot.settings.width, shot.settings.height);
    let (w, h) = (width as usize, height as usize);
    let mut rgb8 = vec![0_u8; 3 * w * h];
    let (mut seen, mut lit) = (Rows::new(), Rows::new());
    for (band, pixels) in rgb8.chunks_mut(3 * w * BAND).enumerate() {
        let start = band * BAND;
        let end = (start + BAND).min(h);
        if progress(start as f32 / h as f32).is_break() {
            return Err(PreviewError::Cancelled);
        }
        seen.fill((end + 1 + REACH).min(h), |y| shot.see_row(y as u32));
        lit.fill((end + 1).min(h), |y| shot.light_row(&seen, y, h));
        pixels.par_chunks_mut(3 * w).enumerate().for_each(|(row, out)| {
            let y = start + row;
            for (x, pixel) in out.as_chunks_mut::<3>().0.iter_mut().enumerate() {
                *pixel = shot.tone.encode(shot.color(&seen, &lit, x, y, h));
            }
        });
        seen.drop_before((end + 1).saturating_sub(REACH));
        lit.drop_before(end.saturating_sub(1));
    }
    let _ = progress(1.0);
    Ok(Picture { width, height, rgb8 })
}

impl Shot<'_> {
    fn see_row(&self, y: u32) -> Vec<Surface> {
        (0..self.settings.width).map(|x| self.see(x, y)).collect()
    }

    fn see(&self, x: u32, y: u32) -> Surface {
        let (from, dir) = self.screen.ray(f64::from(x) + 0.5, f64::from(y) + 0.5);
        let Some((mut surface, start)) = self.meet(from, dir) else {
            return Surface::NONE;
        };
        surface.sun = self.sun_share(&surface, start, 0..1, pixel_turn(x, y, 1));
        surface.sky = self.sky_share(&surface, start, pixel_turn(x, y, 2));
        surface
    }

    /// The surface that a ray meets, and where rays from it to the light start. Its light is not known yet.
    fn meet(&self, from: DVec3, dir: DVec3) -> Option<(Surface, Vec3)> {
        let skipped = clip(from, dir, self.scene.bounds.grow(1e-3))?;
        let ray = Ray { from: (from + dir * skipped).as_vec3(), dir: dir.as_vec3() };
        let hit = self.scene.cast(ray)?;
        let distance = skipped as f32 + hit.distance;
        let side = if hit.face.dot(ray.dir) > 0.0 { -1.0 } else { 1.0 };
        let start = if side < 0.0 { hit.place } else { hit.lifted };
        let surface = Surface {
            distance,
            place: hit.place,
            normal: hit.normal * side,
            albedo: self.albedo(&hit, distance, side),
            roughness: hit.look.roughness,
            ..Surface::NONE
        };
        Some((surface, start + hit.face * (side * self.scene.clearance())))
    }

    fn albedo(&self, hit: &Hit, distance: f32, side: f32) -> Vec3 {
        let base = Vec3::from(hit.look.base_color);
        if hit.on_cut || side < 0.0 {
            return self.light.cut_color(base, hit.place);
        }
        let footprint = self.screen.footprint(distance);
        base * patches(hit.place, footprint) * self.contour_line(hit, footprint)
    }

    /// 1, or less on the contour lines of a plan: a pixel wide, whatever the slope.
    fn contour_line(&self, hit: &Hit, footprint: f32) -> f32 {
        let (View::Plan { .. }, Some(step)) = (&self.screen.view, self.settings.contour_lines_m) else {
            return 1.0;
        };
        let height = (f64::from(hit.place.z) + self.scene.origin.z) / step;
        let nearest = (height + 0.5).floor();
        let off = ((height - nearest).abs() * step) as f32;
        let slope = hit.normal.truncate().length() / hit.normal.z.abs().max(0.05);
        let pixels = off / (slope * footprint).max(1e-6);
        let bold = nearest % 5.0 == 0.0;
        let (half_width, ink) = if bold { (0.8, 0.62) } else { (0.55, 0.38) };
        // On level ground lines would flood whole fields: they fade out below a slope of 2 %.
        let level = (slope / 0.02).min(1.0);
        1.0 - ink * level * (half_width + 0.5 - pixels).clamp(0.0, 1.0)
    }

    /// The share of the sun that is seen by the rays with numbers `which`, of the pattern with this turn.
    fn sun_share(&self, s: &Surface, start: Vec3, which: std::ops::Range<usize>, turn: (u32, u32)) -> f32 {
        if self.settings.sun_rays == 0 {
            return 1.0;
        }
        let to_sun = self.light.to_sun;
        if s.normal.dot(to_sun) <= 0.0 {
            return 0.0;
        }
        let (right, ahead) = to_sun.any_orthonormal_pair();
        let rays = which.len() as f32;
        let free = which.filter(|&i| {
            let disk = self.sun.point(i, turn) * SUN_RADIUS;
            let dir = (to_sun + right * disk.x + ahead * disk.y).normalize_or_zero();
            !self.scene.blocks(Ray { from: start, dir })
        });
        free.count() as f32 / rays
    }

    fn sky_share(&self, s: &Surface, start: Vec3, turn: (u32, u32)) -> f32 {
        let rays = self.sky.len();
        if rays == 0 {
            return 1.0;
        }
        let free = (0..rays).filter(|&i| {
            let dir = hemisphere(s.normal, self.sky.point(i, turn));
            !self.scene.blocks(Ray { from: start, dir })
        });
        free.count() as f32 / rays as f32
    }

    fn light_row(&self, seen: &Rows<Surface>, y: usize, height: usize) -> Vec<Lit> {
        let rows = y.saturating_sub(REACH)..(y + REACH + 1).min(height);
        (0..seen.row(y).len())
            .map(|x| {
                let here = &seen.row(y)[x];
                if !here.is_some() {
                    return Lit { sun: 1.0, sky: 1.0 };
                }
                let sun = if self.sun_is_doubtful(seen, x, y, height) {
                    self.sun_again(here, x, y)
                } else {
                    here.sun
                };
                Lit { sun, sky: self.smooth_sky(seen, x, y, rows.clone()) }
            })
            .collect()
    }

    fn sun_is_doubtful(&self, seen: &Rows<Surface>, x: usize, y: usize, height: usize) -> bool {
        let here = seen.row(y)[x].sun;
        let columns = x.saturating_sub(REACH)..(x + REACH + 1).min(seen.row(y).len());
        let mut rows = y.saturating_sub(REACH)..(y + REACH + 1).min(height);
        self.sun.len() > 1
            && rows.any(|v| seen.row(v)[columns.clone()].iter().any(|s| s.is_some() && s.sun != here))
    }

    fn sun_again(&self, here: &Surface, x: usize, y: usize) -> f32 {
        let (from, dir) = self.screen.ray(x as f64 + 0.5, y as f64 + 0.5);
        let Some((_, start)) = self.meet(from, dir) else {
            return here.sun;
        };
        let rays = self.sun.len();
        let rest = self.sun_share(here, start, 1..rays, pixel_turn(x as u32, y as u32, 1));
        (here.sun + rest * (rays - 1) as f32) / rays as f32
    }

    /// The mean of the sky's share over the pixels around that lie on the same smooth surface.
    fn smooth_sky(&self, seen: &Rows<Surface>, x: usize, y: usize, rows: std::ops::Range<usize>) -> f32 {
        let here = &seen.row(y)[x];
        let slack = 1.0 / (3.0 * self.screen.footprint(here.distance)).max(1e-6);
        let columns = x.saturating_sub(REACH)..(x + REACH + 1).min(seen.row(y).len());
        let (mut sum, mut weights) = (0.0, 0.0);
        for v in rows {
            for s in seen.row(v)[columns.clone()].iter().filter(|s| s.is_some()) {
                let off_plane = 1.0 - (s.place - here.place).dot(here.normal).abs() * slack;
                let turned = 1.0 - (1.0 - s.normal.dot(here.normal)) * 8.0;
                let weight = off_plane.max(0.0) * turned.max(0.0);
                sum += s.sky * weight;
                weights += weight;
            }
        }
        if weights > 0.0 { sum / weights } else { here.sky }
    }

    /// What the pixel shows, linear, from 0 to 1.
    fn color(&self, seen: &Rows<Surface>, lit: &Rows<Lit>, x: usize, y: usize, height: usize) -> Vec3 {
        let rays = self.settings.edge_rays as usize;
        if rays > 1 && self.is_edge(seen, lit, x, y, height) {
            return self.edge_color(seen, lit, x, y, height, rays);
        }
        let Lit { sun, sky } = lit.row(y)[x];
        let (_, dir) = self.screen.ray(x as f64 + 0.5, y as f64 + 0.5);
        self.shown(&Surface { sun, sky, ..seen.row(y)[x] }, dir.as_vec3())
    }

    fn is_edge(&self, seen: &Rows<Surface>, lit: &Rows<Lit>, x: usize, y: usize, height: usize) -> bool {
        let (a, sun) = (&seen.row(y)[x], lit.row(y)[x].sun);
        let slack = self.screen.footprint(if a.is_some() { a.distance } else { 0.0 });
        around(x, y, seen.row(y).len(), height).any(|(u, v)| {
            let b = &seen.row(v)[u];
            if a.is_some() != b.is_some() {
                return true;
            }
            a.is_some()
                && ((b.place - a.place).dot(a.normal).abs() > slack
                    || a.normal.dot(b.normal) < 0.94
                    || (a.albedo - b.albedo).abs().max_element() > 0.04
                    || (sun - lit.row(v)[u].sun).abs() > 0.4)
        })
    }

    fn edge_color(
        &self,
        seen: &Rows<Surface>,
        lit: &Rows<Lit>,
        x: usize,
        y: usize,
        height: usize,
        rays: usize,
    ) -> Vec3 {
        let turn = pixel_turn(x as u32, y as u32, 3);
        let sum = (0..rays).fold(Vec3::ZERO, |sum, i| {
            let down = (i as f64 * 0.618_033_988_749_895 + 0.5 / rays as f64).fract();
            let (from, dir) = self.screen.ray(x as f64 + (i as f64 + 0.5) / rays as f64, y as f64 + down);
            let surface = self.meet(from, dir).map_or(Surface::NONE, |(mut s, start)| {
                let pick = i % self.sun.len().max(1);
                s.sun = self.sun_share(&s, start, pick..pick + 1, turn);
                s.sky = self.borrowed_sky(&s, seen, lit, x, y, height);
                s
            });
            sum + self.shown(&surface, dir.as_vec3())
        });
        sum / rays as f32
    }

    /// The sky's share of the pixel nearby that lies nearest to the plane of `s` and faces its way.
    fn borrowed_sky(
        &self,
        s: &Surface,
        seen: &Rows<Surface>,
        lit: &Rows<Lit>,
        x: usize,
        y: usize,
        height: usize,
    ) -> f32 {
        let slack = 1.0 / self.screen.footprint(s.distance).max(1e-6);
        let near = around(x, y, seen.row(y).len(), height).chain([(x, y)]);
        let best = near.filter(|&(u, v)| seen.row(v)[u].is_some()).fold(
            (f32::INFINITY, THIN_SKY),
            |best, (u, v)| {
                let other = &seen.row(v)[u];
                let misfit = (other.place - s.place).dot(s.normal).abs() * slack
                    + 4.0 * (1.0 - other.normal.dot(s.normal));
                if misfit < best.0 { (misfit, lit.row(v)[u].sky) } else { best }
            },
        );
        best.1
    }

    fn shown(&self, surface: &Surface, dir: Vec3) -> Vec3 {
        match (surface.is_some(), self.paper) {
            (false, Some(paper)) => paper,
            (false, None) => self.tone.film(self.light.background(dir)),
            (true, _) => {
                let light = self.light.reflected(surface, dir);
                self.tone.film(self.light.through_air(light, dir, surface.distance))
            }
        }
    }
}

/// The pixels left, right, above and below, as far as there are.
fn around(x: usize, y: usize, width: usize, height: usize) -> impl Iterator<Item = (usize, usize)> {
    let left = x.checked_sub(1).map(|u| (u, y));
    let right = (x + 1 < width).then_some((x + 1, y));
    let above = y.checked_sub(1).map(|v| (x, v));
    let below = (y + 1 < height).then_some((x, y + 1));
    [left, right, above, below].into_iter().flatten()
}
