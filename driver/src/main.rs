//! The fpgacc command.

mod cli;
mod kernel_options;
mod messages;
mod options;
mod programs;
mod unit;

fn main() {}
