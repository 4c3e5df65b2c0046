//! Every wrong input gives one clear error. The texts are part of the interface.

use std::path::Path;

use crate::tiff_writer::{Kind, Layout, Value, write};
use weald_terrain::{ReadOptions, read, read_bytes};

fn message(bytes: &[u8]) -> String {
    read_bytes("alps.tif", bytes, &ReadOptions::default()).expect_err("this is not to be read").to_string()
}

fn good() -> Vec<u8> {
    write(&Layout { rows_per_strip: 2, ..Layout::default() }, Kind::Signed(2), 4, &[5.0; 24])
}

fn with_tag(tag: u16, value: Value) -> Vec<u8> {
    write(&Layout { tags: vec![(tag, value)], ..Layout::default() }, Kind::Signed(2), 4, &[5.0; 24])
}

#[test]
fn files_that_cannot_be_opened_say_why() {
    let missing = read(Path::new("no/such/alps.tif"), &ReadOptions::default()).unwrap_err().to_string();
    assert_eq!(
        missing,
        "cannot read the elevation file: No such file or directory (os error 2): no/such/alps.tif"
    );
    let folder = read(Path::new("."), &ReadOptions::default()).unwrap_err().to_string();
    assert!(folder.starts_with("cannot read the elevation file: Is a directory"), "{folder}");
}

#[test]
fn files_of_other_formats_are_named() {
    let not_read =
        |format: &str| format!("{format} files are not read yet (GeoTIFF and grey PNG are): alps.tif");
    assert_eq!(message(b""), "the elevation file is empty: alps.tif");
    assert_eq!(
        message(b"hello world, not a raster"),
        "not an elevation file that is read here (GeoTIFF, grey PNG): it begins with \"hello world,\": alps.tif"
    );
    assert_eq!(
        message(&[1, 2, 3, 255]),
        "not an elevation file that is read here (GeoTIFF, grey PNG): it begins with 01 02 03 ff: alps.tif"
    );
    assert_eq!(message(b"  NCOLS 4\nnrows 2\n"), not_read("ESRI ASCII grid"));
    assert_eq!(message(b"\x76\x2f\x31\x01rest"), not_read("OpenEXR"));
    assert_eq!(message(b"PK\x03\x04rest"), not_read("zip"));
    assert_eq!(message(&vec![0; 1201 * 1201 * 2]), not_read("SRTM .hgt"));
}

#[test]
fn cut_files_say_what_is_missing_and_how_much() {
    let good = good();
    let length = good.len();
    assert_eq!(
        message(&good[..6]),
        "the file is cut off: the header ends at byte 8, the file at byte 6: alps.tif"
    );
    assert_eq!(
        message(&good[..100]),
        format!(
            "the file is cut off: the list of tags ends at byte {}, the file at byte 100: alps.tif",
            length - 24
        )
    );
    let offsets = message(&good[..length - 20]);
    assert!(offsets.contains("the value of tag 273 ends at byte"), "{offsets}");
    let mut moved = good.clone();
    let strip = moved[length - 24..].iter().position(|byte| *byte == 24).unwrap() + length - 24;
    moved[strip] = 0xff;
    moved[strip + 1] = 0xff;
    assert_eq!(
        message(&moved),
        format!("the file is cut off: strip 1 ends at byte 65551, the file at byte {length}: alps.tif")
    );
}

#[test]
fn what_is_not_read_is_told_with_what_is() {
    for (code, name) in [(50000, "Zstandard"), (34887, "LERC"), (7, "JPEG (which changes heights)")] {
        let mut bytes = good();
        set(&mut bytes, 259, code);
        assert_eq!(
            message(&bytes),
            format!(
                "TIFF with {name} compression is not read (read are: uncompressed, PackBits, LZW, Deflate): alps.tif"
            )
        );
    }
    let mut bytes = good();
    set(&mut bytes, 258, 12);
    assert_eq!(
        message(&bytes),
        "TIFF with signed integers of 12 bits is not read (read are: integers of 8, 16 and 32 bits, floats of 16, 32 \
         and 64 bits): alps.tif"
    );
    let colour = Layout { bands: 3, photometric: 2, ..Layout::default() };
    let colour = write(&colour, Kind::Unsigned(1), 2, &[9.0; 12]);
    assert_eq!(
        message(&colour),
        "RGB TIFF is a picture, not heights; heights packed in RGB are not read yet, convert them to one band of 16 or \
         32 bits, or name one band to read as it is: alps.tif"
    );
    let options = ReadOptions { band: Some(4), ..ReadOptions::default() };
    assert_eq!(
        read_bytes("alps.tif", &colour, &options).unwrap_err().to_string(),
        "band 4 was asked for, but there are bands 1 to 3: alps.tif"
    );
}

#[test]
fn declared_sizes_are_compared_with_limits_before_anything_is_allocated() {
    let mut bytes = good();
    set(&mut bytes, 256, 4_000_000_000);
    set(&mut bytes, 257, 4_000_000_000);
    assert_eq!(message(&bytes), "16000000000000000000 posts are more than the limit of 400000000: alps.tif");
    let mut bytes =
        write(&Layout { tile: Some((16, 16)), ..Layout::default() }, Kind::Signed(2), 4, &[5.0; 24]);
    set(&mut bytes, 322, 4_000_000_000);
    set(&mut bytes, 323, 4_000_000_000);
    let tile = message(&bytes);
    assert!(tile.contains("bytes of one tile are more than the limit of 2147483648"), "{tile}");
    let options = ReadOptions { max_bytes: 100, ..ReadOptions::default() };
    let file = Path::new("Cargo.toml");
    let large = read(file, &options).unwrap_err().to_string();
    assert!(large.contains("bytes are more than the limit of 100"), "{large}");
}

#[test]
fn georeferences_that_cannot_be_used_say_why() {
    let points = with_tag(33922, Value::Double(vec![1.0; 18]));
    assert_eq!(
        message(&points),
        "the georeference cannot be used: it is 3 control points without a regular grid; warp it first: alps.tif"
    );
    let nodata = with_tag(42113, Value::Text("none".to_owned()));
    assert_eq!(
        message(&nodata),
        "the file is damaged: its nodata value is \"none\", which is not a number: alps.tif"
    );
    let radians = with_tag(34735, Value::Short(vec![1, 1, 0, 2, 1024, 0, 1, 2, 2054, 0, 1, 9101]));
    assert_eq!(
        message(&radians),
        "the georeference cannot be used: its unit of angles is EPSG:9101; only degrees are read: alps.tif"
    );
    let options = ReadOptions { spacing: Some(-3.0), ..ReadOptions::default() };
    assert_eq!(
        read_bytes("alps.tif", &good(), &options).unwrap_err().to_string(),
        "the georeference cannot be used: a spacing of -3 m is not a positive number: alps.tif"
    );
}

/// Sets the value of a tag with one number, in a little-endian classic TIFF.
fn set(bytes: &mut [u8], tag: u16, value: u32) {
    let start = u32::from_le_bytes(bytes[4..8].try_into().unwrap()) as usize;
    let count = usize::from(u16::from_le_bytes(bytes[start..start + 2].try_into().unwrap()));
    let entry = (0..count)
        .map(|index| start + 2 + 12 * index)
        .find(|&at| bytes[at..at + 2] == tag.to_le_bytes())
        .expect("the tag is there");
    bytes[entry + 8..entry + 12].copy_from_slice(&value.to_le_bytes());
}
