//! Decodes one strip or tile of a TIFF: unpack, undo the predictor, take the samples of one band.
//!
//! TIFF 6.0, sections 8 (PackBits), 13 (LZW) and 14 (horizontal predictor); Deflate and the floating-point predictor
//! after Adobe's *Photoshop TIFF Technical Notes* (2002) and its note 3 (2005). The codecs are libraries. A block is
//! unpacked whole, to the byte that its posts need; the checksum of Deflate is verified even where the stream goes on
//! behind the last post.

use std::borrow::Cow;
use std::io::{self, Read as _};

use crate::elevation::SampleType;
use crate::error::Fault;
use crate::gather::Gather;
use crate::layout::{Compression, Layout};

/// Decodes the block at this place in the list of `layout`, whose bytes are known to lie inside the file, into `gather`.
pub(crate) fn decode(
    layout: &Layout,
    place: usize,
    file: &[u8],
    big_endian: bool,
    gather: &mut Gather,
) -> Result<(), Fault> {
    let block = layout.blocks[place];
    let stored = &file[block.at as usize..(block.at + block.length) as usize];
    let needs = layout.block_bytes(layout.stored_rows(place)) as usize;
    let unpacked = unpack(layout, stored, needs).map_err(|fault| match fault {
        Fault::Damaged { what } => Fault::Damaged { what: format!("{} {what}", layout.block_name(block)) },
        other => other,
    })?;

    let (x, first_row) = layout.block_origin(place);
    let (bands, bytes) = (layout.bands_in_block, layout.sample.bytes());
    let skip = if bands > 1 { usize::from(layout.band - 1) * bytes } else { 0 };
    let row_bytes = layout.block_width * bands * bytes;
    let mut row = vec![0; row_bytes];
    for (offset, line) in unpacked.chunks_exact(row_bytes).take(layout.height - first_row).enumerate() {
        row.copy_from_slice(line);
        let big_endian = undo_predictor(layout, line, &mut row, big_endian);
        let samples = row.chunks_exact(bands * bytes);
        let values = samples.map(|post| number(layout.sample, &post[skip..skip + bytes], big_endian));
        gather.row(x, first_row + offset, values);
    }
    Ok(())
}

fn unpack<'a>(layout: &Layout, stored: &'a [u8], needs: usize) -> Result<Cow<'a, [u8]>, Fault> {
    match layout.compression {
        Compression::None => Ok(Cow::Borrowed(&stored[..needs])),
        Compression::PackBits => pack_bits(stored, needs).map(Cow::Owned),
        Compression::Lzw => lzw(stored, needs).map(Cow::Owned),
        Compression::Deflate => {
            let most_behind = layout.block_bytes(layout.block_height);
            deflate(stored, needs, most_behind).map(Cow::Owned)
        }
    }
}

fn too_short(found: usize, needs: usize) -> Fault {
    Fault::damaged(format_args!("unpacks to {found} bytes of the {needs} that its posts need"))
}

fn deflate(stored: &[u8], needs: usize, most_behind: u64) -> Result<Vec<u8>, Fault> {
    let broken = |error: io::Error| Fault::damaged(format_args!("cannot be unpacked: {error}"));
    let mut stream = flate2::read::ZlibDecoder::new(stored);
    let mut unpacked = vec![0; needs];
    let mut found = 0;
    while found < needs {
        match stream.read(&mut unpacked[found..]).map_err(broken)? {
            0 => return Err(too_short(found, needs)),
            more => found += more,
        }
    }
    let behind = io::copy(&mut stream.take(most_behind + 1), &mut io::sink()).map_err(broken)?;
    if behind > most_behind {
        return Err(Fault::damaged(format_args!(
            "unpacks to more than twice the {needs} bytes that its posts need"
        )));
    }
    Ok(unpacked)
}

fn lzw(stored: &[u8], needs: usize) -> Result<Vec<u8>, Fault> {
    if let [0, second, ..] = stored
        && second & 1 == 1
    {
        return Err(Fault::not_read(
            "TIFF with LZW codes in reversed bits, as before TIFF 5",
            "LZW of TIFF 6.0",
        ));
    }
    let mut decoder = weezl::decode::Decoder::with_tiff_size_switch(weezl::BitOrder::Msb, 8);
    let mut unpacked = vec![0; needs];
    let (mut read, mut found) = (0, 0);
    while found < needs {
        let step = decoder.decode_bytes(&stored[read..], &mut unpacked[found..]);
        read += step.consumed_in;
        found += step.consumed_out;
        match step.status {
            Err(error) => return Err(Fault::damaged(format_args!("cannot be unpacked: {error}"))),
            Ok(weezl::LzwStatus::Done | weezl::LzwStatus::NoProgress) if found < needs => {
                return Err(too_short(found, needs));
            }
            Ok(_) if step.consumed_in == 0 && step.consumed_out == 0 => return Err(too_short(found, needs)),
            Ok(_) => {}
        }
    }
    Ok(unpacked)
}

