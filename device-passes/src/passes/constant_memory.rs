//! `constant-memory`: small buffers that are only read become `__constant`.
//!
//! aoc serves constant memory from a cache on the chip, which it fills from external memory when it is
//! first read: good for tables that all work-items look up, if they fit (Intel FPGA SDK for OpenCL, Best
//! Practices Guide, section 8.3.1). The host promises with `CL_MEM_READ_ONLY` that no kernel writes to a
//! buffer; the runtime compares flags and sizes at each launch ([`Guard::Constant`]). Whether
//! it pays, the performance model says: see the decision's search for forms.

mod launches;
mod uses;

use std::collections::BTreeSet;

use fpgacc_frontend::ir::{
    AddressSpace, Callee, Expr, Function, FunctionId, Module, Qualifiers, VarId,
};
use fpgacc_kernel_analysis::calls;
use fpgacc_kernel_analysis::constant_memory::{self, bytes_with, parameters};
use fpgacc_kernel_analysis::faults;
use fpgacc_kernel_analysis::relation::{Relation, relation};
use fpgacc_kernel_analysis::usage::{Usage, buffer_parameters};
use fpgacc_launch_facts::Launch;
use fpgacc_runtime::guard::Guard;

use self::launches::{LARGEST, Passed, passed};
use self::uses::{Obstacle, Pointers, pointers};
use crate::options::OwnOptions;
use crate::pass::{About, Context, LaunchContract, Note, Outcome, Pass, Requirement};
use crate::requirement::unmet;
use crate::setting::{Setting, number};

/// The least that `CL_DEVICE_MAX_CONSTANT_ARGS` may be (OpenCL 1.2, table 4.3).
const MOST_PARAMETERS: usize = 8;

/// The pass.
pub struct ConstantMemory;

/// What is asked of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// Indices of the parameters that may become constant memory; `None`: all. The decision chooses.
    pub tables: Option<BTreeSet<u32>>,
    /// The most bytes that the cache may have; `None`: any number, known or not. Arguments of aoc say it.
    pub cache: Option<u64>,
}

impl OwnOptions for Options {
    const DEFAULT: &'static Self = &Options {
        tables: None,
        cache: Some(constant_memory::MOST),
    };
}

const CACHE: Setting = Setting::new("constant-cache", |options, text| {
    options.of_mut::<Options>().cache = Some(number(text)?);
    Ok(())
});

impl Pass for ConstantMemory {
    fn about(&self) -> About {
        About {
            name: super::CONSTANT_MEMORY,
            description: "serve small buffers that are only read from the constant cache",
            level: 2,
            requires: &[Requirement::EntryPoint, Requirement::KnownLaunches],
            after: &["ndrange-to-loop", "restrict"],
        }
    }

    fn settings(&self) -> &'static [Setting] {
        &[CACHE]
    }

    fn has_work(&self, module: &Module, kernel: FunctionId, _context: &Context<'_>) -> bool {
        global_pointers(module, kernel).next().is_some()
    }

    fn run(
        &self,
        module: &mut Module,
        kernel: FunctionId,
        context: &Context<'_>,
        contract: &mut LaunchContract,
    ) -> Outcome {
        let (mut done, mut missed) = (Vec::new(), Vec::new());
        let offers = offers(module, kernel, context);
        let usage = Usage::of(module, kernel, context.called);
        for table in tables(module, kernel, offers, &usage, &mut missed) {
            let function = &module.functions[kernel];
            match fit(module, kernel, context, &usage, &table) {
                Ok(fitting) => {
                    done.push(table.done_note(function));
                    table.put(module, kernel, contract, &fitting);
                }
                Err((reason, at)) => missed.push(stays_note(function, table.var, &reason, at)),
            }
        }
        self.outcome(&mut module.functions[kernel], done, missed)
    }
}

/// Whether some parameter of a kernel may become `__constant`, as far as its launches show.
pub(crate) fn has_tables(module: &Module, kernel: FunctionId, context: &Context<'_>) -> bool {
    let contract = LaunchContract::default();
    if unmet(&ConstantMemory, module, kernel, context, &contract).is_some() {
        return false;
    }
    let offers = offers(module, kernel, context);
    let usage = Usage::of(module, kernel, context.called);
    !tables(module, kernel, offers, &usage, &mut Vec::new()).is_empty()
}

