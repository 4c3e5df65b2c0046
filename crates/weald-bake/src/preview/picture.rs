//! A finished picture, and its PNG.

/// Rows of pixels from the top, each from the left.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Picture {
    /// Pixels across.
    pub width: u32,
    /// Pixels down.
    pub height: u32,
    /// Red, green and blue of each pixel in sRGB: `3 * width * height` bytes.
    pub rgb8: Vec<u8>,
}

impl Picture {
    /// The picture as a PNG file marked as sRGB, without time or comment: equal pictures give equal bytes.
    ///
    /// # Panics
    /// If `rgb8` does not have `3 * width * height` bytes, or a side is 0.
    #[must_use]
    pub fn to_png(&self) -> Vec<u8> {
        let mut file = Vec::new();
        let mut encoder = png::Encoder::new(&mut file, self.width, self.height);
        encoder.set_color(png::ColorType::Rgb);
        encoder.set_depth(png::BitDepth::Eight);
        encoder.set_compression(png::Compression::Balanced);
        encoder.set_source_srgb(png::SrgbRenderingIntent::Perceptual);
        let mut writer = encoder.write_header().expect("writing to memory does not fail");
        writer.write_image_data(&self.rgb8).expect("a picture has three bytes a pixel");
        writer.finish().expect("writing to memory does not fail");
        file
    }

    /// The pixel in column `x` from the left and row `y` from the top.
    ///
    /// # Panics
    /// If it lies outside the picture.
    #[must_use]
    pub fn pixel(&self, x: u32, y: u32) -> [u8; 3] {
        assert!(
            x < self.width && y < self.height,
            "pixel ({x}, {y}) of a picture of {} x {}",
            self.width,
            self.height
        );
        let at = 3 * (y as usize * self.width as usize + x as usize);
        [self.rgb8[at], self.rgb8[at + 1], self.rgb8[at + 2]]
    }
}
