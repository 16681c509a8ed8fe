//! Calls of the host that OpenCL will refuse, seen before the program runs: arguments that are missing, have a
//! wrong index, size or kind, and work-groups that do not fit the launch. They are warnings: a host may expect
//! the error, or never get there.

use fpgacc_frontend::diag::Diagnostic;
use fpgacc_frontend::ir::{AddressSpace, Function, Module, Type};
use fpgacc_host_analysis::{Arguments, SetArgument};
use fpgacc_launch_facts::{ArgValue, Launch, LocalSize, Value};

use crate::compiled::Compiled;
use crate::facts::{OfHosts, at_site};
use crate::session::Session;

/// The option of warnings of arguments.
const ARGUMENTS: &str = "-Wkernel-arguments";
/// The option of warnings of sizes.
pub const SIZES: &str = "-Wwork-group-size";
/// Most dimensions of a launch.
const MOST_DIMENSIONS: u64 = 3;
/// The bytes of a `cl_mem`.
const HANDLE_BYTES: u64 = 8;

/// A kernel and the module that it stands in.
type Kernel<'a> = (&'a Module, &'a Function);

/// Warns of calls that cannot succeed.
pub fn warn(session: &mut Session, hosts: &OfHosts, compiled: &[Compiled]) {
    if compiled.iter().any(|one| one.rewritten.untouched) {
        return;
    }
    let mut warnings: Vec<Diagnostic> = Vec::new();
    for arguments in &hosts.arguments {
        let kernels = kernels_named(&arguments.kernel, compiled);
        // Programs of other options may have other kernels of this name: one that fits is enough.
        let judged = kernels.iter().map(|kernel| of_arguments(arguments, kernel));
        let judged: Vec<Vec<Diagnostic>> = judged.collect();
        if judged.iter().all(|found| !found.is_empty()) {
            warnings.extend(judged.into_iter().next().unwrap_or_default());
        }
    }
    for launch in &hosts.facts.launches {
        let found = of_sizes(launch, compiled);
        warnings.extend(found.map(|warning| at_site(warning, &session.sources, &launch.site)));
    }
    let mut reported: Vec<Diagnostic> = Vec::new();
    for warning in warnings {
        if !reported.contains(&warning) {
            session.report(warning.clone());
            reported.push(warning);
        }
    }
}

fn kernels_named<'a>(name: &str, compiled: &'a [Compiled]) -> Vec<Kernel<'a>> {
    let modules = compiled
        .iter()
        .filter_map(|one| one.rewritten.parsed.as_ref());
    let all = modules.flat_map(|module| {
        module
            .kernels()
            .map(move |id| (module, &module.functions[id]))
    });
    all.filter(|(_, function)| function.name == name).collect()
}

/// What is wrong with the arguments of one way to a launch.
fn of_arguments(arguments: &Arguments, kernel: &Kernel) -> Vec<Diagnostic> {
    let function = kernel.1;
    let count = function.params.len();
    let mut found = Vec::new();
    for set in &arguments.set {
        match usize::try_from(set.index)
            .ok()
            .filter(|index| *index < count)
        {
            None => found.push(beyond(set, function)),
            Some(index) => found.extend(of_argument(set, kernel, index)),
        }
    }
    if arguments.is_complete {
        let is_set = |index: &usize| arguments.set.iter().any(|set| set.index as usize == *index);
        let missing = (0..count).filter(|index| !is_set(index));
        found.extend(missing.map(|index| never_set(arguments, function, index)));
    }
    found
        .into_iter()
        .map(|warning| warning.option(ARGUMENTS))
        .collect()
}

fn beyond(set: &SetArgument, function: &Function) -> Diagnostic {
    let (name, count) = (&function.name, function.params.len());
    let message = format!("kernel '{name}' has no argument {}", set.index);
    let has = match count {
        0 => "it has none".to_string(),
        1 => "it has one, of index 0".to_string(),
        _ => format!("it has {count}, from 0 to {}", count - 1),
    };
    located(Diagnostic::warning(message), set, function)
        .note(format!("{has}: the call returns CL_INVALID_ARG_INDEX"))
}

fn never_set(arguments: &Arguments, function: &Function, index: usize) -> Diagnostic {
    let parameter = &function.vars[function.params[index]];
    let message = format!(
        "argument {index} (`{}`) of kernel '{}' is not set at this launch",
        parameter.name, function.name
    );
    let mut warning = Diagnostic::warning(message).at(arguments.site);
    if let Some(span) = parameter.span {
        warning = warning.also(span, "this parameter");
    }
    warning
        .note("the launch returns CL_INVALID_KERNEL_ARGS")
        .help(format!("call clSetKernelArg with index {index} before it"))
}

