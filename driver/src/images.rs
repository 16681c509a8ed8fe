//! Kernels with images: Intel's FPGA emulator has none.

use fpgacc_aoc_wrappers::backend::Backend;
use fpgacc_frontend::diag::Diagnostic;
use fpgacc_frontend::ir::{Module, Type};
use fpgacc_frontend::source::Span;

use crate::compiled::Compiled;
use crate::kernel_options::identifiers;
use crate::session::Session;

/// Says at the build what would only show when the program runs: that it cannot make its images.
pub fn warn(session: &mut Session, backend: &Backend, compiled: &[Compiled]) {
    if backend.kind() != "intel" {
        return;
    }
    for Compiled { program, rewritten } in compiled {
        let warnings = match &rewritten.parsed {
            Some(module) => of_module(module),
            None => of_text(&program.name(), &program.text())
                .into_iter()
                .collect(),
        };
        for warning in warnings {
            let warning = warning
                .note("the program's own calls for images will fail there")
                .help("--platform=pocl runs it on PoCL, which has images");
            session.report(warning);
        }
    }
}

/// One for each kernel.
fn of_module(module: &Module) -> Vec<Diagnostic> {
    let found = module.kernels().filter_map(|id| {
        let kernel = &module.functions[id];
        let parameters = kernel.params.iter().map(|&param| &kernel.vars[param]);
        let mut images = parameters.filter(|parameter| {
            let ty = module.types.resolve(parameter.ty.ty);
            matches!(ty, Type::Opaque(name) if name.contains("image"))
        });
        let span = images.next()?.span.or(kernel.span);
        Some(warning(&format!("kernel '{}'", kernel.name), span))
    });
    found.collect()
}

/// Of a text that was not parsed.
fn of_text(name: &str, text: &str) -> Option<Diagnostic> {
    let names = identifiers(text);
    let mut images = names
        .iter()
        .filter(|name| name.starts_with("image") && name.ends_with("_t"));
    images.next()?;
    Some(warning(&format!("a kernel of '{name}'"), None))
}

fn warning(what: &str, span: Option<Span>) -> Diagnostic {
    let message = format!("{what} takes an image, and Intel's FPGA emulator has no images");
    let warning = Diagnostic::warning(message);
    match span {
        Some(span) => warning.at(span),
        None => warning,
    }
}
