//! Writes TIFFs in every layout that the reader claims, from the specification and not from the library that the reader
//! uses, so that an error shared by a library's writer and reader shows.

use std::io::Write as _;

/// The kinds of samples, as (format, bytes).
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Kind {
    Unsigned(usize),
    Signed(usize),
    Float(usize),
}

impl Kind {
    pub(crate) const ALL: [Kind; 8] = [
        Kind::Unsigned(1),
        Kind::Signed(1),
        Kind::Unsigned(2),
        Kind::Signed(2),
        Kind::Unsigned(4),
        Kind::Signed(4),
        Kind::Float(4),
        Kind::Float(8),
    ];

    pub(crate) fn bytes(self) -> usize {
        let (Kind::Unsigned(bytes) | Kind::Signed(bytes) | Kind::Float(bytes)) = self;
        bytes
    }

    /// The value that random bits stand for: whole and within range for integers, finite for floats.
    pub(crate) fn value(self, bits: u64) -> f64 {
        match self {
            Kind::Unsigned(bytes) => (bits >> (64 - 8 * bytes)) as f64,
            Kind::Signed(bytes) => ((bits as i64) >> (64 - 8 * bytes)) as f64,
            Kind::Float(4) => f64::from(((bits >> 20) as f32 - 8e12) / 1024.0),
            Kind::Float(_) => (bits >> 11) as f64 / 65536.0 - 1e9,
        }
    }

    fn bits(self, value: f64) -> u64 {
        match self {
            Kind::Unsigned(_) => value as u64,
            Kind::Signed(bytes) => value as i64 as u64 & (u64::MAX >> (64 - 8 * bytes)),
            Kind::Float(4) => u64::from((value as f32).to_bits()),
            Kind::Float(_) => value.to_bits(),
        }
    }

    fn format(self) -> u64 {
        match self {
            Kind::Unsigned(_) => 1,
            Kind::Signed(_) => 2,
            Kind::Float(_) => 3,
        }
    }
}

/// How a picture is laid down in a file.
#[derive(Clone, Debug)]
pub(crate) struct Layout {
    pub(crate) big_endian: bool,
    pub(crate) big_tiff: bool,
    /// Width and height of tiles; none for strips.
    pub(crate) tile: Option<(usize, usize)>,
    pub(crate) rows_per_strip: usize,
    pub(crate) bands: usize,
    pub(crate) planar: bool,
    pub(crate) compression: u64,
    pub(crate) predictor: u64,
    pub(crate) photometric: u64,
    pub(crate) tags: Vec<(u16, Value)>,
}

impl Default for Layout {
    fn default() -> Self {
        Layout {
            big_endian: false,
            big_tiff: false,
            tile: None,
            rows_per_strip: usize::MAX,
            bands: 1,
            planar: false,
            compression: 1,
            predictor: 1,
            photometric: 1,
            tags: Vec::new(),
        }
    }
}

/// The value of a tag.
#[derive(Clone, Debug)]
pub(crate) enum Value {
    Short(Vec<u64>),
    Long(Vec<u64>),
    Double(Vec<f64>),
    Text(String),
}

/// The bytes of a file with these samples, given row by row from the top, in each post band by band.
pub(crate) fn write(layout: &Layout, kind: Kind, width: usize, samples: &[f64]) -> Vec<u8> {
    let bands = layout.bands;
    let height = samples.len() / bands / width;
    let (block_width, block_height) = layout.tile.unwrap_or((width, layout.rows_per_strip.min(height)));
    let mut file = header(layout);
    let (mut offsets, mut lengths) = (Vec::new(), Vec::new());
    let planes: Vec<Vec<usize>> =
        if layout.planar { (0..bands).map(|band| vec![band]).collect() } else { vec![(0..bands).collect()] };
    for plane in &planes {
        for top in (0..height).step_by(block_height) {
            let rows = if layout.tile.is_some() { block_height } else { block_height.min(height - top) };
            for left in (0..width).step_by(block_width) {
                let mut block = Vec::new();
                for y in top..top + rows {
                    let mut row = Vec::new();
                    for x in left..left + block_width {
                        for band in plane {
                            let inside = x < width && y < height;
                            row.push(if inside { samples[(y * width + x) * bands + band] } else { 77.0 });
                        }
                    }
                    block.extend(row_bytes(layout, kind, &row, plane.len()));
                }
                let packed = compress(layout.compression, &block);
                offsets.push(file.len() as u64);
                lengths.push(packed.len() as u64);
                file.extend(packed);
            }
        }
    }
    let mut tags = vec![
        (256, Value::Long(vec![width as u64])),
        (257, Value::Long(vec![height as u64])),
        (258, Value::Short(vec![8 * kind.bytes() as u64; bands])),
        (259, Value::Short(vec![layout.compression])),
        (262, Value::Short(vec![layout.photometric])),
        (277, Value::Short(vec![bands as u64])),
        (284, Value::Short(vec![if layout.planar { 2 } else { 1 }])),
        (317, Value::Short(vec![layout.predictor])),
        (339, Value::Short(vec![kind.format(); bands])),
    ];
    match layout.tile {
        Some((width, height)) => tags.extend([
            (322, Value::Long(vec![width as u64])),
            (323, Value::Long(vec![height as u64])),
            (324, Value::Long(offsets)),
            (325, Value::Long(lengths)),
        ]),
        None => tags.extend([
            (273, Value::Long(offsets)),
            (278, Value::Long(vec![block_height as u64])),
            (279, Value::Long(lengths)),
        ]),
    }
    tags.extend(layout.tags.iter().cloned());
    tags.sort_by_key(|(tag, _)| *tag);
    directory(layout, &mut file, &tags);
    file
}

