//! Launch facts of a run: analysed, and given by the user.

use fpgacc_frontend::diag::Diagnostic;
use fpgacc_frontend::source::SourceMap;
use fpgacc_host_analysis::syntax::parse_all;
use fpgacc_host_analysis::{Analysis, Arguments, AskedKernel};
use fpgacc_kernel_analysis::alias::called_functions;
use fpgacc_launch_facts::{Facts, Location, ProgramSource};

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
    /// The kernels that they ask for by name.
    pub asked: Vec<AskedKernel>,
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
        asked,
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
    Ok(OfHosts {
        facts,
        arguments,
        asked,
    })
}

/// Whether a host loads texts of kernels from files.
fn loads_files(facts: &Facts) -> bool {
    let mut sources = facts.programs.iter().filter_map(|one| one.sources.get());
    let is_file = |source: &ProgramSource| matches!(source, ProgramSource::File(_));
    sources.any(|sources| sources.iter().any(is_file))
}

/// Warns of launches of kernels that do not exist and of asking for them, and of kernels that nothing
/// launches.
pub fn warn_about_launches(session: &mut Session, hosts: &OfHosts, compiled: &[Compiled]) {
    let facts = &hosts.facts;
    if facts.launches.is_empty() || compiled.iter().any(|one| one.rewritten.untouched) {
        return;
    }
    let modules = compiled
        .iter()
        .filter_map(|one| one.rewritten.parsed.as_ref());
    let kernels = modules.flat_map(|module| module.kernels().map(|id| &module.functions[id]));
    let kernels: Vec<&str> = kernels.map(|one| one.name.as_str()).collect();
    let mut diagnostics = Vec::new();
    // The user knows already that a file is missing.
    if !(kernels.is_empty() && loads_files(facts)) {
        diagnostics.extend(launched_undefined(facts, &session.sources, &kernels));
        diagnostics.extend(asked_undefined(hosts, &kernels));
    }
    diagnostics.extend(never_launched(facts, compiled));
    for diagnostic in diagnostics {
        session.report(diagnostic);
    }
}

fn is_launched(facts: &Facts, name: &str) -> bool {
    let known = facts.launches.iter().filter_map(|one| one.kernels.get());
    known.flatten().any(|launched| launched == name)
}

fn launched_undefined(facts: &Facts, sources: &SourceMap, kernels: &[&str]) -> Vec<Diagnostic> {
    let launched = facts.launches.iter().flat_map(|launch| {
        let names = launch.kernels.get().into_iter().flatten();
        names.map(|name| (&launch.site, name))
    });
    let undefined = launched.filter(|(_, name)| !is_defined(kernels, name));
    undefined
        .map(|(site, name)| {
            let message = format!("'{name}' is launched, but no kernel file defines it");
            let warning = at_site(Diagnostic::warning(message), sources, site);
            with_remedy(warning, name, kernels)
        })
        .collect()
}

/// Those that are launched are reported there. A program of which the text is not known may define any.
fn asked_undefined(hosts: &OfHosts, kernels: &[&str]) -> Vec<Diagnostic> {
    let mut programs = hosts.facts.programs.iter();
    if programs.any(|program| program.sources.get().is_none()) {
        return Vec::new();
    }
    let asked = hosts.asked.iter();
    let undefined = asked.filter(|asked| {
        !is_defined(kernels, &asked.name) && !is_launched(&hosts.facts, &asked.name)
    });
    undefined
        .map(|asked| {
            let name = &asked.name;
            let message = format!("no kernel is named '{name}'");
            let warning = Diagnostic::warning(message).at(asked.site);
            let warning = warning.note("the call returns CL_INVALID_KERNEL_NAME");
            with_remedy(warning, name, kernels)
        })
        .collect()
}

fn is_defined(kernels: &[&str], name: &str) -> bool {
    kernels.contains(&name)
}

/// A warning of a name that no kernel has, with what may be meant.
fn with_remedy(warning: Diagnostic, name: &str, kernels: &[&str]) -> Diagnostic {
    match nearest(name, kernels.iter().copied()) {
        Some(meant) => warning.help(format!("did you mean '{meant}'?")),
        None => warning.help("give fpgacc the kernel file that defines it"),
    }
}

/// Kernels that nothing launches, and no other kernel calls.
fn never_launched(facts: &Facts, compiled: &[Compiled]) -> Vec<Diagnostic> {
    let mut launches = facts.launches.iter();
    if launches.any(|launch| launch.kernels.get().is_none()) {
        return Vec::new();
    }
    let modules = compiled
        .iter()
        .filter_map(|one| one.rewritten.parsed.as_ref());
    let mut found = Vec::new();
    for module in modules {
        let called = called_functions(module);
        let kernels = module.kernels().filter(|id| !called.contains(id));
        let functions = kernels.map(|id| &module.functions[id]);
        for function in functions.filter(|one| !is_launched(facts, &one.name)) {
            let name = &function.name;
            let message = format!("no launch of kernel '{name}' was found in the hosts");
            let warning = Diagnostic::warning(message);
            let warning = match function.span {
                Some(span) => warning.at(span),
                None => warning,
            };
            found.push(warning.note("it is compiled without launch facts"));
        }
    }
    found
}

/// A diagnostic placed at a call, if its file is at hand.
pub fn at_site(diagnostic: Diagnostic, sources: &SourceMap, site: &Location) -> Diagnostic {
    match sources.find(&site.file) {
        Some(file) => diagnostic.at(sources.line_span(file, site.line)),
        None => diagnostic.note(format!("launched at {site}")),
    }
}
