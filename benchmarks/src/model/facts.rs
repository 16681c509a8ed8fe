//! Launch facts of programs of which a table says how they launch their kernels.

use std::collections::BTreeMap;

use fpgacc_frontend::ir::{AddressSpace, Function, Module, Type};
use fpgacc_frontend::source::{Location, SourceMap};
use fpgacc_launch_facts::recorded::{RecordedLoop, RecordedProgram};
use fpgacc_launch_facts::{
    Arg, ArgValue, Buffer, Facts, Known, Launch, LocalSize, Program, QueueOrder, Value,
};
use serde::Deserialize;

use super::launches::Trips;
use super::points;

/// A number of the host, as a table has it.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq)]
#[serde(untagged)]
pub enum Number {
    /// The same at each of these launches.
    Is(u64),
    /// It differs from launch to launch.
    Range {
        /// The least value.
        min: u64,
        /// The greatest value.
        max: u64,
        /// The distance.
        step: u64,
    },
}

impl From<Number> for Value {
    fn from(number: Number) -> Value {
        match number {
            Number::Is(value) => Value::Const(value),
            Number::Range { min, max, step } => Value::Range { min, max, step },
        }
    }
}

/// Like launches of a kernel, as a table has them.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sizes {
    /// Its name.
    pub kernel: String,
    /// Global size.
    pub global: Vec<Number>,
    /// Local size; empty: the host leaves it open.
    #[serde(default)]
    pub local: Vec<u64>,
    /// Integer arguments by the parameter's name, and bytes of local memory.
    #[serde(default)]
    pub args: BTreeMap<String, Number>,
    /// How many there are.
    pub count: u64,
}

impl Sizes {
    /// For the facts.
    pub fn launched(&self) -> Launched<'_> {
        let args = self.args.iter();
        Launched {
            kernel: &self.kernel,
            global: self.global.iter().map(|size| (*size).into()).collect(),
            local: &self.local,
            args: args
                .map(|(name, value)| (name.as_str(), (*value).into()))
                .collect(),
        }
    }
}

/// Like launches of a kernel.
#[derive(Clone, Debug)]
pub struct Launched<'a> {
    /// Its name.
    pub kernel: &'a str,
    /// Global size.
    pub global: Vec<Value>,
    /// Local size; empty: the host leaves it open.
    pub local: &'a [u64],
    /// Integer arguments by the parameter's name, and bytes of local memory.
    pub args: BTreeMap<&'a str, Value>,
}

/// Averages of trips are recorded as whole numbers of so many entries.
const ENTRIES: u64 = 1_000_000;

/// The facts of a program with these launches, each in its place; every pointer gets a buffer of its own.
///
/// # Errors
/// There is no such kernel.
pub fn of<'a>(
    module: &Module,
    launches: impl Iterator<Item = Launched<'a>>,
) -> Result<Facts, String> {
    let mut facts = Facts::default();
    for (index, launched) in launches.enumerate() {
        let kernel = module
            .kernels()
            .find(|id| module.functions[*id].name == launched.kernel);
        let kernel = kernel.ok_or_else(|| format!("no kernel {}", launched.kernel))?;
        let site = Location::new("host", index as u32 + 1, 1);
        let launch = launch(module, &module.functions[kernel], launched, site.clone());
        for arg in &launch.args {
            if let ArgValue::Memory(name) = &arg.value {
                facts.buffers.push(Buffer::of(site.clone(), name));
            }
        }
        facts.launches.push(launch);
    }
    facts.buffers.dedup_by(|a, b| a.variable == b.variable);
    Ok(facts)
}

fn launch(module: &Module, kernel: &Function, launched: Launched<'_>, site: Location) -> Launch {
    let arg = |(index, param): (usize, &_)| {
        let var = &kernel.vars[*param];
        let space = match module.types.resolve(var.ty.ty) {
            Type::Pointer { space, .. } => Some(space),
            _ => None,
        };
        let value = match (launched.args.get(var.name.as_str()), space) {
            (Some(bytes), Some(AddressSpace::Local)) => ArgValue::Local(bytes.clone()),
            (None, Some(AddressSpace::Local)) => ArgValue::Unknown("not looked at".to_string()),
            (_, Some(_)) => ArgValue::Memory(var.name.clone()),
            (Some(value), None) => ArgValue::Scalar(value.clone()),
            (None, None) => ArgValue::Unknown("not looked at".to_string()),
        };
        Arg {
            index: index as u32,
            value,
        }
    };
    let args = kernel.params.iter().enumerate().map(arg).collect();
    Launch {
        work_dim: Value::Const(launched.global.len() as u64),
        offset: vec![Value::Const(0); launched.global.len()],
        global: launched.global,
        local: match launched.local.is_empty() {
            true => LocalSize::Null,
            false => LocalSize::constants(launched.local.iter().copied()),
        },
        args,
        queue: QueueOrder::InOrder,
        ..Launch::of(site, vec![launched.kernel.to_string()])
    }
}

/// Adds the trip counts that a table states, as a run would have recorded them.
pub fn record_trips(facts: &mut Facts, module: &Module, sources: &SourceMap, trips: &[Trips]) {
    let Some(site) = facts.launches.first().map(|launch| launch.site.clone()) else {
        return;
    };
    let function = |span| {
        let mut functions = module.functions.iter();
        functions.find_map(|(_, function)| {
            let mut holds = false;
            function
                .body
                .as_ref()?
                .for_each_stmt(&mut |stmt| holds |= stmt.span == Some(span));
            holds.then(|| function.name.clone())
        })
    };
    let known = points::trips(module, sources, trips).into_iter();
    let loops = known.map(|(span, trips)| RecordedLoop {
        site: sources.location(span),
        function: function(span).unwrap_or_default(),
        entries: ENTRIES,
        iterations: (trips * ENTRIES as f64).round() as u64,
    });
    let recorded = RecordedProgram {
        loops: loops.collect(),
        branches: Vec::new(),
        accesses: Vec::new(),
        ways: Vec::new(),
        hash: String::new(),
        caller: String::new(),
    };
    facts.programs.push(Program {
        site,
        sources: Known::Unknown("not looked at".to_string()),
        options: Vec::new(),
        is_part: false,
        kernels: Vec::new(),
        recorded: Some(recorded),
    });
}
