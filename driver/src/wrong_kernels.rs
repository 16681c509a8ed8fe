//! Kernels with errors, where the device has a compiler of its own. The host may never build them: it may
//! look for an extension first, or live without one kernel file of several. So they end no build; the
//! device's compiler refuses them when the host does build them, as it would without fpgacc.

use fpgacc_frontend::diag::{Diagnostic, Severity};

/// What the preprocessor said, as warnings.
pub fn as_warnings(diagnostics: &str) -> String {
    diagnostics
        .replace("fatal error: ", "warning: ")
        .replace("error: ", "warning: ")
}

/// An error, as a warning.
pub fn as_warning(mut error: Diagnostic) -> Diagnostic {
    error.severity = Severity::Warning;
    error
}

/// What becomes of the program.
pub fn left_to_device(program: &str) -> Diagnostic {
    let message = format!("'{program}' has errors: none of its kernels is rewritten");
    Diagnostic::warning(message)
        .note("it goes to the device's own compiler as it is, if the host builds it at all")
}
