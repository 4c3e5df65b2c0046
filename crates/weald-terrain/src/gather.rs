//! Puts decoded samples into their posts, counting what the report needs on the way.

use crate::elevation::{Quantization, RowOrder, SampleType, Stats};

/// What was gathered from all blocks of a raster.
pub(crate) struct Gathered {
    pub posts: Vec<f32>,
    pub stats: Stats,
    pub levels: Option<usize>,
    pub infinite: usize,
}

impl Gathered {
    pub(crate) fn quantization(&self, sample: SampleType, scale: f64) -> Quantization {
        if sample.is_integer() {
            Quantization::Stepped { step: scale.abs(), levels: self.levels }
        } else {
            Quantization::Continuous
        }
    }
}

/// A raster that is being filled block by block. Posts that no block covers stay void.
pub(crate) struct Gather {
    width: usize,
    height: usize,
    row_order: RowOrder,
    nodata: Option<f64>,
    posts: Vec<f32>,
    seen: Vec<bool>,
    least_level: i32,
    min: f64,
    max: f64,
    sum: f64,
    valid: usize,
    infinite: usize,
}

impl Gather {
    /// An empty raster of `width · height` posts, which the caller has compared with its limit.
    ///
    /// `nodata` is compared in the precision of `sample`, since writers print it with more or fewer digits than fit.
    pub(crate) fn new(
        width: usize,
        height: usize,
        row_order: RowOrder,
        sample: SampleType,
        nodata: Option<f64>,
    ) -> Self {
        let nodata = match sample {
            SampleType::F16 | SampleType::F32 => nodata.map(|value| f64::from(value as f32)),
            _ => nodata,
        };
        let (levels, least_level) = match sample {
            SampleType::U8 => (1 << 8, 0),
            SampleType::I8 => (1 << 8, i32::from(i8::MIN)),
            SampleType::U16 => (1 << 16, 0),
            SampleType::I16 => (1 << 16, i32::from(i16::MIN)),
            _ => (0, 0),
        };
        Gather {
            width,
            height,
            row_order,
            nodata,
            posts: vec![f32::NAN; width * height],
            seen: vec![false; levels],
            least_level,
            min: f64::INFINITY,
            max: f64::NEG_INFINITY,
            sum: 0.0,
            valid: 0,
            infinite: 0,
        }
    }

    /// Takes the samples of one file row, from column `x` on. Samples beyond the raster's edge are dropped.
    pub(crate) fn row<T: Copy + Into<f64>>(
        &mut self,
        x: usize,
        file_row: usize,
        samples: impl Iterator<Item = T>,
    ) {
        let y = match self.row_order {
            RowOrder::NorthFirst => self.height - 1 - file_row,
            RowOrder::SouthFirst => file_row,
        };
        let first = y * self.width + x;
        let count = self.width - x;
        for (at, sample) in samples.take(count).enumerate() {
            self.posts[first + at] = self.post(sample.into());
        }
    }

    fn post(&mut self, sample: f64) -> f32 {
        if sample.is_nan() || self.nodata == Some(sample) {
            return f32::NAN;
        }
        let post = sample as f32;
        if post.is_infinite() {
            self.infinite += 1;
            return f32::NAN;
        }
        self.min = self.min.min(sample);
        self.max = self.max.max(sample);
        self.sum += sample;
        self.valid += 1;
        if !self.seen.is_empty() {
            self.seen[(sample as i32 - self.least_level) as usize] = true;
        }
        post
    }

    pub(crate) fn finish(self) -> Gathered {
        let Gather { posts, seen, min, max, sum, valid, infinite, .. } = self;
        let (min, max, mean) = match valid {
            0 => (f64::NAN, f64::NAN, f64::NAN),
            _ => (min, max, sum / valid as f64),
        };
        let stats = Stats { min, max, mean, valid, void: posts.len() - valid };
        let levels = (!seen.is_empty()).then(|| seen.iter().filter(|level| **level).count());
        Gathered { posts, stats, levels, infinite }
    }
}
