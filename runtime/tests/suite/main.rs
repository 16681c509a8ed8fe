//! The runtime linked into hosts of all kinds, run on the Intel FPGA emulator and on PoCL.

mod arguments;
mod chosen;
mod coarsened;
mod hosts;
mod identity;
mod in_a_row;
mod launches;
mod objects;
mod programs;
mod support;
mod unseen;
mod versions;
