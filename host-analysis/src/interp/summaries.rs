//! What is kept of functions and loops: all that their texts and earlier calls say of them.

use std::cell::{OnceCell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use fpgacc_frontend::source::Span;

use super::code::FnId;
use super::mentions::Mentions;
use super::{error_checks, modifies, opencl_free};
use crate::syntax::ast::StmtId;

/// Answers to questions about functions and loops, each found once.
#[derive(Default)]
pub(crate) struct Summaries {
    /// What functions mention.
    pub mentions: RefCell<BTreeMap<FnId, Rc<Mentions>>>,
    /// The same of all functions of a name, unless one of them cannot be summed up.
    pub plain: RefCell<BTreeMap<String, Option<Rc<Mentions>>>>,
    /// Answers of `Interp::opencl_free_function`, by host and name.
    pub plain_known: BTreeMap<(usize, String), Option<Rc<opencl_free::Summary>>>,
    /// What is known of loops, by host, part and body.
    pub loop_texts: BTreeMap<(usize, usize, StmtId), Rc<opencl_free::LoopText>>,
    pub error_checks: BTreeMap<FnId, Option<Rc<error_checks::ErrorCheck>>>,
    pub outcomes: BTreeMap<FnId, error_checks::Outcomes>,
    /// Loops that took too long to be followed round by round, and the fewest rounds of each.
    pub too_long: BTreeMap<(usize, Span), i128>,
    pub labels: BTreeMap<FnId, Rc<BTreeSet<String>>>,
    /// Answers of `Interp::modified_by`.
    pub modified: BTreeMap<FnId, Rc<modifies::Modified>>,
    /// Answers of `Interp::globals_modified_by`.
    pub modified_globals: BTreeMap<FnId, Rc<modifies::ModifiedGlobals>>,
    /// Functions whose address is taken somewhere, once somebody asked for them.
    pub taken: OnceCell<Rc<BTreeSet<FnId>>>,
}
