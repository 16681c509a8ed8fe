//! Launches: what is known of sizes, kernels and arguments where one is reached.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use fpgacc_frontend::source::Span;
use fpgacc_launch_facts::{Arg as ArgFact, ArgValue, Known, Launch, LocalSize, Location, Value};

use super::Interp;
use super::loops::SET_EARLIER;
use crate::arguments::{Arguments, SetArgument};
use crate::location::{MemoryLocation, Root, Step};
use crate::number::{IntType, Num};
use crate::numbers::{joined_arg, merge_args, to_value};
use crate::object::{Around, ObjectKind, Visit};
use crate::symbolic::{At, newest_atom};
use crate::types::Kind;
use crate::value::{Sym, Val};

/// Most dimensions of a launch.
const MOST_DIMENSIONS: i128 = 3;

impl Interp<'_> {
    /// An NDRange is launched.
    pub(super) fn launch(&mut self, site: Span, [queue, kernel, range @ ..]: [&Val; 6]) {
        self.launched(site, [queue, kernel], Some(range));
    }

    /// A single work-item is launched.
    pub(super) fn launch_task(&mut self, site: Span, [queue, kernel]: [&Val; 2]) {
        self.launched(site, [queue, kernel], None);
    }

    /// The range: the number of dimensions, offset, global and local size. A task has none.
    fn launched(&mut self, site: Span, [queue, kernel]: [&Val; 2], range: Option<[&Val; 4]>) {
        let task = range.is_none();
        let (one_dimension, none) = (Val::int(1), Val::Null);
        let [dim, offset, global, local] = range.unwrap_or([&one_dimension, &none, &none, &none]);
        let dims = match dim.as_int() {
            Some(dims @ 1..=MOST_DIMENSIONS) => Some(dims as i64),
            _ => None,
        };
        let one = || vec![Value::Const(1)];
        let mut names = Names::default();
        let args = self.args(kernel);
        let launch = Launch {
            site: Location {
                file: String::new(),
                line: 0,
                column: 0,
            },
            kernels: self.kernel_names(kernel),
            work_dim: self.fact(&dim.convert(Num::Int(IntType::UINT))),
            offset: match offset {
                Val::Null | Val::Int(0, _) => {
                    vec![Value::Const(0); dims.unwrap_or(MOST_DIMENSIONS as i64) as usize]
                }
                _ => self.sizes(offset, dims, &mut names),
            },
            global: match task {
                true => one(),
                false => self.sizes(global, dims, &mut names),
            },
            local: match local {
                _ if task => LocalSize::Sizes(one()),
                Val::Null | Val::Int(0, _) => LocalSize::Null,
                Val::Pointer(_) => LocalSize::Sizes(self.sizes(local, dims, &mut names)),
                Val::Unknown(reason) => LocalSize::Unknown(reason.to_string()),
                other => {
                    LocalSize::Unknown(format!("it is {}, depending on the path", other.describe()))
                }
            },
            queue: self.order_of(queue),
            within: None,
            same: pairs_of_memory(&args, |a, b| a == b),
            apart: pairs_of_memory(&args, |a, b| a != b),
            args,
            watched: false,
            times: self.times(),
            recorded: None,
        };
        let within = self.around(kernel, [offset, global, local], dims);
        let arguments = self.arguments(site, kernel, &launch);
        self.trace.visits.push(Visit {
            site,
            launch,
            within,
            arguments,
        });
    }

    /// What is passed to the kernel, if it is one.
    fn arguments(&self, site: Span, kernel: &Val, launch: &Launch) -> Option<Arguments> {
        let [name] = launch.kernels.get()?.as_slice() else {
            return None;
        };
        let kernels = self.handles(kernel, Self::is_kernel).ok()?;
        let [id] = kernels[..] else {
            return None;
        };
        let mut set = Vec::new();
        for (location, value) in self.state.parts(&MemoryLocation::object(id)) {
            let [Step::Index(index)] = location.path[..] else {
                continue;
            };
            let Ok(index) = u32::try_from(index) else {
                continue;
            };
            for value in value.alternatives() {
                if let Val::Arg(argument) = value {
                    set.push(SetArgument {
                        site: argument.site,
                        index,
                        bytes: argument.bytes,
                        value: argument.fact.clone(),
                    });
                }
            }
        }
        // A kernel that code which is not followed may have has unknown arguments.
        let beyond = self
            .state
            .get(&MemoryLocation::object(id).index(i64::from(u32::MAX)));
        Some(Arguments {
            site,
            kernel: name.clone(),
            set,
            is_complete: beyond == Val::Unset
                && !self.objects.get(id).summary
                && self.trace.unfollowed.is_empty()
                && !self.trace.handed_out.contains(&id),
        })
    }

    /// The innermost loop around a launch, and what differs between its iterations.
    fn around(&mut self, kernel: &Val, sizes: [&Val; 3], dims: Option<i64>) -> Option<Around> {
        let frame = self.walk.loops.last()?;
        let mut around = Around {
            site: frame.site,
            activation: frame.activation,
            changes: BTreeSet::new(),
        };
        let before = frame.atoms;
        for (name, pointer) in ["offset", "global", "local"].iter().zip(sizes) {
            let Val::Pointer(first) = pointer else {
                continue;
            };
            for index in 0..dims.unwrap_or(MOST_DIMENSIONS as i64) {
                let Some(location) = first.moved(index) else {
                    continue;
                };
                if newest_atom(&self.read(&location)) > before {
                    around.changes.insert(format!("{name} {index}"));
                }
            }
        }
        let kernels = self.handles(kernel, Self::is_kernel).unwrap_or_default();
        for id in kernels {
            for (location, value) in self.state.parts(&MemoryLocation::object(id)) {
                let [Step::Index(index)] = location.path[..] else {
                    continue;
                };
                let differs = |value: &Val| match value {
                    Val::Arg(arg) => {
                        arg.newest_atom > before || arg.differs_in == around.activation
                    }
                    // It is set after the launch, for the next one.
                    Val::Unknown(reason) => **reason == *SET_EARLIER,
                    _ => false,
                };
                if value.alternatives().iter().any(differs) {
                    around.changes.insert(format!("argument {index}"));
                }
            }
        }
        Some(around)
    }

    /// The sizes that a pointer points to; three if the number of dimensions is not known.
    fn sizes(&mut self, pointer: &Val, dims: Option<i64>, names: &mut Names) -> Vec<Value> {
        let count = dims.unwrap_or(MOST_DIMENSIONS as i64);
        (0..count)
            .map(|index| {
                let Val::Pointer(first) = pointer else {
                    return Value::Unknown(match pointer {
                        Val::Unknown(reason) => reason.to_string(),
                        other => format!("the sizes are {}", other.describe()),
                    });
                };
                let Some(location) = first.moved(index) else {
                    return Value::Unknown("the array is too short".to_string());
                };
                if self.beyond(&location) {
                    return Value::Unknown("the array is too short".to_string());
                }
                let value = self.read(&location);
                // What is not `size_t` in memory is not read as it stands.
                let fits = match self.kind_of(&location) {
                    Some(Kind::Num(Num::Int(ty))) => ty.bits == 64,
                    _ => true,
                };
                match fits {
                    true => names.check(&value.convert(Num::Int(IntType::SIZE)), self.at()),
                    false => Value::Unknown("the sizes are no `size_t`".to_string()),
                }
            })
            .collect()
    }

    /// Whether an element lies after its array's end.
    fn beyond(&self, location: &MemoryLocation) -> bool {
        let (Root::Var(var), [Step::Index(index)]) = (location.root, &location.path[..]) else {
            return false;
        };
        match self.variables.info(var).dims.first() {
            Some(Some(count)) => u64::try_from(*index).is_ok_and(|i| i >= *count),
            _ => false,
        }
    }

    fn kernel_names(&self, kernel: &Val) -> Known<Vec<String>> {
        let kernels = match self.handles(kernel, Self::is_kernel) {
            Ok(kernels) => kernels,
            Err(reason) => return Known::Unknown(reason),
        };
        let mut names = Vec::new();
        for id in kernels {
            let ObjectKind::Kernel { name } = &self.objects.get(id).kind else {
                continue;
            };
            for name in name.alternatives() {
                match name {
                    Val::Text(text) => match text.chars() {
                        Some(name) if !names.contains(&name) => names.push(name),
                        Some(_) => {}
                        None => return Known::Unknown("its name is read from a file".to_string()),
                    },
                    Val::Unknown(reason) => return Known::Unknown(reason.to_string()),
                    _ => return Known::Unknown("its name is not constant".to_string()),
                }
            }
        }
        Known::Is(names)
    }

    /// Arguments that are set on the kernel that is launched.
    fn args(&mut self, kernel: &Val) -> Vec<ArgFact> {
        let Ok(kernels) = self.handles(kernel, Self::is_kernel) else {
            return Vec::new();
        };
        let mut all: Option<BTreeMap<u32, ArgValue>> = None;
        for id in kernels {
            let mut own = BTreeMap::new();
            for (location, value) in self.state.parts(&MemoryLocation::object(id)) {
                let [Step::Index(index)] = location.path[..] else {
                    continue;
                };
                let Ok(index) = u32::try_from(index) else {
                    continue;
                };
                own.insert(index, joined_arg(&value));
            }
            all = Some(match all {
                None => own,
                // What all kernels have in common.
                Some(all) => all
                    .into_iter()
                    .filter_map(|(index, a)| {
                        let b = own.get(&index)?;
                        Some((index, merge_args(&a, b)))
                    })
                    .collect(),
            });
        }
        let all = all.unwrap_or_default().into_iter();
        all.map(|(index, value)| ArgFact { index, value }).collect()
    }
}

