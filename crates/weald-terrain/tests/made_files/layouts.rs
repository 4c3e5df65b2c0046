//! TIFFs and PNGs in many layouts come back as they were written; damaged ones never panic and never lie.

use crate::tiff_writer::{Kind, Layout, Value, write};
use proptest::prelude::*;
use weald_terrain::{
    Crs, Elevation, Fault, ReadOptions, Registration, RowOrder, Scaling, VerticalUnit, Warning, read_bytes,
};

/// Limits that keep hostile files fast.
const SMALL: ReadOptions = ReadOptions { band: None, spacing: None, max_posts: 1 << 20, max_bytes: 1 << 24 };

fn open(bytes: &[u8]) -> Elevation {
    read_bytes("made.tif", bytes, &SMALL).unwrap_or_else(|error| panic!("{error}"))
}

/// What must not change when bytes that carry no heights are cut or changed.
fn bits(elevation: &Elevation) -> Vec<u32> {
    elevation.posts.iter().map(|post| post.to_bits()).collect()
}

fn numbers(seed: u64, count: usize) -> impl Iterator<Item = u64> {
    let mut state = seed;
    (0..count).map(move |_| {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb)
    })
}

fn layouts() -> impl Strategy<Value = (Layout, Kind)> {
    let ends = (any::<bool>(), any::<bool>());
    let tile = prop_oneof![
        Just(None),
        (1_usize..4, 1_usize..4).prop_map(|(width, height)| Some((width * 16, height * 16)))
    ];
    let bands = (1_usize..4, any::<bool>());
    let packed = (prop_oneof![Just(1), Just(5), Just(8), Just(32946), Just(32773)], 1_u64..4);
    let kind = prop::sample::select(Kind::ALL.to_vec());
    (ends, tile, 1_usize..9, bands, packed, 0_u64..2, kind).prop_map(
        |(
            (big_endian, big_tiff),
            tile,
            rows_per_strip,
            (bands, planar),
            (compression, predictor),
            photometric,
            kind,
        )| {
            let predictor = if matches!(kind, Kind::Float(_)) { predictor } else { predictor.min(2) };
            let layout = Layout {
                big_endian,
                big_tiff,
                tile,
                rows_per_strip,
                bands,
                planar: planar && bands > 1,
                compression,
                predictor,
                photometric,
                tags: Vec::new(),
            };
            (layout, kind)
        },
    )
}

