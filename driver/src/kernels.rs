//! Kernels: preprocess, parse, rewrite, print.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use fpgacc_aoc_wrappers::c_text;
use fpgacc_aoc_wrappers::cc::{self, CcError, Language};
use fpgacc_aoc_wrappers::progress::{Display, Progress};
use fpgacc_decision::{Decided, Request, SearchTime};
use fpgacc_device_passes::instrumentation::lock::lock;
use fpgacc_device_passes::instrumentation::{emulator, pocl};
use fpgacc_device_passes::options::{Feature, General};
use fpgacc_device_passes::passes::geometry;
use fpgacc_device_passes::pipeline::{self, Pipeline, Report};
use fpgacc_frontend::diag::{Diagnostic, Severity};
use fpgacc_frontend::ir::{Function, Module};
use fpgacc_frontend::kernel::{self, LineDirectives, ParseError};
use fpgacc_frontend::source::{SourceMap, without_bom};
use fpgacc_host_analysis::syntax::strings;
use fpgacc_kernel_analysis::constant_memory;
use fpgacc_launch_facts::{Facts, Known};
use fpgacc_runtime::manifest;

use crate::ahead::Job;
use crate::aoc_report;
use crate::board;
use crate::compiled::Rewritten;
use crate::differing_macros;
use crate::expansion;
use crate::identity;
use crate::impossible;
use crate::left::Left;
use crate::line_marker;
use crate::local_sizes;
use crate::options::{Mode, Target};
use crate::programs::{self, Piece, Program, quoted};
use crate::run_time_headers;
use crate::session::{Session, Step, Stop};
use crate::signature;
use crate::times_file;
use crate::tool;
use crate::unit::{HostUnit, KernelUnit};
use crate::unknown_macros;
use crate::wrong_kernels;

/// Who builds programs when the executable runs.
#[derive(Clone, Copy)]
pub struct Builders<'a> {
    /// The hosts that are known.
    pub hosts: &'a [HostUnit],
    /// There may be others, of which nothing is known.
    pub are_others: bool,
    /// They build the program's text with other options, or other texts: what fails may be tried first, or be for
    /// another device.
    pub may_choose: bool,
}

/// What becomes of a program.
pub enum Outcome {
    /// It is compiled.
    Rewritten(Box<Rewritten>),
    /// The device's own compiler builds it when the host runs.
    LeftToDevice(Left),
}

/// Takes a program of these hosts through front end and passes, unless its headers or macros are not known
/// before the host runs.
pub fn rewrite_for(
    session: &mut Session,
    program: &Program,
    facts: &Facts,
    builders: Builders<'_>,
) -> Step<Outcome> {
    let hosts = builders.hosts;
    let made = run_preprocessor(session, program)?;
    // On a board there is no compiler.
    let may_wait = session.options.target == Target::Emulator && !hosts.is_empty();
    if !may_wait {
        let preprocessed = check_preprocessed(session, program, made)?;
        let rewritten = rewrite_preprocessed(session, program, facts, &preprocessed)?;
        return Ok(Outcome::Rewritten(Box::new(rewritten)));
    }
    let left = |left: Left| Ok(Outcome::LeftToDevice(left));
    if let Some(header) = run_time_headers::awaited(&made, hosts) {
        session.report(run_time_headers::warning(&program.name(), &header));
        return left(Left::Header(header));
    }
    let are_composed = builders.are_others || composes_options(facts);
    let may_be_given = !program.options_known && are_composed && !program.is_likely;
    if unknown_macros::asked_for(&made) && may_be_given {
        session.report(unknown_macros::left_to_device(&program.name(), &[]));
        return left(Left::Macros);
    }
    let builds = matches!(session.options.mode, Mode::Link | Mode::Verify);
    let wants_more = wrong_kernels::want_an_extension(&program.text());
    let may_fail = program.is_part || program.is_unused || builders.may_choose;
    let may_be_wrong = builds && (may_be_given || wants_more || may_fail);
    if let Err(error) = &made
        && let Some(text) = error.diagnostics()
        && let Some(why) = left_for_macros(session, program, text, may_be_wrong)
    {
        return left(why);
    }
    let preprocessed = check_preprocessed(session, program, made)?;
    let parsed = parse_text(session, program, &preprocessed.text);
    if let Err(ParseError::Invalid(errors)) = &parsed {
        if may_be_given && unknown_macros::explain_all(errors) {
            session.report(unknown_macros::left_to_device(&program.name(), errors));
            return left(Left::Macros);
        }
        if program.is_likely {
            return left(Left::Composed(errors.clone()));
        }
        if may_be_wrong {
            pass_on_warnings(session, &preprocessed);
            for error in errors {
                session.report(wrong_kernels::as_warning(error.clone()));
            }
            session.report(wrong_kernels::left_to_device(&program.name()));
            return left(Left::Errors);
        }
    }
    let (parsed, doubts) = match parsed {
        Err(ParseError::Invalid(errors)) if builds => (None, explained(program, errors)),
        parsed => (judge(session, program, parsed)?, Vec::new()),
    };
    let rewritten = rewrite_parsed(session, program, facts, &preprocessed, parsed)?;
    Ok(Outcome::Rewritten(Box::new(Rewritten {
        may_be_wrong,
        doubts,
        ..rewritten
    })))
}

