//! What is reported of all trials, for people and for other programs.

mod account;
mod effect;
mod page;
mod t1;
mod t4;
mod table;

pub use account::Account;
pub use effect::{Effect, effects};
pub use page::page;
pub use t1::{Program, t1};
pub use t4::t4;
pub use table::{csv, json};
