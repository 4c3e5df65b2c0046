//! Set-up, gates and goldens.

fn main() {}