/// Why the device's compiler builds a text that the preprocessor refuses, if it does; `text` is what the
/// preprocessor said.
fn left_for_macros(
    session: &mut Session,
    program: &Program,
    text: &str,
    may_be_wrong: bool,
) -> Option<Left> {
    // A header that is missing in a file is hardly one of a text that the host makes of it; what an `#error` asks
    // for is.
    if program.is_likely && (program.is_string() || text.contains("error: #error")) {
        if !program.is_string() {
            session.messages.pass_on(&wrong_kernels::as_warnings(text));
        }
        return Some(Left::Composed(Vec::new()));
    }
    if !may_be_wrong {
        return None;
    }
    session.messages.pass_on(&wrong_kernels::as_warnings(text));
    session.report(wrong_kernels::left_to_device(&program.name()));
    Some(Left::Errors)
}

/// Whether a host builds a program with options that only it knows, when it runs; so may one be whose text and
/// builds are not followed.
fn composes_options(facts: &Facts) -> bool {
    facts.programs.iter().any(|program| {
        let is_unseen = program.options.is_empty() && matches!(program.sources, Known::Unknown(_));
        let mut options = program.options.iter();
        is_unseen || options.any(|options| matches!(options, Known::Unknown(_)))
    })
}

/// Takes a program through front end and passes.
pub fn rewrite(session: &mut Session, program: &Program, facts: &Facts) -> Step<Rewritten> {
    let preprocessed = preprocess(session, program)?;
    rewrite_preprocessed(session, program, facts, &preprocessed)
}

/// What the front end does not take stays as it is, with a warning.
fn rewrite_preprocessed(
    session: &mut Session,
    program: &Program,
    facts: &Facts,
    preprocessed: &cc::Preprocessed,
) -> Step<Rewritten> {
    let parsed = parse(session, program, &preprocessed.text)?;
    rewrite_parsed(session, program, facts, preprocessed, parsed)
}