fn number(layout: &Layout, value: u64, bytes: usize) -> Vec<u8> {
    if layout.big_endian {
        value.to_be_bytes()[8 - bytes..].to_vec()
    } else {
        value.to_le_bytes()[..bytes].to_vec()
    }
}

fn header(layout: &Layout) -> Vec<u8> {
    let mut file = if layout.big_endian { b"MM".to_vec() } else { b"II".to_vec() };
    if layout.big_tiff {
        for (value, bytes) in [(43, 2), (8, 2), (0, 2), (0, 8)] {
            file.extend(number(layout, value, bytes));
        }
    } else {
        file.extend(number(layout, 42, 2));
        file.extend([0; 4]);
    }
    file
}

fn row_bytes(layout: &Layout, kind: Kind, row: &[f64], bands: usize) -> Vec<u8> {
    let bytes = kind.bytes();
    let bits: Vec<u64> = row.iter().map(|value| kind.bits(*value)).collect();
    match layout.predictor {
        2 => {
            let before = |i: usize| if i < bands { 0 } else { bits[i - bands] };
            let step = |i: usize| bits[i].wrapping_sub(before(i)) & (u64::MAX >> (64 - 8 * bytes));
            (0..bits.len()).flat_map(|i| number(layout, step(i), bytes)).collect()
        }
        3 => {
            let planes: Vec<u8> = (0..bytes)
                .rev()
                .flat_map(|byte| bits.iter().map(move |bits| (bits >> (8 * byte)) as u8))
                .collect();
            (0..planes.len())
                .map(|i| planes[i].wrapping_sub(if i < bands { 0 } else { planes[i - bands] }))
                .collect()
        }
        _ => bits.iter().flat_map(|bits| number(layout, *bits, bytes)).collect(),
    }
}

fn compress(compression: u64, block: &[u8]) -> Vec<u8> {
    match compression {
        1 => block.to_vec(),
        5 => lzw_of_single_bytes(block),
        8 | 32946 => {
            let mut encoder = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::default());
            encoder.write_all(block).unwrap();
            encoder.finish().unwrap()
        }
        32773 => {
            block.chunks(128).flat_map(|run| [vec![run.len() as u8 - 1], run.to_vec()].concat()).collect()
        }
        other => panic!("compression {other}"),
    }
}

/// LZW that only ever writes single bytes, clearing its table before codes grow to 10 bits.
fn lzw_of_single_bytes(block: &[u8]) -> Vec<u8> {
    let mut codes = vec![256_u16];
    for (i, byte) in block.iter().enumerate() {
        if i > 0 && i % 200 == 0 {
            codes.push(256);
        }
        codes.push(u16::from(*byte));
    }
    codes.push(257);
    let mut packed = vec![0_u8; (codes.len() * 9).div_ceil(8)];
    for (i, code) in codes.iter().enumerate() {
        for bit in 0..9 {
            let at = i * 9 + bit;
            packed[at / 8] |= ((code >> (8 - bit) & 1) as u8) << (7 - at % 8);
        }
    }
    packed
}

fn directory(layout: &Layout, file: &mut Vec<u8>, tags: &[(u16, Value)]) {
    let (head, pointer) = if layout.big_tiff { (8, 8) } else { (2, 4) };
    let start = file.len();
    let field = if layout.big_tiff { 8 } else { 4 };
    file.splice(field..field + pointer, number(layout, start as u64, pointer));
    let mut values_at = start + head + tags.len() * (4 + 2 * pointer) + pointer;
    let mut values = Vec::new();
    file.extend(number(layout, tags.len() as u64, head));
    for (tag, value) in tags {
        let (kind, count, mut bytes) = match value {
            Value::Short(list) => (3, list.len(), list.iter().flat_map(|v| number(layout, *v, 2)).collect()),
            Value::Long(list) => (4, list.len(), list.iter().flat_map(|v| number(layout, *v, 4)).collect()),
            Value::Double(list) => {
                (12, list.len(), list.iter().flat_map(|v| number(layout, v.to_bits(), 8)).collect())
            }
            Value::Text(text) => (2, text.len() + 1, [text.as_bytes(), &[0]].concat()),
        };
        file.extend(number(layout, u64::from(*tag), 2));
        file.extend(number(layout, kind, 2));
        file.extend(number(layout, count as u64, pointer));
        if bytes.len() <= pointer {
            bytes.resize(pointer, 0);
            file.extend(bytes);
        } else {
            file.extend(number(layout, values_at as u64, pointer));
            values_at += bytes.len();
            values.extend(bytes);
        }
    }
    file.extend(number(layout, 0, pointer));
    file.extend(values);
}