/// A pointer parameter by its index, and what the launches pass for it.
type Offer<'f> = (u32, VarId, Passed<'f>);

/// The parameters that are `__global` pointers, by their indices.
fn global_pointers(module: &Module, kernel: FunctionId) -> impl Iterator<Item = (u32, VarId)> {
    let function = &module.functions[kernel];
    let is_global = |var: VarId| {
        let pointer = module.types.as_pointer(function.vars[var].ty.ty);
        matches!(pointer, Some((_, AddressSpace::Global)))
    };
    let params = (0..).zip(function.params.iter().copied());
    params.filter(move |(_, var)| is_global(*var))
}

/// The `__global` pointers for which launches pass buffers that may be small and read-only.
fn offers<'f>(module: &Module, kernel: FunctionId, context: &Context<'f>) -> Vec<Offer<'f>> {
    global_pointers(module, kernel)
        .map(|(index, var)| (index, var, passed(context, index)))
        .filter(|(_, _, passed)| !matches!(passed, Passed::Other))
        .collect()
}

/// A parameter that is only read, as which all launches pass small buffers that no kernel writes.
struct Table<'f> {
    /// Its index among the parameters.
    index: u32,
    var: VarId,
    /// Names of the buffers.
    buffers: Vec<&'f str>,
    /// The bytes of the largest.
    bytes: u64,
}

/// The tables of a kernel. Of parameters that would be tables if more were known of their buffers,
/// `missed` says why.
fn tables<'f>(
    module: &Module,
    kernel: FunctionId,
    offers: Vec<Offer<'f>>,
    usage: &Usage,
    missed: &mut Vec<Note>,
) -> Vec<Table<'f>> {
    let function = &module.functions[kernel];
    let is_written = |var| usage.written.contains(&var) && !faults::is_on("constant-written");
    let mut tables = Vec::new();
    for (index, var, passed) in offers {
        match passed {
            _ if is_written(var) => {}
            Passed::Table { names, bytes } => tables.push(Table {
                index,
                var,
                buffers: names,
                bytes,
            }),
            Passed::Doubtful(reason) => missed.push(stays_note(function, var, &reason, None)),
            Passed::Other => {}
        }
    }
    tables
}

/// How a table becomes constant.
struct Fitting {
    pointers: Pointers,
    /// Parameters that must be distinct for that.
    pairs: Pairs,
}

/// Pairs of parameters, each in order.
type Pairs = Vec<(u32, u32)>;

/// Why a table cannot become constant, with the expression at fault.
type Reason = (String, Option<Obstacle>);

/// Whether a table can become constant.
fn fit(
    module: &Module,
    kernel: FunctionId,
    context: &Context<'_>,
    usage: &Usage,
    table: &Table<'_>,
) -> Result<Fitting, Reason> {
    let function = &module.functions[kernel];
    let reason = |text: String| (text, None);
    let chosen = context.options.of::<Options>().tables.as_ref();
    if chosen.is_some_and(|chosen| !chosen.contains(&table.index)) {
        let text = "the performance model predicts no gain of constant memory (-fconstant-memory does \
                    not ask it)";
        return Err(reason(text.to_string()));
    }
    let variable = &function.vars[table.var];
    let pointee = module.types.as_pointer(variable.ty.ty);
    if pointee.is_some_and(|(pointee, _)| pointee.quals.contains(Qualifiers::VOLATILE)) {
        return Err(reason("it is volatile".to_string()));
    }
    if let Some(attr) = variable.attrs.first() {
        return Err(reason(format!("it has the attribute '{}'", attr.name)));
    }
    if let Some(name) = channel_or_pipe(module, kernel) {
        let text = format!("the kernel calls '{name}', and others may wait for it");
        return Err(reason(text));
    }
    if parameters(module, function).len() >= MOST_PARAMETERS {
        let text = format!("the kernel has {MOST_PARAMETERS} __constant parameters already");
        return Err(reason(text));
    }
    let pointers = pointers(module, function, table.var)
        .map_err(|obstacle| (format!("it {} here", obstacle.what), Some(obstacle)))?;
    let pairs = pairs(module, kernel, context, usage, table).map_err(reason)?;
    has_room(module, context, table).map_err(reason)?;
    fits_a_launch(module, kernel, context, table).map_err(reason)?;
    Ok(Fitting { pointers, pairs })
}

