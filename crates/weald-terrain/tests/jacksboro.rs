//! The elevation of the example world, which is in the repository.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::path::PathBuf;

use weald_terrain::{
    Anchor, Crs, Elevation, GeoreferenceError, GeoreferenceSettings, Quantization, ReadOptions, Registration,
    SampleType, VerticalUnit, Warning, georeference, read,
};

fn path() -> PathBuf {
    PathBuf::from("../../worlds/data/jacksboro.tif")
}

fn jacksboro() -> Elevation {
    read(&path(), &ReadOptions::default()).unwrap()
}

fn anchored(anchor: Anchor) -> GeoreferenceSettings {
    GeoreferenceSettings { anchor, ..GeoreferenceSettings::default() }
}

#[test]
fn it_is_read_as_gdal_reads_it() {
    let elevation = jacksboro();
    assert_eq!((elevation.width, elevation.height, elevation.sample), (403, 344, SampleType::I16));
    let stats = elevation.stats;
    assert_eq!((stats.min, stats.max, stats.valid, stats.void), (236.0, 1076.0, 138_632, 0));
    assert!((stats.mean - 531.031_168_849_904_8).abs() < 1e-9, "{}", stats.mean);
    assert_eq!(elevation.crs, Crs::Geographic { epsg: Some(4326) });
    assert_eq!(elevation.vertical_unit, VerticalUnit::Metre);
    assert_eq!(elevation.placement.unwrap().registration, Registration::Area);
    let Quantization::Stepped { step, levels: Some(levels) } = elevation.quantization else {
        panic!("not stepped")
    };
    assert!(step == 1.0 && levels <= 841, "{step} {levels}");
    assert_eq!(elevation.warnings, Vec::<Warning>::new());
    let third = 1.0 / 1200.0;
    let wanted = [third, 0.0, -84.41375, 0.0, -third, 36.732_916_666_666_67];
    for (found, wanted) in elevation.file_from_pixel_corner().unwrap().into_iter().zip(wanted) {
        assert!((found - wanted).abs() < 1e-9, "{found} {wanted}");
    }
    // The first post of the source, in its north-west corner.
    assert_eq!(elevation.height_at(0, 343), 483.0);
}

#[test]
fn its_posts_lie_in_metres_around_the_middle() {
    let local = georeference(&jacksboro(), &GeoreferenceSettings::default()).unwrap();
    let grid = &local.grid;
    assert_eq!(grid.posts.len(), 403 * 344);
    let (first, last) = (grid.place(0, 0), grid.place(402, 343));
    assert!((first + last).abs().max_element() < 1e-6, "{first} {last}");
    // 402 steps along the middle parallel and 343 along a meridian, as geodesics after Vincenty (1975).
    assert!((last.x - first.x - 29_978.409).abs() < 0.1, "{}", last.x - first.x);
    assert!((last.y - first.y - 31_718.916).abs() < 0.1, "{}", last.y - first.y);
    let distortion = local.distortion.unwrap();
    assert!(distortion > 10.0 && distortion < 40.0, "{distortion}");
}

#[test]
fn an_anchor_moves_the_grid_and_a_post_at_the_anchor_is_zero() {
    let elevation = jacksboro();
    let origin = elevation.placement.unwrap().origin;
    let by_degrees =
        georeference(&elevation, &anchored(Anchor::Degrees { lon: origin.x, lat: origin.y })).unwrap();
    let by_file = georeference(&elevation, &anchored(Anchor::File { x: origin.x, y: origin.y })).unwrap();
    assert_eq!(by_degrees, by_file);
    assert_eq!(by_degrees.grid.origin.to_array(), [0.0, 0.0]);
    let pole = georeference(&elevation, &anchored(Anchor::Degrees { lon: 0.0, lat: 90.0 }));
    assert!(matches!(pole, Err(GeoreferenceError::Anchor { .. })), "{pole:?}");
    let nowhere = georeference(&elevation, &anchored(Anchor::File { x: f64::NAN, y: 0.0 }));
    assert!(matches!(nowhere, Err(GeoreferenceError::Anchor { .. })), "{nowhere:?}");
}

#[test]
fn its_report_is_complete() {
    let mut report = jacksboro().report();
    report.source.name = "jacksboro.tif".to_owned();
    let text = report.to_string();
    for part in [
        "jacksboro.tif: GeoTIFF, i16, Deflate, predictor 2, strips",
        "size      403 × 344 posts",
        "range     236 to 1076, mean 531.031 m",
        "voids     0 of 138632 posts",
        "place     degrees, EPSG:4326, pixel is area, north row first",
        "changed   rows turned to run from south to north",
    ] {
        assert!(text.contains(part), "{part:?} is not in\n{text}");
    }
}
