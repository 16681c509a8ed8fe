//! Hosts to launch facts; patches of host sources.

pub mod patch;
