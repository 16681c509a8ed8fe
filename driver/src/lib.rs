//! The fpgacc command