fn file() -> impl Strategy<Value = (Layout, Kind, usize, Vec<f64>)> {
    (layouts(), 1_usize..50, 1_usize..40, any::<u64>()).prop_map(|((layout, kind), width, height, seed)| {
        let samples: Vec<f64> =
            numbers(seed, width * height * layout.bands).map(|bits| kind.value(bits)).collect();
        (layout, kind, width, samples)
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn every_layout_reads_back_equal((layout, kind, width, samples) in file(), pick in 0_usize..4) {
        let band = pick % layout.bands;
        let bytes = write(&layout, kind, width, &samples);
        let options = ReadOptions { band: Some(band as u16 + 1), ..SMALL };
        let elevation = read_bytes("made.tif", &bytes, &options).map_err(|error| {
            TestCaseError::fail(format!("{error} in {layout:?}"))
        })?;
        let wanted: Vec<f64> = samples.iter().skip(band).step_by(layout.bands).copied().collect();
        let height = wanted.len() / width;
        prop_assert_eq!((elevation.width, elevation.height), (width, height));
        for y in 0..height {
            for x in 0..width {
                let post = wanted[(height - 1 - y) * width + x] as f32;
                prop_assert_eq!(elevation.posts[y * width + x].to_bits(), post.to_bits(), "at {}, {}", x, y);
            }
        }
        let least = wanted.iter().copied().fold(f64::INFINITY, f64::min);
        let greatest = wanted.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        prop_assert_eq!((elevation.stats.min, elevation.stats.max), (least, greatest));
        prop_assert_eq!((elevation.stats.valid, elevation.stats.void), (width * height, 0));
    }

    #[test]
    fn cut_files_are_errors_or_whole((layout, kind, width, samples) in file(), cut in 0.0..1.0_f64) {
        let bytes = write(&layout, kind, width, &samples);
        let whole = bits(&open(&bytes));
        let cut = (bytes.len() as f64 * cut) as usize;
        if let Ok(part) = read_bytes("cut.tif", &bytes[..cut], &SMALL) {
            prop_assert_eq!(bits(&part), whole, "cut at {} of {}", cut, bytes.len());
        }
    }

    #[test]
    fn changed_bytes_never_panic(
        (layout, kind, width, samples) in file(),
        changes in prop::collection::vec((0.0..1.0_f64, any::<u8>(), any::<bool>()), 1..8),
    ) {
        let mut bytes = write(&layout, kind, width, &samples);
        let tags = bytes.len().saturating_sub(400);
        for (at, value, in_tags) in changes {
            let first = if in_tags { tags } else { 0 };
            let at = first + ((bytes.len() - first) as f64 * at) as usize;
            bytes[at] = value;
        }
        if let Ok(elevation) = read_bytes("changed.tif", &bytes, &SMALL) {
            prop_assert_eq!(elevation.posts.len(), elevation.width * elevation.height);
        }
    }

    #[test]
    fn a_changed_byte_in_deflated_posts_never_gives_other_heights(
        (layout, kind, width, samples) in file(), at in 0.0..1.0_f64, mask in 1_u8..,
    ) {
        let layout = Layout { compression: 8, ..layout };
        let mut bytes = write(&layout, kind, width, &samples);
        let whole = bits(&open(&bytes));
        let first = if layout.big_tiff { 16 } else { 8 };
        let end = posts_end(&layout, &bytes);
        let at = first + ((end - first) as f64 * at) as usize;
        bytes[at] ^= mask;
        if let Ok(changed) = read_bytes("changed.tif", &bytes, &SMALL) {
            prop_assert_eq!(bits(&changed), whole, "byte {} of {}", at, end);
        }
    }

    #[test]
    fn png_reads_back_equal_and_damage_is_an_error(
        width in 1_u32..40, height in 1_u32..40, sixteen in any::<bool>(), seed in any::<u64>(),
        cut in 0.0..1.0_f64, at in 0.0..1.0_f64, mask in 1_u8..,
    ) {
        let depth = if sixteen { 2 } else { 1 };
        let pixels: Vec<u8> = numbers(seed, (width * height) as usize * depth).map(|bits| bits as u8).collect();
        let mut bytes = Vec::new();
        let mut encoder = png::Encoder::new(&mut bytes, width, height);
        encoder.set_color(png::ColorType::Grayscale);
        encoder.set_depth(if sixteen { png::BitDepth::Sixteen } else { png::BitDepth::Eight });
        encoder.write_header().unwrap().write_image_data(&pixels).unwrap();

        let elevation = read_bytes("made.png", &bytes, &SMALL).unwrap();
        let (columns, rows) = (width as usize, height as usize);
        for (i, pixel) in pixels.chunks_exact(depth).enumerate() {
            let sample = pixel.iter().fold(0, |sum, byte| sum * 256 + u32::from(*byte));
            let post = elevation.posts[(rows - 1 - i / columns) * columns + i % columns];
            prop_assert_eq!(f64::from(post), f64::from(sample));
        }
        let whole = bits(&elevation);
        if let Ok(part) = read_bytes("cut.png", &bytes[..(bytes.len() as f64 * cut) as usize], &SMALL) {
            prop_assert_eq!(bits(&part), whole.clone());
        }
        let at = (bytes.len() as f64 * at) as usize;
        bytes[at] ^= mask;
        if let Ok(changed) = read_bytes("changed.png", &bytes, &SMALL) {
            prop_assert_eq!(bits(&changed), whole, "byte {}", at);
        }
    }
}

/// Where the list of tags starts, which follows the posts.
fn posts_end(layout: &Layout, bytes: &[u8]) -> usize {
    let field = if layout.big_tiff { &bytes[8..16] } else { &bytes[4..8] };
    let add = |sum: usize, byte: &u8| sum << 8 | usize::from(*byte);
    if layout.big_endian { field.iter().fold(0, add) } else { field.iter().rev().fold(0, add) }
}

/// Tags that put the file's first pixel at (500, 2000) with steps of 10 and 20.
fn placed(raster_type: u64) -> Vec<(u16, Value)> {
    vec![
        (33550, Value::Double(vec![10.0, 20.0, 0.0])),
        (33922, Value::Double(vec![0.0, 0.0, 0.0, 500.0, 2000.0, 0.0])),
        (
            34735,
            Value::Short(vec![
                1,
                1,
                0,
                4,
                1024,
                0,
                1,
                1,
                1025,
                0,
                1,
                raster_type,
                3072,
                0,
                1,
                32633,
                3076,
                0,
                1,
                9001,
            ]),
        ),
    ]
}

#[test]
fn area_and_point_differ_by_half_a_pixel() {
    let posts = |raster_type| {
        let layout = Layout { tags: placed(raster_type), ..Layout::default() };
        open(&write(&layout, Kind::Signed(2), 3, &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0])).placement.unwrap()
    };
    let (area, point) = (posts(1), posts(2));
    assert_eq!((area.registration, point.registration), (Registration::Area, Registration::Point));
    assert_eq!(area.origin.to_array(), [505.0, 1970.0]);
    assert_eq!(point.origin.to_array(), [500.0, 1980.0]);
    assert_eq!(area.step.to_array(), [10.0, 20.0]);
}

#[test]
fn rows_from_the_south_are_kept_and_rows_from_the_north_are_turned() {
    let matrix = |e: f64| {
        let mut matrix = vec![0.0; 16];
        (matrix[0], matrix[3], matrix[5], matrix[7], matrix[15]) = (2.0, 100.0, e, 50.0, 1.0);
        let layout = Layout { tags: vec![(34264, Value::Double(matrix))], ..Layout::default() };
        open(&write(&layout, Kind::Unsigned(1), 2, &[1.0, 2.0, 3.0, 4.0]))
    };
    let (north, south) = (matrix(-3.0), matrix(3.0));
    assert_eq!(north.posts, [3.0, 4.0, 1.0, 2.0]);
    assert_eq!(south.posts, [1.0, 2.0, 3.0, 4.0]);
    assert_eq!(north.placement.unwrap().row_order, RowOrder::NorthFirst);
    assert_eq!(north.placement.unwrap().origin.to_array(), [101.0, 45.5]);
    assert_eq!(south.placement.unwrap().origin.to_array(), [101.0, 51.5]);
    assert_eq!(north.crs, Crs::None);
    assert!(north.warnings.contains(&Warning::NoCrs));
}

#[test]
fn rotated_grids_are_refused_with_their_angle() {
    let turn = 12_f64.to_radians();
    let (sine, cosine) = (weald_space::ops::sin(turn), weald_space::ops::cos(turn));
    let mut matrix = vec![0.0; 16];
    (matrix[0], matrix[1], matrix[4], matrix[5]) = (cosine, sine, sine, -cosine);
    let layout = Layout { tags: vec![(34264, Value::Double(matrix))], ..Layout::default() };
    let bytes = write(&layout, Kind::Unsigned(1), 2, &[1.0; 4]);
    match read_bytes("turned.tif", &bytes, &SMALL).map_err(|error| error.fault) {
        Err(Fault::Rotated { angle_deg, shear_deg }) => {
            assert!((angle_deg - 12.0).abs() < 1e-9, "{angle_deg}");
            assert!(shear_deg.abs() < 1e-9, "{shear_deg}");
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn nodata_nan_and_infinity_become_voids_and_count() {
    let tags = vec![(42113, Value::Text("-3.40282346638528898e+38".to_owned()))];
    let layout = Layout { tags, ..Layout::default() };
    let samples = [f64::from(f32::MIN), 1.5, f64::NAN, f64::INFINITY, -2.5, 4.0];
    let elevation = open(&write(&layout, Kind::Float(4), 3, &samples));
    assert_eq!((elevation.stats.valid, elevation.stats.void), (3, 3));
    assert_eq!((elevation.stats.min, elevation.stats.max, elevation.stats.mean), (-2.5, 4.0, 1.0));
    assert!(elevation.warnings.contains(&Warning::Infinite(1)));
    assert!(elevation.warnings.contains(&Warning::Voids(3)));
    let nan: Vec<bool> = elevation.posts.iter().map(|post| post.is_nan()).collect();
    assert_eq!(nan, [true, false, false, true, false, true]);
}

#[test]
fn scale_offset_and_unit_are_kept_apart_from_samples() {
    let xml = r#"<GDALMetadata><Item name="SCALE" sample="0" role="scale">0.5</Item>
        <Item name="OFFSET" sample="0" role="offset">100</Item>
        <Item name="UNITTYPE" sample="0" role="unittype">ft</Item></GDALMetadata>"#;
    let layout = Layout { tags: vec![(42112, Value::Text(xml.to_owned()))], ..Layout::default() };
    let elevation = open(&write(&layout, Kind::Signed(2), 2, &[-4.0, 6.0]));
    assert_eq!(elevation.posts, [-4.0, 6.0]);
    assert_eq!(elevation.scaling, Some(Scaling { scale: 0.5, offset: 100.0 }));
    assert_eq!(elevation.vertical_unit, VerticalUnit::Foot);
    assert_eq!(elevation.height_at(1, 0), 103.0);
    let local = weald_terrain::georeference(&elevation, &Default::default()).unwrap();
    assert_eq!(local.grid.posts, [(98.0 * 0.3048) as f32, (103.0 * 0.3048) as f32]);
}

#[test]
fn eight_bits_are_reported_as_terraces() {
    let elevation = open(&write(&Layout::default(), Kind::Unsigned(1), 3, &[7.0, 7.0, 9.0]));
    assert!(elevation.warnings.contains(&Warning::Terraced { levels: 2 }));
    assert!(elevation.report().to_string().contains("terraced, 2 levels"));
}

/// Another writer's LZW, with codes of every length, and its horizontal predictor.
#[test]
fn files_of_another_writer_read_back_equal() {
    use tiff::encoder::{Compression, DeflateLevel, Predictor, TiffEncoder, colortype::GrayI16};
    let (width, height) = (301, 157);
    let samples: Vec<i16> = (0..width * height)
        .map(|i| ((i % width) as i16 * 3 - (i / width) as i16 * 2) / 5 + (i % 7) as i16)
        .collect();
    for compression in [Compression::Lzw, Compression::Deflate(DeflateLevel::Balanced), Compression::Packbits]
    {
        for predictor in [Predictor::None, Predictor::Horizontal] {
            let mut bytes = std::io::Cursor::new(Vec::new());
            let encoder = TiffEncoder::new(&mut bytes).unwrap();
            let mut encoder = encoder.with_compression(compression).with_predictor(predictor);
            encoder.write_image::<GrayI16>(width, height, &samples).unwrap();
            let elevation = open(bytes.get_ref());
            let turned =
                samples.chunks_exact(width as usize).rev().flatten().map(|sample| f32::from(*sample));
            assert!(turned.eq(elevation.posts.iter().copied()), "{predictor:?}");
        }
    }
}
