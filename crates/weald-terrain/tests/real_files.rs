//! Real elevation files against what GDAL reads from them.
//!
//! The files are not part of the repository: `WEALD_DATA` names the folder that holds `elevation/` with `oracle.json`.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use weald_terrain::{
    Elevation, Fault, GeoreferenceSettings, ReadOptions, RowOrder, SampleType, VoidPolicy, georeference,
    read, read_bytes,
};

/// What GDAL reads from a file.
#[derive(Deserialize)]
struct Oracle {
    file: String,
    #[serde(default)]
    width: usize,
    #[serde(default)]
    height: usize,
    #[serde(default)]
    dtype: String,
    #[serde(default)]
    transform: Option<[f64; 6]>,
    #[serde(default)]
    crs: Option<String>,
    #[serde(default)]
    area_or_point: Option<String>,
    #[serde(default)]
    scale: Option<f64>,
    #[serde(default)]
    offset: Option<f64>,
    #[serde(default)]
    valid: usize,
    #[serde(default)]
    void: usize,
    #[serde(default)]
    min: Option<f64>,
    #[serde(default)]
    max: Option<f64>,
    #[serde(default)]
    mean: Option<f64>,
}

const COVERED: [&str; 26] = [
    "N00E010_utm.tif",
    "all_nodata.tif",
    "cog_scale_offset.tif",
    "elev_nonsquare_f32.tif",
    "etopo1_1deg.tif",
    "eudem_bigtiff.TIF",
    "eudem_no_epsg.tif",
    "f64.tif",
    "float_nan.tif",
    "float_nodata.tif",
    "fp16_predictor3.tif",
    "grey16.png",
    "grey16_interlaced.png",
    "int16.tif",
    "model_transformation.tif",
    "pixel_is_area.tif",
    "pixel_is_point.tif",
    "predictor3_f32.tif",
    "same_terrain_16bit.png",
    "seq-1c-16b-bigendian-68f373a0.tiff",
    "seq-1c-16b-deflate-68f373a0.tiff",
    "seq-1c-16b-lzw-68f373a0.tiff",
    "seq-1c-16b-multistrip-68f373a0.tiff",
    "seq-1c-16b-tiled-68f373a0.tiff",
    "seq-1c-32f-deflate-fpredict-390fe673.tiff",
    "south_up.tif",
];

const TILED_I8: &str = "tiled_i8_predictor2.tif";

/// Pictures: refused, unless a band is named.
const PICTURES: [&str; 4] =
    ["bigtiff_big_endian.tif", "elev_rgb_encoded.tif", "mapbox_rgb.png", "terrarium.png"];

/// Not covered, and what the error must say.
const REFUSED: [(&str, &str); 18] = [
    ("N00E010.hgt", "SRTM .hgt files are not read yet"),
    ("N00E011.hgt.zip", "zip files are not read yet"),
    ("N10W110_zeros.hgt.zip", "zip files are not read yet"),
    ("N41E001.hgt.zip", "zip files are not read yet"),
    ("N48W125_srtm1_voids.hgt.zip", "zip files are not read yet"),
    ("california.lerc2", "LERC files are not read yet"),
    ("corrupt.tif", "JPEG (which changes heights) compression is not read"),
    ("fractional_corner.asc", "ESRI ASCII grid files are not read yet"),
    ("header_order_no_nodata.asc", "ESRI ASCII grid files are not read yet"),
    ("hugo_site.asc", "ESRI ASCII grid files are not read yet"),
    ("int16_zstd.tif", "Zstandard compression is not read"),
    ("nodata_999_negatives.asc", "ESRI ASCII grid files are not read yet"),
    ("nodata_zero.asc", "ESRI ASCII grid files are not read yet"),
    ("rotated_30deg.tif", "rotated by 30.000°"),
    ("rotated_geomatrix.tif", "rotated by -73.301°"),
    ("same_terrain_float.exr", "OpenEXR files are not read yet"),
    ("same_terrain_half.exr", "OpenEXR files are not read yet"),
    ("uppercase_keys.asc", "ESRI ASCII grid files are not read yet"),
];

/// The folder of elevation files; none, said aloud, where the data are absent and not required.
fn data() -> Option<PathBuf> {
    let required = std::env::var("WEALD_REQUIRE").unwrap_or_default().split(',').any(|what| what == "data");
    let folder = std::env::var_os("WEALD_DATA").filter(|folder| !folder.is_empty());
    let elevation = folder.map(|folder| Path::new(&folder).join("elevation"));
    match elevation.filter(|folder| folder.join("oracle.json").is_file()) {
        Some(folder) => Some(folder),
        None if required => {
            panic!("WEALD_REQUIRE asks for data, but WEALD_DATA names no folder with elevation/oracle.json")
        }
        None => {
            eprintln!(
                "SKIPPED: real elevation files are absent (WEALD_DATA names no folder with elevation/oracle.json)"
            );
            None
        }
    }
}

