//! The weald command.

fn main() {}
