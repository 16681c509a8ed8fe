//! Whole OpenCL programs, and the runner that builds each with and without fpgacc, runs both on
//! every OpenCL platform, compares all that they read back and tables the result.
//!
//! `programs.yaml` describes the programs ([`catalog`]). [`trial`] is what happens with one program
//! on one platform ([`platform`]): build ([`build`]), run ([`execute`]), compare ([`readback`]).
//! [`table`] prints the rows, [`certify`] runs the originals under Oclgrind.
//! [`accounts`] holds the analysis of their launches against what runs show, [`verification`] runs
//! programs of others under `fpgacc --verify`, [`suite`] builds them with default options and with gcc ([`differences`]). [`stages`]
//! and [`generate`] measure fpgacc itself, [`syntax`] the whole command. [`geometry`] holds predicted sizes of
//! work-groups against measured ones, [`counters`] what `fpgacc check` says against a GPU's counters, [`gains`] tables what fpgacc expects to gain,
//! [`variants`] what coarsening and vectors gain on GPUs and processors.

pub mod accounts;
pub mod build;
pub mod catalog;
pub mod certify;
pub mod chart;
pub mod check_sites;
pub mod check_truth;
pub mod counters;
pub mod differences;
pub mod execute;
pub mod gains;
pub mod generate;
pub mod geometry;
mod means;
pub mod model;
pub mod platform;
pub mod readback;
pub mod stages;
pub mod suite;
pub mod syntax;
pub mod table;
pub mod trial;
pub mod variants;
pub mod verification;