fn oracle(folder: &Path) -> BTreeMap<String, Oracle> {
    let text = std::fs::read_to_string(folder.join("oracle.json")).unwrap();
    let list: Vec<Oracle> = serde_json::from_str(&text).unwrap();
    list.into_iter().map(|entry| (entry.file.clone(), entry)).collect()
}

fn open(folder: &Path, file: &str) -> Elevation {
    read(&folder.join(file), &ReadOptions::default()).unwrap_or_else(|error| panic!("{error}"))
}

fn close(found: f64, wanted: f64, tolerance: f64) -> bool {
    (found - wanted).abs() <= tolerance * wanted.abs().max(1.0)
}

fn check(elevation: &Elevation, oracle: &Oracle) {
    let file = &oracle.file;
    assert_eq!((elevation.width, elevation.height), (oracle.width, oracle.height), "{file}");
    let dtype = match elevation.sample {
        SampleType::U8 => "uint8",
        SampleType::I8 => "int8",
        SampleType::U16 => "uint16",
        SampleType::I16 => "int16",
        SampleType::U32 => "uint32",
        SampleType::I32 => "int32",
        SampleType::F16 | SampleType::F32 => "float32",
        SampleType::F64 => "float64",
    };
    assert_eq!(dtype, oracle.dtype, "{file}");
    assert_eq!((elevation.stats.valid, elevation.stats.void), (oracle.valid, oracle.void), "{file}");
    let voids = elevation.posts.iter().filter(|post| post.is_nan()).count();
    assert_eq!(voids, oracle.void, "{file}");
    let stats = [elevation.stats.min, elevation.stats.max].map(|value| (!value.is_nan()).then_some(value));
    assert_eq!(stats, [oracle.min, oracle.max], "{file}");
    let mean = oracle.mean.unwrap_or(f64::NAN);
    let both_absent = elevation.stats.mean.is_nan() && mean.is_nan();
    assert!(
        both_absent || close(elevation.stats.mean, mean, 1e-6),
        "{file}: {} {mean}",
        elevation.stats.mean
    );
    check_place(elevation, oracle);
    let scaling = elevation.scaling.map_or((1.0, 0.0), |scaling| (scaling.scale, scaling.offset));
    assert_eq!(scaling, (oracle.scale.unwrap_or(1.0), oracle.offset.unwrap_or(0.0)), "{file}");
}

fn check_place(elevation: &Elevation, oracle: &Oracle) {
    let file = &oracle.file;
    let wanted = oracle.transform.unwrap_or_else(|| panic!("{file} has no transform"));
    match elevation.file_from_pixel_corner() {
        None => assert_eq!(wanted, [1.0, 0.0, 0.0, 0.0, 1.0, 0.0], "{file}"),
        Some(found) => {
            for (found, wanted) in found.into_iter().zip(wanted) {
                assert!(close(found, wanted, 1e-12), "{file}: {found} {wanted}");
            }
        }
    }
    if let (Some(placement), Some(registration)) = (elevation.placement, &oracle.area_or_point) {
        assert_eq!(&format!("{:?}", placement.registration), registration, "{file}");
    }
    // GDAL finds these by comparing parameters with its register; the file carries no code.
    let unnamed = ["eudem_no_epsg.tif"];
    let code =
        oracle.crs.as_deref().and_then(|crs| crs.strip_prefix("EPSG:")).map(|code| code.parse().unwrap());
    if !unnamed.contains(&file.as_str()) {
        assert_eq!(elevation.crs.epsg(), code, "{file}");
    }
}

#[test]
fn every_file_is_covered_or_refused_by_name() {
    let Some(folder) = data() else { return };
    let mut listed: Vec<&str> = COVERED.to_vec();
    listed.push(TILED_I8);
    listed.extend(PICTURES);
    listed.extend(REFUSED.map(|(file, _)| file));
    listed.sort_unstable();
    let oracle = oracle(&folder);
    let there: Vec<&str> = oracle.keys().map(String::as_str).collect();
    assert_eq!(listed, there);
}

#[test]
fn covered_files_equal_the_oracle() {
    let Some(folder) = data() else { return };
    let oracle = oracle(&folder);
    for file in COVERED.into_iter().chain([TILED_I8]) {
        check(&open(&folder, file), &oracle[file]);
    }
}

#[test]
fn pictures_are_refused_and_their_first_band_is_read_when_asked_for() {
    let Some(folder) = data() else { return };
    let oracle = oracle(&folder);
    for file in PICTURES {
        let path = folder.join(file);
        let error = read(&path, &ReadOptions::default()).expect_err(file);
        assert!(matches!(error.fault, Fault::Colour { .. }), "{error}");
        let first = ReadOptions { band: Some(1), ..ReadOptions::default() };
        check(&read(&path, &first).unwrap(), &oracle[file]);
    }
}