fn rewrite_parsed(
    session: &mut Session,
    program: &Program,
    facts: &Facts,
    preprocessed: &cc::Preprocessed,
    parsed: Option<Module>,
) -> Step<Rewritten> {
    let mut rewritten = Rewritten {
        may_be_wrong: false,
        doubts: Vec::new(),
        text: without_bom(&program.text()).to_string(),
        path: PathBuf::from(&program.pieces[0].name),
        untouched: true,
        manifest: identity::describe(program, &preprocessed.text),
        report: Report::default(),
        decisions: BTreeMap::new(),
        learned: None,
        constant_cache: None,
        parsed: None,
        module: None,
    };
    pass_on_warnings(session, preprocessed);
    let Some(mut module) = parsed else {
        return Ok(rewritten);
    };
    warn_of_macros(session, program, &preprocessed.text);
    let facts = &*impossible::without(facts, &module);
    let originals = module.clone();
    let decided = decide(session, &mut module, facts)?;
    if tool::runs_on_intel_emulator(&session.options) {
        let tasks = decided.report.tasks(&module);
        emulator::keep_divisions_in_place(&mut module, &tasks);
    }
    if tool::runs_on_pocl(&session.options) {
        let rewritten = decided.report.rewritten(&module);
        pocl::keep_loops_scalar(&mut module, &rewritten);
        pocl::keep_loops_rolled(&mut module, &rewritten);
    }
    rewritten.report = decided.report;
    rewritten.decisions = decided.decisions;
    rewritten.learned = decided.learned;
    if let Err(faults) = kernel::validate(&module) {
        session.report(fault_of_ours(&program.name(), &faults));
        module = originals.clone();
        rewritten.report = pipeline::run(&mut module, facts, &Pipeline::default());
        rewritten.decisions = BTreeMap::new();
    }
    for remark in &rewritten.report.remarks {
        session.report(remark.diagnostic());
        session.record.add(remark, &session.sources);
    }
    rewritten.manifest.kernels = Some(kernels(&originals, &rewritten.report));
    if specialises(session) {
        let launches = rewritten.report.launches_in(facts);
        rewritten.constant_cache = constant_memory::cache_bytes(&module, facts, &launches);
    }
    rewritten.parsed = Some(originals);
    rewritten.text = print(session, &module, LineDirectives::Needed)?;
    rewritten.module = Some(module);
    rewritten.untouched = false;
    Ok(rewritten)
}

/// Whether what launches pass goes into programs.
fn specialises(session: &Session) -> bool {
    let pipeline = &session.options.pipeline;
    pipeline::find_pass("specialise").is_ok_and(|pass| pipeline.runs(pass))
}

/// Says that forms of kernels are searched for, and how long that takes at most; `None`: no time worth it.
fn searching(session: &Session, module: &Module, pipeline: &Pipeline) -> Option<Display> {
    let options = &session.options;
    let kernels = module.kernels().count();
    let most = match options.search_time {
        SearchTime::Seconds(seconds) | SearchTime::Exhaustive(seconds) => {
            Duration::try_from_secs_f64(seconds * kernels as f64).ok()
        }
        SearchTime::Unlimited => None,
    };
    let what = match kernels {
        1 => "searching for the best form of a kernel".to_string(),
        _ => format!("searching for the best forms of {kernels} kernels"),
    };
    let progress = Progress::unless(options.quiet);
    (pipeline.level >= 3).then(|| Display::new(progress, &what, most))
}

/// Chooses each kernel's form and rewrites it.
fn decide(session: &mut Session, module: &mut Module, facts: &Facts) -> Step<Decided> {
    let board = board::of(session)?;
    aoc_report::load(session)?;
    times_file::load(session)?;
    let mut pipeline = pipeline_for_tool(session);
    let geometry: &mut geometry::Options = pipeline.options.of_mut();
    geometry.local_sizes = local_sizes::proposed(session, module, facts)?;
    let options = &session.options;
    let request = Request {
        board: &board,
        requested: &options.requested,
        fp_relaxed: options.is_fp_relaxed(),
        emulated: options.is_emulated(),
        on_gpu: options.on_gpu(),
        search_time: options.search_time,
        explain: options.explain,
        sources: &session.sources,
        measured: session.measured.as_ref(),
        times: session.times.as_deref().unwrap_or_default(),
    };
    let display = searching(session, module, &pipeline);
    let mut decided = fpgacc_decision::run(module, facts, &pipeline, &request);
    drop(display);
    if let Some(learned) = &decided.learned {
        let forms = |kernel: &str| {
            let forms = decided.decisions[kernel].candidates.iter();
            forms.map(|form| form.label.clone()).collect()
        };
        times_file::check_forms(session, learned, forms)?;
    }
    lock(module, &mut decided.report);
    for diagnostic in &decided.diagnostics {
        session.report(diagnostic.clone());
    }
    Ok(decided)
}

