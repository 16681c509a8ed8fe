//! A record as launch facts.

use std::collections::BTreeMap;

use fpgacc_launch_facts::{
    Arg, ArgValue, Buffer, Facts, Known, Launch, LocalSize, Program, QueueOrder, RecordedBuffer,
    RecordedLaunch, RecordedProgram, Recording, Value, memory_flags,
};
use fpgacc_runtime::manifest::text_hash;

use super::accesses;
use super::instrument;
use super::positions::{Positions, caller};
use super::record::{self, Argument, Kind, Record, Values};
use super::texts::Texts;
use super::widen;

/// The facts of one process.
pub fn facts(record: &Record, texts: &Texts) -> Facts {
    let positions = Positions::of(record);
    let converter = Converter {
        names: memory_names(record, &positions),
        record,
        texts,
        positions,
    };
    let mut facts = Facts::default();
    let parts = Facts {
        recording: Some(Recording {
            runs: 0,
            devices: record.devices.clone(),
        }),
        programs: record
            .programs
            .iter()
            .map(|one| converter.program(one))
            .collect(),
        buffers: (record.memory.iter().zip(&converter.names))
            .filter(|(one, _)| one.call.contains("Buffer"))
            .map(|(one, name)| converter.buffer(one, name))
            .collect(),
        launches: record
            .launches
            .iter()
            .map(|one| converter.launch(one))
            .collect(),
        ..Facts::default()
    };
    // Calls at different addresses may stand in one line.
    widen::add(&mut facts, parts);
    facts
}

/// `host.c:12`, and which one of several that this line created: by one call that lived at the same time, or
/// by calls at different addresses, as of a function that is called from two lines.
fn memory_names(record: &Record, positions: &Positions) -> Vec<String> {
    let mut created: BTreeMap<String, usize> = BTreeMap::new();
    let name = |memory: &record::Memory| {
        let site = positions.location(&memory.site);
        let position = match site.line {
            0 => site.file,
            line => format!("{}:{line}", site.file),
        };
        let count = created.entry(position.clone()).or_default();
        *count += 1;
        match *count {
            1 => position,
            count => format!("{position}#{count}"),
        }
    };
    record.memory.iter().map(name).collect()
}

struct Converter<'a> {
    /// By index of memory.
    names: Vec<String>,
    record: &'a Record,
    texts: &'a Texts,
    positions: Positions,
}

impl Converter<'_> {
    fn program(&self, program: &record::Program) -> Program {
        let site = self.positions.location(&program.site);
        let is_text = |text: &String| !text.contains(char::REPLACEMENT_CHARACTER);
        let sources = match program.strings.is_empty() {
            true => Known::Unknown("it was not made from source".to_string()),
            false if !program.strings.iter().all(is_text) => {
                Known::Unknown("its text is not UTF-8".to_string())
            }
            false => Known::Is(self.texts.sources(&program.strings, &site)),
        };
        let options = program.options.iter().cloned();
        let kernels = program.kernels.iter().cloned();
        Program {
            site,
            sources,
            options: options.map(Known::Is).collect(),
            is_part: false,
            kernels: kernels.map(Known::Is).collect(),
            recorded: Some(self.recorded(program)),
        }
    }

    fn recorded(&self, program: &record::Program) -> RecordedProgram {
        let mut recorded = RecordedProgram {
            hash: hash(&program.strings),
            caller: caller(&program.site),
            loops: Vec::new(),
            branches: Vec::new(),
            accesses: Vec::new(),
            ways: Vec::new(),
        };
        for counts in &program.counts {
            let sites = instrument::sites(&counts.base);
            let (loops, branches) = instrument::counted(&sites, &counts.counters);
            widen::add_loops(&mut recorded.loops, loops);
            widen::add_branches(&mut recorded.branches, branches);
            let (accesses, ways) = accesses::seen(&counts.base, &counts.logged);
            widen::add_accesses(&mut recorded.accesses, accesses);
            widen::add_ways(&mut recorded.ways, ways);
        }
        recorded
    }

    fn name_at(&self, index: usize) -> Option<String> {
        self.names.get(index).cloned()
    }

    fn buffer(&self, memory: &record::Memory, name: &str) -> Buffer {
        Buffer {
            site: self.positions.location(&memory.site),
            variable: Some(name.to_string()),
            use_host_ptr: memory.flags & memory_flags::USE_HOST_PTR != 0,
            sub_buffer: memory.call == "clCreateSubBuffer",
            flags: Some(memory_flags::names(memory.flags)),
            parent: memory.parent.and_then(|at| self.name_at(at)),
            origin: memory.origin.as_ref().map(value),
            size: value(&memory.size),
            recorded: Some(RecordedBuffer {
                caller: caller(&memory.site),
            }),
        }
    }

    fn launch(&self, launch: &record::Launch) -> Launch {
        let args = (0..).zip(&launch.arguments);
        let types: Vec<_> = launch
            .arguments
            .iter()
            .map(|a| a.type_name.clone())
            .collect();
        let sizes = launch.arguments.iter().map(|arg| match value(&arg.size) {
            Value::Const(size) => size,
            _ => 0,
        });
        let program = launch.program.and_then(|at| self.record.programs.get(at));
        let consts = |sizes: &Vec<u64>| sizes.iter().copied().map(Value::Const).collect();
        Launch {
            site: self.positions.location(&launch.site),
            kernels: Known::Is(vec![launch.kernel.clone()]),
            work_dim: Value::Const(launch.work_dim.into()),
            offset: launch.offset.iter().map(value).collect(),
            global: launch.global.iter().map(value).collect(),
            local: launch
                .local
                .as_ref()
                .map_or(LocalSize::Null, |sizes| LocalSize::Sizes(consts(sizes))),
            args: args
                .map(|(index, arg)| Arg {
                    index,
                    value: self.argument(arg),
                })
                .collect(),
            queue: match launch.out_of_order {
                true => QueueOrder::OutOfOrder,
                false => QueueOrder::InOrder,
            },
            within: None,
            same: Vec::new(),
            apart: Vec::new(),
            watched: false,
            times: None,
            recorded: Some(RecordedLaunch {
                count: launch.count,
                caller: caller(&launch.site),
                program: program.map(|program| hash(&program.strings)),
                proved: Vec::new(),
                overlapping: launch.overlapping.clone(),
                types: match types.iter().all(String::is_empty) {
                    true => Vec::new(),
                    false => types,
                },
                sizes: sizes.collect(),
                time: launch.time,
            }),
        }
    }

    fn argument(&self, arg: &Argument) -> ArgValue {
        let unknown = |reason: &str| ArgValue::Unknown(reason.to_string());
        match arg.kinds[..] {
            [Kind::Memory] if arg.other => unknown("memory that was not followed"),
            [Kind::Memory] => {
                let names = arg.memory.iter().filter_map(|at| self.name_at(*at));
                widen::of_buffers(names.chain(arg.null.then(|| "NULL".to_string())))
            }
            [Kind::Local] => ArgValue::Local(value(&arg.size)),
            [Kind::Value] => scalar(arg),
            [Kind::Svm] => unknown("shared virtual memory"),
            [Kind::Sampler] => unknown("a sampler"),
            [Kind::Unset] => unknown("it was not set by a call that was seen"),
            _ => unknown("it was of different kinds"),
        }
    }
}

