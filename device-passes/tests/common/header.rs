//! What the first lines of a golden input say.
//!
//! ```text
//! // host: dim=1 global=64 local=16 args=a,out,3      a launch of all kernels
//! // host: kernel=k dim=2 global=?,? local=null       a launch of one
//! // host: unknown                                    no launch is known
//! // buffer: a 256 READ_ONLY                          a buffer: bytes, flags
//! // with: simd=4 units=2 unroll=0:4 coalesce=0 strict-fp restrict
//! ```
//!
//! `?` is a number or an argument that is not known; `a|b` one of two buffers; `local:64` bytes of local
//! memory. After `with:` stand options of passes, and passes that run as well.

use fpgacc_device_passes::options::{Factor, PassOptions};
use fpgacc_device_passes::pipeline::{Pipeline, find_pass};
use fpgacc_launch_facts::{
    Arg, ArgValue, Buffer, Facts, Known, Launch, LocalSize, Location, QueueOrder, Value,
};

/// The launches that a text's first lines tell of; `kernels` are all that there are.
pub fn facts(text: &str, kernels: &[String]) -> Facts {
    let hosts = lines(text, "host").filter(|host| *host != "unknown");
    Facts {
        launches: (1..)
            .zip(hosts)
            .map(|(line, host)| launch(line, host, kernels))
            .collect(),
        buffers: lines(text, "buffer").map(buffer).collect(),
        ..Facts::default()
    }
}

/// The pass, with the options and the other passes that a text's first lines ask for.
pub fn pipeline(text: &str, pass: &str) -> Pipeline {
    let mut pipeline = Pipeline {
        switches: [(pass.to_string(), true)].into(),
        ..Pipeline::default()
    };
    for word in lines(text, "with").flat_map(str::split_whitespace) {
        match word.split_once('=') {
            Some((name, value)) => set(&mut pipeline.options, name, value),
            None if word == "strict-fp" => pipeline.options.strict_fp = true,
            None => {
                let other = find_pass(word).unwrap_or_else(|error| panic!("{error}"));
                pipeline.switches.insert(other.name().to_string(), true);
            }
        }
    }
    pipeline
}

fn set(options: &mut PassOptions, name: &str, value: &str) {
    let number = |text: &str| text.parse::<u64>().expect("a number");
    match name {
        "simd" => options.simd = number(value),
        "units" => options.compute_units = number(value),
        "coalesce" => options.coalesce.push(number(value) as usize),
        "unroll" => {
            let (index, copies) = value.split_once(':').expect("a loop and copies");
            options.unroll.push(Factor {
                index: number(index) as usize,
                copies: number(copies),
            });
        }
        _ => panic!("there is no option {name}"),
    }
}

fn lines<'a>(text: &'a str, kind: &'a str) -> impl Iterator<Item = &'a str> {
    text.lines().filter_map(move |line| {
        let rest = line.strip_prefix("// ")?.strip_prefix(kind)?;
        rest.strip_prefix(": ")
    })
}

fn site(line: u32) -> Location {
    Location {
        file: "host.c".to_string(),
        line,
        column: 1,
    }
}

fn number(text: &str) -> Value {
    match text.parse() {
        Ok(number) => Value::Const(number),
        Err(_) => Value::Unknown("not known".to_string()),
    }
}

fn numbers(text: &str) -> Vec<Value> {
    text.split(',').map(number).collect()
}

fn launch(line: u32, host: &str, kernels: &[String]) -> Launch {
    let get = |key: &str| {
        let mut words = host.split_whitespace();
        words.find_map(|word| word.strip_prefix(key)?.strip_prefix('='))
    };
    let only = get("kernel").map(|name| vec![name.to_string()]);
    let args = get("args").map_or(Vec::new(), |args| args.split(',').collect());
    let args = (0..).zip(args).filter(|(_, arg)| *arg != "?");
    Launch {
        site: site(line),
        kernels: Known::Is(only.unwrap_or_else(|| kernels.to_vec())),
        work_dim: number(get("dim").unwrap_or("?")),
        offset: numbers(get("offset").unwrap_or("0,0,0")),
        global: numbers(get("global").unwrap_or("?,?,?")),
        local: match get("local") {
            Some("null") => LocalSize::Null,
            Some(sizes) => LocalSize::Sizes(numbers(sizes)),
            None => LocalSize::Unknown("not known".to_string()),
        },
        args: args
            .map(|(index, arg)| Arg {
                index,
                value: argument(arg),
            })
            .collect(),
        queue: QueueOrder::Unknown,
        within: None,
        same: Vec::new(),
        recorded: None,
    }
}

fn argument(text: &str) -> ArgValue {
    if let Some(bytes) = text.strip_prefix("local:") {
        return ArgValue::Local(number(bytes));
    }
    if let Ok(value) = text.parse() {
        return ArgValue::Scalar(Value::Const(value));
    }
    match text.contains('|') {
        true => ArgValue::AnyOf(text.split('|').map(str::to_string).collect()),
        false => ArgValue::Memory(text.to_string()),
    }
}

fn buffer(text: &str) -> Buffer {
    let mut words = text.split_whitespace();
    let mut next = || words.next().unwrap_or_default();
    let (name, bytes) = (next(), next());
    let flags: Vec<String> = words.map(str::to_string).collect();
    Buffer {
        site: site(1),
        variable: Some(name.to_string()),
        use_host_ptr: flags.iter().any(|flag| flag == "USE_HOST_PTR"),
        sub_buffer: false,
        flags: Some(flags),
        parent: None,
        origin: None,
        size: number(bytes),
        recorded: None,
    }
}
