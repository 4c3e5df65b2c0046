//! Small PNG files: 256 colours, chosen by median cut (Heckbert 1982).

use weald_bake::preview::Picture;

const COLORS: usize = 256;

/// The picture in its 256 colours, and the file that holds them.
pub(crate) fn indexed(picture: &Picture) -> (Picture, Vec<u8>) {
    let pixels = picture.rgb8.as_chunks::<3>().0;
    let palette = palette(pixels);
    let indices: Vec<u8> = pixels.iter().map(|pixel| nearest(&palette, *pixel)).collect();
    let shown = indices.iter().flat_map(|&i| palette[usize::from(i)]).collect();
    let mut file = Vec::new();
    let mut encoder = png::Encoder::new(&mut file, picture.width, picture.height);
    encoder.set_color(png::ColorType::Indexed);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.set_palette(palette.concat());
    encoder.set_compression(png::Compression::High);
    encoder.set_filter(png::Filter::NoFilter);
    encoder.set_source_srgb(png::SrgbRenderingIntent::Perceptual);
    let mut writer = encoder.write_header().unwrap();
    writer.write_image_data(&indices).unwrap();
    writer.finish().unwrap();
    (Picture { rgb8: shown, ..*picture }, file)
}

/// A PNG file as a picture.
pub(crate) fn decode(file: &[u8]) -> Option<Picture> {
    let mut decoder = png::Decoder::new(std::io::Cursor::new(file));
    decoder.set_transformations(png::Transformations::EXPAND);
    let mut reader = decoder.read_info().ok()?;
    let mut rgb8 = vec![0; reader.output_buffer_size()?];
    let info = reader.next_frame(&mut rgb8).ok()?;
    Some(Picture { width: info.width, height: info.height, rgb8 })
}

fn palette(pixels: &[[u8; 3]]) -> Vec<[u8; 3]> {
    let mut colors = pixels.to_vec();
    colors.sort_unstable();
    let mut boxes = vec![colors];
    while boxes.len() < COLORS {
        let Some((widest, axis)) = widest(&boxes) else { break };
        let mut colors = boxes.swap_remove(widest);
        colors.sort_by_key(|color| color[axis]);
        let middle = colors[colors.len() / 2][axis];
        let low = colors[0][axis];
        // Equal colours stay together.
        let split = colors.partition_point(|color| color[axis] < middle.max(low + 1));
        let high = colors.split_off(split);
        boxes.extend([colors, high]);
    }
    let mut palette: Vec<[u8; 3]> = boxes.iter().map(|colors| mean(colors)).collect();
    palette.sort_unstable();
    palette.dedup();
    palette
}

/// The box whose split gains most, and the channel to split it by.
fn widest(boxes: &[Vec<[u8; 3]>]) -> Option<(usize, usize)> {
    let spread = |colors: &[[u8; 3]], axis: usize| {
        let channel = || colors.iter().map(|color| color[axis]);
        u64::from(channel().max().unwrap_or(0) - channel().min().unwrap_or(0))
    };
    let gain = |colors: &[[u8; 3]], axis: usize| {
        let spread = spread(colors, axis);
        spread * spread * (colors.len() as u64).isqrt()
    };
    let all = boxes
        .iter()
        .enumerate()
        .flat_map(|(i, colors)| (0..3).map(move |axis| (gain(colors, axis), i, axis)));
    all.filter(|(gain, ..)| *gain > 0).max().map(|(_, i, axis)| (i, axis))
}

fn mean(colors: &[[u8; 3]]) -> [u8; 3] {
    let count = colors.len() as u64;
    [0, 1, 2].map(|axis| {
        let sum: u64 = colors.iter().map(|color| u64::from(color[axis])).sum();
        ((sum + count / 2) / count) as u8
    })
}

fn nearest(palette: &[[u8; 3]], pixel: [u8; 3]) -> u8 {
    let distance = |color: &[u8; 3]| -> u32 {
        color.iter().zip(pixel).map(|(&a, b)| u32::from(a.abs_diff(b)).pow(2)).sum()
    };
    let found = palette.iter().enumerate().min_by_key(|(_, color)| distance(color));
    found.map_or(0, |(i, _)| i as u8)
}