#[test]
fn files_that_are_not_covered_say_why() {
    let Some(folder) = data() else { return };
    for (file, why) in REFUSED {
        let error = read(&folder.join(file), &ReadOptions::default()).expect_err(file).to_string();
        assert!(error.contains(why), "{error}");
        assert!(error.ends_with(file), "{error}");
    }
}

/// The numbers in their names are the same where the samples are; what exactly they are the checksum of is not told, so
/// the samples are compared with one another and with the sequence that they hold.
#[test]
fn one_sequence_in_many_layouts_has_the_same_samples() {
    let Some(folder) = data() else { return };
    let sequence = |file: &str| {
        let elevation = open(&folder, file);
        let rows = elevation.posts.chunks_exact(elevation.width).rev();
        rows.flatten().copied().collect::<Vec<f32>>()
    };
    let whole: Vec<f32> = (0..=255_u8).map(f32::from).collect();
    let shares: Vec<f32> = whole.iter().map(|value| value / 255.0).collect();
    for file in COVERED {
        if file.starts_with("seq-1c-16b") {
            assert_eq!(sequence(file), whole, "{file}");
        } else if file.starts_with("seq-1c-32f") {
            assert_eq!(sequence(file), shares, "{file}");
        }
    }
}

#[test]
fn the_same_tie_point_lies_half_a_pixel_apart_as_area_and_as_point() {
    let Some(folder) = data() else { return };
    let [area, point, matrix] = ["pixel_is_area.tif", "pixel_is_point.tif", "model_transformation.tif"]
        .map(|file| open(&folder, file).placement.unwrap());
    assert_eq!((area.origin - point.origin).to_array(), [500.0, -500.0]);
    assert_eq!(area.origin, matrix.origin);
}

#[test]
fn interlaced_and_plain_pictures_agree() {
    let Some(folder) = data() else { return };
    assert_eq!(open(&folder, "grey16.png").posts, open(&folder, "grey16_interlaced.png").posts);
}

#[test]
fn south_up_files_keep_their_rows() {
    let Some(folder) = data() else { return };
    let placement = open(&folder, "south_up.tif").placement.unwrap();
    assert_eq!(placement.row_order, RowOrder::SouthFirst);
    assert_eq!(placement.origin.to_array(), [-179.75, -89.75]);
}

#[test]
fn cut_files_are_errors_or_whole() {
    let Some(folder) = data() else { return };
    for file in COVERED.into_iter().chain([TILED_I8]) {
        let bytes = std::fs::read(folder.join(file)).unwrap();
        let bits =
            |elevation: Elevation| elevation.posts.iter().map(|post| post.to_bits()).collect::<Vec<u32>>();
        let whole = bits(read_bytes(file, &bytes, &ReadOptions::default()).unwrap());
        let even = (0..24).map(|part| bytes.len() * part / 24);
        let ends = (1..9).map(|cut| bytes.len() - cut);
        for cut in even.chain(ends).chain(0..20) {
            if let Ok(part) = read_bytes(file, &bytes[..cut], &ReadOptions::default()) {
                assert!(bits(part) == whole, "{file} cut at {cut} of {} differs", bytes.len());
            }
        }
    }
}

/// The scale of UTM makes the grid of degrees and the grid of metres cover the same ground within some posts.
#[test]
fn the_same_terrain_in_degrees_and_in_utm_has_the_same_extent_in_metres() {
    let Some(folder) = data() else { return };
    let utm = open(&folder, "N00E010_utm.tif");
    let fill = GeoreferenceSettings { voids: VoidPolicy::Fill, ..GeoreferenceSettings::default() };
    let local = georeference(&utm, &fill).unwrap();
    assert_eq!(local.filled, 112);
    assert!(local.grid.posts.iter().all(|post| (1.0..=1005.0).contains(post)));
    let refused = georeference(&utm, &GeoreferenceSettings::default()).unwrap_err().to_string();
    assert!(refused.starts_with("112 of 1442385 posts are void, the first in column"), "{refused}");
    // One degree on the equator is 111.32 km east and 110.57 km north.
    let size = local.grid.place(utm.width - 1, utm.height - 1) - local.grid.place(0, 0);
    assert!(close(size.x, 111_320.0, 2e-3) && close(size.y, 110_574.0, 2e-3), "{size}");
}

#[test]
fn web_mercator_posts_get_their_true_distance() {
    let Some(folder) = data() else { return };
    let local =
        georeference(&open(&folder, "elev_nonsquare_f32.tif"), &GeoreferenceSettings::default()).unwrap();
    // One step east and one step north around the middle, at 37.8019° north, as geodesics after Vincenty (1975).
    let step = local.grid.step;
    assert!(close(step.x, 5.317_823_219, 1e-7) && close(step.y, 4.773_391_389, 1e-7), "{step}");
    assert!(local.distortion.unwrap() < 2.0, "{:?}", local.distortion);
}
