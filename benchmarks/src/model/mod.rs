//! Judging the performance model on measurements of others: kernels from a checkout, measured times
//! from a table, launches from `model/launches.yaml`.

pub mod blind;
mod boyi;
mod cases;
pub mod choices;
mod clocks;
mod data;
mod deciding;
mod error;
pub mod everything;
pub mod experts;
pub(crate) mod facts;
mod joint;
mod judge;
pub(crate) mod kernels;
mod launched_program;
mod launches;
mod left_out;
pub mod needleman_wunsch;
pub mod optimum;
mod pairs;
mod points;
pub mod replay;
mod report;
mod report_sources;
pub mod rodinia_fpga;
pub mod spector;
pub mod thesis;
mod why;

pub use boyi::{Request, run};
pub use error::ModelError;
pub use judge::{Family, Judgement, judge};
pub use points::Point;
