//! The fpgacc command.

mod cli;

fn main() {}
