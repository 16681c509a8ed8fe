//! Builds as an array of jobs of a Slurm cluster.

use fpgacc_frontend::diag::Diagnostic;
use fpgacc_tuning::trial::Failure;

use super::build::Job;
use super::progress::Progress;

/// Builds points on the cluster; their failures, in order.
pub fn all(
    _jobs: &[Job],
    _words: &[String],
    _options: &str,
    _progress: &Progress,
) -> Result<Vec<Option<Failure>>, Diagnostic> {
    Err(Diagnostic::error("not yet"))
}
