//! Which of many variants of a program is the fastest, found by building and measuring few of them.
//!
//! - `space`: parameters, their values, and which combinations there are.
//! - `space_file`: spaces as files that users write.
//! - `trial`: what became of a point of a space.
//! - `journal`: trials as lines of text, which survive whatever ends the process that writes them.
//! - `strategy`: which points are tried next, by what is known of those before.
//! - `pool`: the part of a large space that is looked at.
//! - `compare`: whether a variant is faster beyond noise.
//! - `correction`: what measured times of some variants say of those of others.
//! - `front`: points that no other beats in every objective.
//! - `replay`: strategies on spaces that were measured whole, to judge them.
//! - `results`: what is reported of all trials, for people and for other programs.
//!
//! Nothing here starts a process, opens a file or reads a clock: the same trials give the same next points, so
//! that a search that was cut off goes on as if it had not been.

pub mod compare;
pub mod correction;
pub mod front;
pub mod journal;
pub mod pool;
pub mod replay;
pub mod results;
pub mod space;
pub mod space_file;
pub mod strategy;
pub mod trial;

mod random;