/// The passes, for the tool that builds the kernels. Where there is no tool yet, nothing is known of it.
fn pipeline_for_tool(session: &Session) -> Pipeline {
    let mut pipeline = session.options.pipeline.clone();
    let general = &mut pipeline.options.general;
    if *general == General::Assumed && session.options.is_emulated() {
        *general = General::Spare;
    }
    if let Some(tool) = tool::expected(&session.options) {
        pipeline.build_with(|feature| match feature {
            Feature::AlignValue => tool.knows_align_value(),
            Feature::LoopCoalesce => tool.knows_loop_coalesce(),
        });
    }
    pipeline
}

/// The passes made what is no OpenCL C: nobody's program must fail for that.
fn fault_of_ours(program: &str, faults: &[Diagnostic]) -> Diagnostic {
    let text = format!("{program}: fpgacc made kernels that it knows to be wrong, and drops them");
    let mut warning = Diagnostic::warning(text)
        .help("the kernels stay as they are; this is a fault of fpgacc: please report it");
    for fault in faults.iter().take(3) {
        warning = warning.note(fault.message.clone());
    }
    warning
}

/// A module as OpenCL C.
pub fn print(session: &mut Session, module: &Module, lines: LineDirectives) -> Step<String> {
    match kernel::validate(module) {
        Ok(valid) => Ok(kernel::print(&valid, &session.sources, lines)),
        Err(faults) => {
            for fault in faults {
                session.report(fault);
            }
            session.fail(
                Diagnostic::error("fpgacc made kernels that it knows to be wrong, and stops").help(
                    "this is a fault of fpgacc: please report it; --kernel-opt=0 leaves kernels as they are",
                ),
            )
        }
    }
}

/// The program's text after the preprocessor.
pub fn preprocess(session: &mut Session, program: &Program) -> Step<cc::Preprocessed> {
    let made = run_preprocessor(session, program)?;
    check_preprocessed(session, program, made)
}

fn check_preprocessed(
    session: &mut Session,
    program: &Program,
    made: Result<cc::Preprocessed, CcError>,
) -> Step<cc::Preprocessed> {
    if unknown_macros::asked_for(&made) && !program.options_known {
        let _ = session.check_cc(made);
        return session.fail(unknown_macros::error(&program.name()));
    }
    let made = session.check_cc(made)?;
    register_headers(session, &made.text);
    session.dependencies.add_preprocessed(&made.text);
    Ok(made)
}

fn run_preprocessor(
    session: &mut Session,
    program: &Program,
) -> Step<Result<cc::Preprocessed, CcError>> {
    // Nothing is to be said if there is none.
    session.compiler(Language::C)?;
    for piece in &program.pieces {
        register(&mut session.sources, piece);
    }
    let mut made = session.ahead.take(&job(program));
    if made
        .as_ref()
        .is_ok_and(|made| counts_lines(program, &made.text))
    {
        session.sources.add(program.name(), whole(program));
        made = session.ahead.take(&asked(program, true));
    }
    if let Err(CcError::TooLong { text }) = &made {
        register_headers(session, text);
        return session.fail(expansion::too_long(&session.sources, text));
    }
    Ok(made)
}

/// What is asked of the preprocessor for a program.
pub fn job(program: &Program) -> Job {
    asked(program, false)
}

/// The same, with its pieces apart or as one text.
fn asked(program: &Program, as_one: bool) -> Job {
    let others: Vec<&str> = program.options.others.iter().map(String::as_str).collect();
    let mut text = kernel::predefined(program.options.dialect(), &others);
    // The text stands after the predefined macros, and options before them.
    for name in &program.options.undefines {
        text.push_str(&format!("#undef {name}\n"));
    }
    match as_one {
        true => append(&mut text, &program.name(), &whole(program)),
        false => {
            for piece in &program.pieces {
                append(&mut text, &piece.name, without_bom(&piece.text));
            }
        }
    }
    if !text.ends_with('\n') {
        text.push('\n');
    }
    Job::Kernels {
        path: path_of(&program.pieces[0]),
        text,
        defines: program.options.defines.clone(),
        includes: program.include_folders(),
    }
}

/// A piece that fpgacc puts before a text.
pub const OWN_PIECE: &str = "<device>";