/// Without a program's text: of nothing.
fn hash(strings: &[String]) -> String {
    // Each string ends at its first NUL, as the runtime sees it.
    let text: String = strings.concat();
    format!("{:016x}", text_hash(text.as_bytes()))
}

fn value(values: &Values) -> Value {
    match values {
        Values::Seen(numbers) => widen::of_numbers(numbers.iter().copied()),
        Values::Range { min, max, step } => Value::Range {
            min: *min,
            max: *max,
            step: (*step).max(1),
        },
    }
}

/// Whether a type is an integer of one part. Without a type, numbers of a register's size are taken
/// for integers.
fn is_integer(type_name: &str, size: u64) -> bool {
    match type_name {
        "" => matches!(size, 1 | 2 | 4 | 8),
        "bool" | "char" | "uchar" | "short" | "ushort" | "int" | "uint" | "long" | "ulong"
        | "size_t" | "ptrdiff_t" => true,
        _ => type_name.starts_with("unsigned ") || type_name == "unsigned",
    }
}

fn scalar(arg: &Argument) -> ArgValue {
    let Value::Const(size) = value(&arg.size) else {
        return ArgValue::Unknown("values of different sizes".to_string());
    };
    if is_integer(&arg.type_name, size)
        && let Some(values) = &arg.value
    {
        return ArgValue::Scalar(value(values));
    }
    if arg.many {
        return ArgValue::Unknown(format!("more than {} values", widen::SEEN_MOST));
    }
    let shown = arg.bytes.iter().map(|hex| match arg.type_name.as_str() {
        "float" => float(hex).unwrap_or_else(|| format!("0x{hex}")),
        "double" => double(hex).unwrap_or_else(|| format!("0x{hex}")),
        _ => format!("0x{hex}"),
    });
    widen::of_texts(shown)
}

fn bytes<const N: usize>(hex: &str) -> Option<[u8; N]> {
    let mut out = [0; N];
    if hex.len() != 2 * N {
        return None;
    }
    for (at, byte) in out.iter_mut().enumerate() {
        *byte = u8::from_str_radix(hex.get(2 * at..2 * at + 2)?, 16).ok()?;
    }
    Some(out)
}

/// NaNs keep their bits.
fn float(hex: &str) -> Option<String> {
    let number = f32::from_ne_bytes(bytes(hex)?);
    (!number.is_nan()).then(|| format!("{number:?}"))
}

fn double(hex: &str) -> Option<String> {
    let number = f64::from_ne_bytes(bytes(hex)?);
    (!number.is_nan()).then(|| format!("{number:?}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arg(type_name: &str, size: u64, hex: &[&str], value: Option<u64>) -> Argument {
        Argument {
            kinds: vec![Kind::Value],
            type_name: type_name.to_string(),
            size: Values::Seen(vec![size]),
            memory: vec![],
            null: false,
            other: false,
            value: value.map(|value| Values::Seen(vec![value])),
            bytes: hex.iter().map(ToString::to_string).collect(),
            many: false,
        }
    }

    #[test]
    fn scalars_are_shown_by_their_type() {
        let shown =
            |type_name, size, hex: &[&str], value| scalar(&arg(type_name, size, hex, value));
        let seen = |text: &str| ArgValue::Seen(vec![text.to_string()]);
        let half = 0.5f32.to_bits();
        let hex: String = 0.5f32
            .to_ne_bytes()
            .iter()
            .map(|b| format!("{b:02x}"))
            .collect();
        assert_eq!(shown("float", 4, &[&hex], Some(half.into())), seen("0.5"));
        assert_eq!(
            shown("int", 4, &["07000000"], Some(7)),
            ArgValue::Scalar(Value::Const(7))
        );
        assert_eq!(
            shown("", 4, &["07000000"], Some(7)),
            ArgValue::Scalar(Value::Const(7))
        );
        assert_eq!(
            shown("float2", 8, &["0000803f00000040"], Some(1)),
            seen("0x0000803f00000040")
        );
    }
}