/// Pairs of arguments that are memory with such names.
fn pairs_of_memory(args: &[ArgFact], are_such: impl Fn(&str, &str) -> bool) -> Vec<(u32, u32)> {
    let memory = |arg: &ArgFact| match &arg.value {
        ArgValue::Memory(name) if name != "NULL" => Some((arg.index, name.clone())),
        _ => None,
    };
    let memory: Vec<(u32, String)> = args.iter().filter_map(memory).collect();
    let mut pairs = Vec::new();
    for (at, (a, name)) in memory.iter().enumerate() {
        let others = memory[at + 1..].iter();
        let others = others.filter(|(_, other)| are_such(name, other));
        pairs.extend(others.map(|(b, _)| (*a, *b)));
    }
    pairs
}

/// Spellings of symbolic values of one launch: each means one value.
#[derive(Default)]
struct Names {
    known: BTreeMap<String, Rc<Sym>>,
}

impl Names {
    fn check(&mut self, value: &Val, at: At<'_>) -> Value {
        if let Val::Sym(sym) = value {
            let known = self.known.entry(sym.text());
            if known.or_insert_with(|| sym.clone()) != sym {
                return Value::Unknown(format!("`{}` at an earlier time", sym.text()));
            }
        }
        to_value(value, at)
    }
}