/// Whether a text of several pieces, preprocessed with its macros, says `__LINE__`: its lines are those of the whole
/// text.
fn counts_lines(program: &Program, preprocessed: &str) -> bool {
    let asks = |text: &str| text.contains("__LINE__");
    let pieces = &program.pieces;
    let is_own = |piece: &Piece| piece.name == OWN_PIECE;
    if pieces.len() < 2 || pieces.iter().any(is_own) {
        return false;
    }
    let mut lines = preprocessed.lines();
    pieces.iter().any(|piece| asks(&piece.text))
        || lines.any(|line| line.starts_with("#define ") && asks(line))
}

/// The text of all pieces, as one.
fn whole(program: &Program) -> String {
    let pieces = program.pieces.iter();
    pieces.map(|piece| without_bom(&piece.text)).collect()
}

/// Appends a piece of a program, whose first line may go on with the last one of the text before. Its lines are
/// numbered from the first that is its own.
fn append(text: &mut String, name: &str, piece: &str) {
    let is_open = |text: &str| !text.ends_with('\n') || text.ends_with("\\\n");
    let (mut rest, mut line) = (piece, 1);
    while !text.is_empty() && is_open(text) && !rest.is_empty() {
        let end = rest.find('\n').map_or(rest.len(), |end| end + 1);
        text.push_str(&rest[..end]);
        (rest, line) = (&rest[end..], line + 1);
    }
    if !rest.is_empty() {
        text.push_str(&format!("#line {line} {}\n{rest}", quoted(name)));
    }
}

/// The module; `None` if the front end does not take this text, which was reported.
pub fn parse(session: &mut Session, program: &Program, preprocessed: &str) -> Step<Option<Module>> {
    let parsed = parse_text(session, program, preprocessed);
    judge(session, program, parsed)
}

fn judge(
    session: &mut Session,
    program: &Program,
    parsed: Result<Module, ParseError>,
) -> Step<Option<Module>> {
    match parsed {
        Ok(module) => Ok(Some(module)),
        Err(ParseError::Unsupported(reasons)) => {
            untouched(session, reasons);
            Ok(None)
        }
        Err(ParseError::Invalid(errors)) => {
            for error in explained(program, errors) {
                session.report(error);
            }
            Err(Stop)
        }
    }
}

/// Errors, with what they may come from.
fn explained(program: &Program, errors: Vec<Diagnostic>) -> Vec<Diagnostic> {
    let mut errors = unknown_macros::once_each(errors, !program.options_known);
    if let Some(last) = errors.pop_if(|_| program.is_likely) {
        errors.push(
            last.note("the host may make another text of this one when it runs")
                .help("give fpgacc a run that `fpgacc trace` recorded, with --facts"),
        );
    }
    errors
}

/// Checks a kernel file on its own. Before the host is known, what may be right with the host's build options, or
/// with an extension that the host looks for first, is reported as a warning: the link step looks again.
pub fn check(session: &mut Session, unit: &KernelUnit) -> Step<()> {
    let is_early = !matches!(session.options.mode, Mode::Link | Mode::Verify);
    let program = programs::of_unit(unit);
    let made = run_preprocessor(session, &program)?;
    if unknown_macros::asked_for(&made) {
        if let Err(error) = made {
            let text = error.diagnostics().unwrap_or_default();
            let text = text.replace("error: #error", "warning: #error");
            session.messages.pass_on(&text);
        }
        session.report(unknown_macros::warning(&program.name(), &[]));
        return Ok(());
    }
    if let Err(error) = &made
        && let Some(text) = error.diagnostics()
        && is_early
        && unknown_macros::may_mend(text)
    {
        session.messages.pass_on(&wrong_kernels::as_warnings(text));
        session.report(wrong_kernels::looked_at_again(&program.name()));
        return Ok(());
    }
    let made = session.check_cc(made)?;
    register_headers(session, &made.text);
    session.dependencies.add_preprocessed(&made.text);
    let errors = match parse_text(session, &program, &made.text) {
        Ok(_) => {
            pass_on_warnings(session, &made);
            return Ok(());
        }
        Err(ParseError::Unsupported(reasons)) => {
            pass_on_warnings(session, &made);
            untouched(session, reasons);
            return Ok(());
        }
        Err(ParseError::Invalid(errors)) => errors,
    };
    if unknown_macros::explain_all(&errors) {
        session.report(unknown_macros::warning(&program.name(), &errors));
        return Ok(());
    }
    pass_on_warnings(session, &made);
    let wants_more = wrong_kernels::want_an_extension(&program.text());
    if wants_more || is_early && kernel::has_undeclared_names(&made.text) {
        for error in errors {
            session.report(wrong_kernels::as_warning(error));
        }
        session.report(wrong_kernels::looked_at_again(&program.name()));
        return Ok(());
    }
    for error in errors {
        session.report(error);
    }
    Err(Stop)
}

