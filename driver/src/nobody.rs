//! Names on the command line that nothing has: kernels of `-fexecution-model=`, and passes of `-Rpass=`.

use fpgacc_device_passes::passes;
use fpgacc_device_passes::pipeline::GENERAL;
use fpgacc_frontend::diag::Diagnostic;

use crate::compiled::Compiled;
use crate::nearly::did_you_mean;
use crate::options::Options;
use crate::session::Session;

/// Who reports, besides passes.
const REPORTERS: [&str; 3] = ["decision", GENERAL, "host-analysis"];

/// Warns of requested models of kernels that none of the programs has.
pub fn warn_about_kernels(session: &mut Session, compiled: &[Compiled]) {
    let modules: Option<Vec<_>> = compiled
        .iter()
        .map(|one| one.rewritten.parsed.as_ref())
        .collect();
    // Names of kernels that were not looked at are not known.
    let Some(modules) = modules else { return };
    let names = modules.iter().flat_map(|module| {
        let kernels = module.kernels();
        kernels.map(|id| module.functions[id].name.as_str())
    });
    let names: Vec<&str> = names.collect();
    let requested = session.options.requested.kernels.keys();
    let unknown = requested.filter(|kernel| !names.contains(&kernel.as_str()));
    let warnings: Vec<Diagnostic> = unknown
        .map(|kernel| {
            let message = format!("-fexecution-model={kernel}: there is no kernel '{kernel}'");
            let known: Vec<String> = names.iter().map(|name| format!("'{name}'")).collect();
            let warning = did_you_mean(Diagnostic::warning(message), kernel, names.iter().copied());
            warning.note(format!("the kernels are {}", known.join(", ")))
        })
        .collect();
    for warning in warnings {
        session.report(warning);
    }
}

/// Warnings of `-Rpass=`, `-Rpass-missed=` and `-Rpass-analysis=` that ask for what nobody reports.
pub fn of_remarks(options: &Options) -> Vec<Diagnostic> {
    let names = || {
        let passes = passes::ALL.iter().map(|pass| pass.name());
        passes.chain(REPORTERS)
    };
    let asked = [
        ("-Rpass", &options.remarks),
        ("-Rpass-missed", &options.missed_remarks),
        ("-Rpass-analysis", &options.analysis_remarks),
    ];
    let asked = asked
        .into_iter()
        .filter_map(|(option, asked)| Some((option, asked.as_ref()?)));
    let unheard = asked.filter(|(_, asked)| !names().any(|name| asked.has(name)));
    unheard
        .map(|(option, asked)| {
            let asked = asked.text();
            let message = format!("{option}={asked}: no pass has such a name");
            let warning = did_you_mean(Diagnostic::warning(message), asked, names());
            warning.help("fpgacc --print-passes lists them")
        })
        .collect()
}
