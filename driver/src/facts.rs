//! Launch facts of a run: analysed, and given by the user.

use fpgacc_frontend::diag::Diagnostic;
use fpgacc_frontend::source::SourceMap;
use fpgacc_host_analysis::syntax::parse_all;
use fpgacc_host_analysis::{Analysis, Arguments};
use fpgacc_launch_facts::{Facts, Known, Location, ProgramSource};

use crate::compiled::Compiled;
use crate::gather::Gathered;
use crate::given;
use crate::hosts;
use crate::nearly::nearest;
use crate::options::Mode;
use crate::recorded;
use crate::session::{Session, Step};
use crate::trace::widen;

/// What is known of all hosts together.
pub struct OfHosts {
    /// Their programs, buffers and launches.
    pub facts: Facts,
    /// What they pass to kernels.
    pub arguments: Vec<Arguments>,
}

/// The facts of all hosts together. What the user gave about a call wins over what was analysed.
pub fn of(session: &mut Session, gathered: &Gathered) -> Step<OfHosts> {
    let mut sources = std::mem::take(&mut session.sources);
    let units = gathered.hosts.iter();
    let units: Vec<_> = units.map(|unit| hosts::add(unit, &mut sources)).collect();
    let hosts = parse_all(&sources, &units);
    let Analysis {
        mut facts,
        arguments,
        diagnostics,
    } = fpgacc_host_analysis::analyse(&hosts, &sources);
    session.sources = sources;
    // A program of which nothing is for the device, such as the probes of configure scripts, is cc's.
    let is_plain = gathered.kernels.is_empty() && facts.programs.is_empty();
    let is_linked = matches!(session.options.mode, Mode::Link | Mode::Verify);
    for diagnostic in diagnostics {
        let is_of_launches = diagnostic.option.as_deref() == Some("-Wlaunch");
        if !(is_plain && is_linked && is_of_launches) {
            session.report(diagnostic);
        }
    }
    for given in gathered
        .given
        .iter()
        .filter(|one| !recorded::is_recorded(one))
    {
        given::apply(session, &mut facts, given)?;
    }
    let mut runs = Facts::default();
    for given in gathered
        .given
        .iter()
        .filter(|one| recorded::is_recorded(one))
    {
        widen::add(&mut runs, given.clone());
    }
    for given in &gathered.given {
        given::take_models(session, &mut facts, given)?;
        given::take_tuned(session, &mut facts, given)?;
    }
    for warning in recorded::apply(&mut facts, &runs) {
        session.report(warning);
    }
    Ok(OfHosts { facts, arguments })
}

/// Whether a host loads texts of kernels from files.
fn loads_files(facts: &Facts) -> bool {
    let mut sources = facts.programs.iter().filter_map(|one| one.sources.get());
    let is_file = |source: &ProgramSource| matches!(source, ProgramSource::File(_));
    sources.any(|sources| sources.iter().any(is_file))
}

/// Warns of launches of kernels that do not exist, and of kernels that nothing launches.
pub fn warn_about_launches(session: &mut Session, facts: &Facts, compiled: &[Compiled]) {
    if facts.launches.is_empty() {
        return;
    }
    let kernels: Vec<(&str, Option<_>)> = compiled
        .iter()
        .filter_map(|compiled| compiled.rewritten.parsed.as_ref())
        .flat_map(|module| {
            module.kernels().map(|id| {
                (
                    module.functions[id].name.as_str(),
                    module.functions[id].span,
                )
            })
        })
        .collect();
    if compiled.iter().any(|compiled| compiled.rewritten.untouched) {
        return;
    }
    let mut diagnostics = Vec::new();
    // The user knows already that a file is missing.
    let launches = &facts.launches[..];
    let launches = if kernels.is_empty() && loads_files(facts) {
        &[]
    } else {
        launches
    };
    for launch in launches {
        for name in launch.kernels.get().into_iter().flatten() {
            if !kernels.iter().any(|(known, _)| known == name) {
                let message = format!("'{name}' is launched, but no kernel file defines it");
                let warning = at_site(Diagnostic::warning(message), &session.sources, &launch.site);
                let names = kernels.iter().map(|(known, _)| *known);
                diagnostics.push(match nearest(name, names) {
                    Some(meant) => warning.help(format!("did you mean '{meant}'?")),
                    None => warning.help("give fpgacc the kernel file that defines it"),
                });
            }
        }
    }
    let all_known = facts
        .launches
        .iter()
        .all(|l| matches!(l.kernels, Known::Is(_)));
    let launched = |name: &str| {
        let mut names = facts
            .launches
            .iter()
            .filter_map(|l| l.kernels.get())
            .flatten();
        names.any(|launched| launched == name)
    };
    for (name, span) in kernels
        .iter()
        .filter(|(name, _)| all_known && !launched(name))
    {
        let mut warning = Diagnostic::warning(format!(
            "no launch of kernel '{name}' was found in the hosts"
        ));
        if let Some(span) = span {
            warning = warning.at(*span);
        }
        diagnostics.push(warning.note("it is compiled without launch facts"));
    }
    for diagnostic in diagnostics {
        session.report(diagnostic);
    }
}

/// A diagnostic placed at a call, if its file is at hand.
pub fn at_site(diagnostic: Diagnostic, sources: &SourceMap, site: &Location) -> Diagnostic {
    match sources.find(&site.file) {
        Some(file) => diagnostic.at(sources.line_span(file, site.line)),
        None => diagnostic.note(format!("launched at {site}")),
    }
}
