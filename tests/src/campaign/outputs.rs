//! What programs of campaigns become, as text.

use super::case::rewrite_safely;
use crate::generate::Batch;
use crate::rewrite::{Knowledge, Rewrites};

/// A program in these forms: how each came about, and the kernels' text, their launches, and what the runtime
/// must do and check.
pub(super) fn of(batch: &Batch, forms: Vec<Rewrites>) -> Vec<(String, String)> {
    let knowledge = |name: &str| {
        let found = batch.kernels.iter().find(|kernel| kernel.name == name);
        found.map_or(Knowledge::Nothing, |kernel| kernel.knowledge)
    };
    let text = |form: &Rewrites| match rewrite_safely(&batch.job, knowledge, form) {
        Err(error) => error.to_string(),
        Ok(made) => format!(
            "{}\n{:#?}\n{:#?}\n",
            made.job.source, made.job.launches, made.contracts
        ),
    };
    let forms = forms.into_iter();
    forms
        .map(|form| (format!("{form:?}"), text(&form)))
        .collect()
}