fn pack_bits(mut stored: &[u8], needs: usize) -> Result<Vec<u8>, Fault> {
    let mut unpacked = Vec::with_capacity(needs);
    while unpacked.len() < needs {
        let [length, rest @ ..] = stored else {
            return Err(too_short(unpacked.len(), needs));
        };
        let length = i32::from(*length as i8);
        stored = match length {
            -128 => rest,
            0.. => {
                let count = length as usize + 1;
                let Some((bytes, rest)) = rest.split_at_checked(count) else {
                    return Err(too_short(unpacked.len(), needs));
                };
                unpacked.extend(bytes);
                rest
            }
            _ => {
                let [byte, rest @ ..] = rest else {
                    return Err(too_short(unpacked.len(), needs));
                };
                unpacked.resize(unpacked.len() + (1 - length) as usize, *byte);
                rest
            }
        };
    }
    unpacked.truncate(needs);
    Ok(unpacked)
}

/// Undoes the predictor of a row, `line` as it is stored and `row` a copy of it, and returns whether the samples in
/// `row` then start with their highest byte.
fn undo_predictor(layout: &Layout, line: &[u8], row: &mut [u8], big_endian: bool) -> bool {
    let (bands, bytes) = (layout.bands_in_block, layout.sample.bytes());
    match layout.predictor {
        2 => {
            match bytes {
                1 => add_previous::<1>(row, bands, big_endian),
                2 => add_previous::<2>(row, bands, big_endian),
                4 => add_previous::<4>(row, bands, big_endian),
                _ => add_previous::<8>(row, bands, big_endian),
            }
            big_endian
        }
        3 => {
            let mut planes = line.to_vec();
            for at in bands..planes.len() {
                planes[at] = planes[at].wrapping_add(planes[at - bands]);
            }
            let count = planes.len() / bytes;
            for (at, sample) in row.chunks_exact_mut(bytes).enumerate() {
                for (plane, byte) in sample.iter_mut().enumerate() {
                    *byte = planes[plane * count + at];
                }
            }
            true
        }
        _ => big_endian,
    }
}

/// Adds to each sample of `N` bytes the one before it in the same band, without carry out of the sample.
fn add_previous<const N: usize>(row: &mut [u8], bands: usize, big_endian: bool) {
    for start in (bands * N..row.len()).step_by(N) {
        let before = start - bands * N;
        let mut carry = 0;
        for place in 0..N {
            let byte = if big_endian { N - 1 - place } else { place };
            let sum = u16::from(row[start + byte]) + u16::from(row[before + byte]) + carry;
            row[start + byte] = sum as u8;
            carry = sum >> 8;
        }
    }
}

fn number(sample: SampleType, bytes: &[u8], big_endian: bool) -> f64 {
    let add = |bits: u64, byte: &u8| bits << 8 | u64::from(*byte);
    let bits = if big_endian { bytes.iter().fold(0, add) } else { bytes.iter().rev().fold(0, add) };
    match sample {
        SampleType::U8 | SampleType::U16 | SampleType::U32 => bits as f64,
        SampleType::I8 => f64::from(bits as u8 as i8),
        SampleType::I16 => f64::from(bits as u16 as i16),
        SampleType::I32 => f64::from(bits as u32 as i32),
        SampleType::F16 => half(bits as u16),
        SampleType::F32 => f64::from(f32::from_bits(bits as u32)),
        SampleType::F64 => f64::from_bits(bits),
    }
}

/// The value of an IEEE 754 half-precision number.
fn half(bits: u16) -> f64 {
    let (exponent, fraction) = (bits >> 10 & 31, bits & 1023);
    let amount = match (exponent, fraction) {
        (0, _) => f64::from(fraction) / f64::from(1 << 24),
        (31, 0) => f64::INFINITY,
        (31, _) => f64::NAN,
        _ => f64::from_bits(u64::from(exponent + 1023 - 15) << 52 | u64::from(fraction) << 42),
    };
    if bits >> 15 == 1 { -amount } else { amount }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_floats_have_their_values() {
        let known = [
            (0x0000, 0.0),
            (0x3c00, 1.0),
            (0xc000, -2.0),
            (0x7bff, 65504.0),
            (0x0001, 1.0 / 16_777_216.0),
            (0x0400, 1.0 / 16_384.0),
            (0x3555, 0.333_251_953_125),
            (0xfc00, f64::NEG_INFINITY),
        ];
        for (bits, value) in known {
            assert_eq!(half(bits), value, "{bits:04x}");
        }
        assert!(half(0x7e00).is_nan());
    }

    #[test]
    fn pack_bits_runs_and_literals_are_unpacked() {
        // The example of TIFF 6.0, section 9.
        let stored =
            [0xfe, 0xaa, 0x02, 0x80, 0x00, 0x2a, 0xfd, 0xaa, 0x03, 0x80, 0x00, 0x2a, 0x22, 0x80, 0xf7, 0xaa];
        let unpacked = pack_bits(&stored, 24).expect("it is whole");
        assert_eq!(unpacked[..6], [0xaa, 0xaa, 0xaa, 0x80, 0x00, 0x2a]);
        assert_eq!(unpacked[6..14], [0xaa, 0xaa, 0xaa, 0xaa, 0x80, 0x00, 0x2a, 0x22]);
        assert_eq!(unpacked[14..], [0xaa; 10]);
        assert!(pack_bits(&stored, 25).is_err());
    }
}