/// What is wrong with one argument that there is.
fn of_argument(set: &SetArgument, (module, function): &Kernel, index: usize) -> Option<Diagnostic> {
    let parameter = &function.vars[function.params[index]];
    let what = format!(
        "argument {index} (`{}`) of kernel '{}'",
        parameter.name, function.name
    );
    let wrong = |message: String, note: &str| {
        let warning = located(Diagnostic::warning(message), set, function);
        Some(warning.note(format!("the call returns {note}")))
    };
    let pointee = match module.types.resolve(parameter.ty.ty) {
        Type::Pointer { space, .. } => Some(space),
        // Images, samplers and the like have handles of their own.
        Type::Opaque(_) => return None,
        _ => None,
    };
    match (pointee, &set.value) {
        (Some(AddressSpace::Local), ArgValue::Memory(_) | ArgValue::AnyOf(_)) => wrong(
            format!("{what} is local memory, but a buffer is passed"),
            "CL_INVALID_ARG_VALUE",
        ),
        (Some(AddressSpace::Local), ArgValue::Scalar(_)) => wrong(
            format!("{what} is local memory, but a value is passed"),
            "CL_INVALID_ARG_VALUE",
        ),
        (Some(AddressSpace::Local), ArgValue::Local(Value::Const(0))) => wrong(
            format!("{what} is local memory of 0 bytes"),
            "CL_INVALID_ARG_SIZE",
        ),
        (Some(AddressSpace::Local), _) => None,
        // NULL is no local memory here: it stands for no buffer.
        (Some(_), ArgValue::Scalar(value)) if value.is_known() => wrong(
            format!("{what} is a buffer, but a number is passed"),
            "CL_INVALID_MEM_OBJECT",
        ),
        (Some(_), _) => {
            let bytes = set.bytes.filter(|bytes| *bytes != HANDLE_BYTES)?;
            let is_buffer = matches!(set.value, ArgValue::Memory(_) | ArgValue::AnyOf(_));
            let message =
                format!("{what} is a buffer: its handle has {HANDLE_BYTES} bytes, not {bytes}");
            is_buffer
                .then(|| wrong(message, "CL_INVALID_ARG_SIZE"))
                .flatten()
        }
        (None, ArgValue::Memory(_) | ArgValue::AnyOf(_)) => wrong(
            format!("{what} is a value, but a buffer is passed"),
            "CL_INVALID_ARG_SIZE or takes its handle",
        ),
        (None, ArgValue::Local(_)) => wrong(
            format!("{what} is a value, but NULL is passed"),
            "CL_INVALID_ARG_VALUE",
        ),
        (None, _) => {
            let bytes = set.bytes?;
            let size = module.layout(parameter.ty.ty)?.size;
            let message = format!("{what} has {size} bytes, but {bytes} are passed");
            (bytes != size)
                .then(|| wrong(message, "CL_INVALID_ARG_SIZE"))
                .flatten()
        }
    }
}

/// A warning at the call that sets an argument, and the kernel that it is for.
fn located(warning: Diagnostic, set: &SetArgument, function: &Function) -> Diagnostic {
    let warning = warning.at(set.site);
    match function.span {
        Some(span) => warning.also(span, "the kernel"),
        None => warning,
    }
}

/// What is wrong with the sizes of a launch.
fn of_sizes(launch: &Launch, compiled: &[Compiled]) -> Option<Diagnostic> {
    let names = launch.kernels.get()?;
    let name = names.first()?;
    let dims = launch.work_dim.constant()?;
    let wrong = |message: String, note: &str| {
        let message = format!("kernel '{name}' is launched {message}");
        Some(Diagnostic::warning(message).note(note).option(SIZES))
    };
    if !(1..=MOST_DIMENSIONS).contains(&dims) {
        let note = "there are 1 to 3: the launch returns CL_INVALID_WORK_DIMENSION";
        return wrong(format!("in {dims} dimensions"), note);
    }
    let global = constants(&launch.global, dims)?;
    if global.contains(&0) {
        let note = "the launch returns CL_INVALID_GLOBAL_WORK_SIZE before OpenCL 2.1, and does nothing after it";
        return wrong(format!("with a global size of {}", shown(&global)), note);
    }
    let LocalSize::Sizes(local) = &launch.local else {
        return None;
    };
    let local = constants(local, dims)?;
    let kernels: Vec<Kernel> = names
        .iter()
        .flat_map(|name| kernels_named(name, compiled))
        .collect();
    if local.len() != global.len() || local.contains(&0) || kernels.is_empty() {
        return None;
    }
    let mut sizes = global.iter().zip(&local);
    let is_divided = sizes.all(|(global, local)| global % local == 0);
    if !is_divided && !allows_uneven_groups(compiled) {
        let message = format!(
            "with work-groups of {}, which do not divide the global size of {}",
            shown(&local),
            shown(&global)
        );
        let warning = wrong(message, "the launch returns CL_INVALID_WORK_GROUP_SIZE");
        let help = "round the global size up to a multiple, and let the kernel test its id against the number of elements";
        return warning.map(|warning| warning.help(help));
    }
    let items: u64 = local.iter().product();
    let limits = kernels
        .iter()
        .map(|(_, function)| most_work_items(function));
    let most = limits.collect::<Option<Vec<u64>>>()?.into_iter().max()?;
    if items <= most {
        return None;
    }
    let note =
        format!("its max_work_group_size is {most}: the launch returns CL_INVALID_WORK_GROUP_SIZE");
    wrong(format!("with work-groups of {items} work-items"), &note)
}

/// The sizes of so many dimensions, if they are constants.
fn constants(sizes: &[Value], dims: u64) -> Option<Vec<u64>> {
    let dims = usize::try_from(dims).ok()?;
    sizes.iter().take(dims).map(Value::constant).collect()
}

/// Sizes for people.
fn shown(sizes: &[u64]) -> String {
    let sizes: Vec<String> = sizes.iter().map(u64::to_string).collect();
    sizes.join(" x ")
}

/// What `max_work_group_size` allows, with one number or three.
fn most_work_items(function: &Function) -> Option<u64> {
    let sizes = function.attr("max_work_group_size")?.integers()?;
    Some(sizes.iter().product())
}

/// Whether kernels may be of OpenCL C 2.0, where the last groups may be smaller.
fn allows_uneven_groups(compiled: &[Compiled]) -> bool {
    let options = compiled.iter().flat_map(|one| &one.program.options.others);
    let standards = options.filter_map(|option| option.strip_prefix("-cl-std="));
    standards
        .into_iter()
        .any(|standard| !standard.starts_with("CL1"))
}