fn parse_text(
    session: &mut Session,
    program: &Program,
    preprocessed: &str,
) -> Result<Module, ParseError> {
    let name = program.pieces[0].name.clone();
    let input = kernel::Input::new(&name, preprocessed, program.options.dialect());
    kernel::parse(&input, &mut session.sources)
}

/// Reports why a program stays as it is.
pub fn untouched(session: &mut Session, reasons: Vec<Diagnostic>) {
    let last = reasons.len().saturating_sub(1);
    for (at, mut reason) in reasons.into_iter().enumerate() {
        reason.severity = Severity::Warning;
        session.report(match at == last {
            true => reason.note("this program stays as it is: its kernels are not rewritten"),
            false => reason,
        });
    }
}

/// Warns of macros that the tool's own compiler has otherwise.
fn warn_of_macros(session: &mut Session, program: &Program, preprocessed: &str) {
    let Some(tool) = tool::emulator(&session.options) else {
        return;
    };
    for warning in differing_macros::warnings(program, preprocessed, tool, &session.sources) {
        session.report(warning);
    }
}

/// What the preprocessor warned of. Where the text has errors, these say more.
fn pass_on_warnings(session: &mut Session, made: &cc::Preprocessed) {
    if !session.options.no_warnings {
        session.messages.pass_on(&made.warnings);
    }
}

/// A part of a program's text, for messages that point into it: into the host, where it is a string of that.
fn register(sources: &mut SourceMap, piece: &Piece) {
    let text = without_bom(&piece.text);
    let id = sources.add(piece.name.as_str(), text);
    let at = piece.site.as_ref().and_then(|site| sources.span_at(site));
    if let Some(at) = at {
        let host = &sources.file(at.file).text;
        let runs = strings::places(host, at.start as usize, text);
        sources.place(id, at, runs.unwrap_or_default());
    }
}

/// Texts of included headers, for messages that point into them.
fn register_headers(session: &mut Session, preprocessed: &str) {
    for name in line_marker::files(preprocessed) {
        if session.sources.find(&name).is_none()
            && let Ok(bytes) = std::fs::read(name.as_ref())
        {
            let text = c_text::decode(&bytes).text;
            session.sources.add(name.as_ref(), without_bom(&text));
        }
    }
}

/// The kernels with all their versions.
fn kernels(module: &Module, report: &Report) -> Vec<manifest::Kernel> {
    let describe = |id| {
        let kernel = &module.functions[id];
        let others = report.versions.of(&kernel.name);
        let others = others
            .iter()
            .map(|name| version(module, kernel, name, report));
        manifest::Kernel {
            others: others.collect(),
            ..version(module, kernel, &kernel.name, report)
        }
    };
    module.kernels().map(describe).collect()
}

/// A version of a kernel, which has this name in the rewritten text.
fn version(module: &Module, kernel: &Function, name: &str, report: &Report) -> manifest::Kernel {
    manifest::Kernel {
        name: name.to_string(),
        params: signature::params(module, kernel),
        reqd_work_group_size: kernel.reqd_work_group_size(),
        contract: report.contracts.get(name).cloned().unwrap_or_default(),
        others: Vec::new(),
        spare: report.versions.is_spare(name),
    }
}

/// Where the preprocessor looks for quoted includes of a piece.
fn path_of(piece: &Piece) -> PathBuf {
    let name = Path::new(&piece.name).file_name().unwrap_or_default();
    match piece.folder == Path::new(".") {
        true => PathBuf::from(name),
        false => piece.folder.join(name),
    }
}
