//! For tests only: shapes, worlds, goldens, image comparison.
