//! What is there: fields as data, compiled to tapes and evaluated over slices.
