//! Files that the tests write themselves, good and bad.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod errors;
mod layouts;
mod tiff_writer;