/// The table beside each parameter that is written.
fn pairs(
    module: &Module,
    kernel: FunctionId,
    context: &Context<'_>,
    usage: &Usage,
    table: &Table<'_>,
) -> Result<Pairs, String> {
    let mut pairs = Pairs::new();
    for (other, var) in buffer_parameters(module, kernel) {
        if var == table.var || !usage.written.contains(&var) {
            continue;
        }
        let pair = (table.index.min(other), table.index.max(other));
        for launch in context.launches {
            if let Relation::Shared(reason) = relation(context.facts, launch, pair.0, pair.1) {
                return Err(reason);
            }
        }
        pairs.push(pair);
    }
    Ok(pairs)
}

/// Whether the cache holds a table beside all other constant memory of the program.
fn has_room(module: &Module, context: &Context<'_>, table: &Table<'_>) -> Result<(), String> {
    let Some(most) = context.options.of::<Options>().cache else {
        return Ok(());
    };
    let all = bytes_with(module, context.facts, context.all_launches, &table.buffers);
    match all {
        None => Err("the size of the program's other constant memory is not known".to_string()),
        Some(all) if all <= most => Ok(()),
        Some(all) => Err(format!(
            "the program would have {all} bytes of constant memory, and the cache has {most} at most"
        )),
    }
}

/// Whether a table is small enough beside the constant memory that the kernel has already: some
/// implementations refuse launches that pass more than one buffer may have, in all.
fn fits_a_launch(
    module: &Module,
    kernel: FunctionId,
    context: &Context<'_>,
    table: &Table<'_>,
) -> Result<(), String> {
    let beside = parameters(module, &module.functions[kernel]);
    let passed = |launch: &&Launch| -> u64 {
        let sizes = beside.iter().copied();
        sizes
            .filter_map(|index| constant_memory::argument_bytes(context.facts, launch, index))
            .sum()
    };
    let most = context.launches.iter().map(passed).max();
    let all = table.bytes + most.unwrap_or(0);
    if all <= LARGEST {
        return Ok(());
    }
    Err(format!(
        "a launch would pass {all} bytes of constant memory, and OpenCL promises {LARGEST}"
    ))
}

/// A call of a channel or pipe that a kernel makes, by which it may wait for other kernels.
fn channel_or_pipe(module: &Module, kernel: FunctionId) -> Option<String> {
    let mut reached = calls::reachable(module, kernel);
    reached.push(kernel);
    let mut found = None;
    for function in reached.iter().map(|id| &module.functions[*id]) {
        let Some(body) = &function.body else { continue };
        body.for_each_expr(&function.exprs, &mut |id| {
            if let Expr::Call {
                callee: Callee::Builtin(name),
                ..
            } = function.exprs.get(id)
                && ["_channel", "_pipe"].iter().any(|word| name.contains(word))
            {
                found.get_or_insert_with(|| name.clone());
            }
        });
    }
    found
}

impl Table<'_> {
    fn put(
        &self,
        module: &mut Module,
        kernel: FunctionId,
        contract: &mut LaunchContract,
        fitting: &Fitting,
    ) {
        fitting.pointers.move_to_constant(module, kernel);
        if faults::is_on("constant-guard-lost") {
            return;
        }
        contract.guard(Guard::Constant {
            param: self.index,
            bytes: self.bytes,
        });
        let pairs = fitting.pairs.iter();
        contract
            .guards
            .extend(pairs.map(|(a, b)| Guard::Distinct(*a, *b)));
    }

    fn done_note(&self, function: &Function) -> Note {
        let variable = &function.vars[self.var];
        let which = match self.buffers.as_slice() {
            [one] => format!("'{one}'"),
            [one, ..] => format!("'{one}' and others"),
            [] => "buffers".to_string(),
        };
        let text = format!(
            "parameter '{}' is __constant: the launches pass {which}, at most {} bytes that no \
             kernel writes (checked at each launch)",
            variable.name, self.bytes
        );
        Note::new(text, variable.span).names_form("constant memory")
    }
}

fn stays_note(function: &Function, var: VarId, reason: &str, at: Option<Obstacle>) -> Note {
    let variable = &function.vars[var];
    let text = format!("parameter '{}' stays __global: {reason}", variable.name);
    let span = at.and_then(|obstacle| function.exprs.span(obstacle.at));
    Note::new(text, span.or(variable.span))
}
