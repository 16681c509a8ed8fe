//! What comments of a golden input say.
//!
//! ```text
//! // host: dim=1 global=64 local=16 args=a,out,3      a launch of all kernels
//! // host: kernel=k dim=2 global=?,? local=null       a launch of one (`?`: it is not known of which)
//! // host: unknown                                    no launch is known
//! // buffer: a 256 READ_ONLY                          a buffer: bytes, flags (`?`: not known)
//! // buffer: b 64 ? part-of=a origin=16               a part of another
//! // with: local-sizes=k:64x4/8x4                     the local size that is proposed for a global one
//! // with: simd=4 units=2 coarsen=0:4:1 unroll=0:4 promote=64 coalesce=0 restrict no-ivdep level=2
//! ```
//!
//! Numbers are `?` (not known), `64`, `16/32` (one of these), `0..64:8` (from, to, step), an expression
//! without spaces, or several of these between `|`. Arguments are a buffer, `a|b` one of two, `3`, `=n` an
//! expression, `local:64` bytes of local memory. `seen` says that only a run showed the launch, but for
//! the arguments after `proved=`; `overlapping=0+2` and `same=0+2` that two arguments were, or are on one
//! way to the call, one buffer. After `with:` stand options of passes, and passes that run or do not.

use fpgacc_device_passes::options::{General, PassOptions};
use fpgacc_device_passes::passes;
use fpgacc_device_passes::pipeline::{Pipeline, find_pass};
use fpgacc_launch_facts::{
    Arg, ArgValue, Buffer, Facts, Known, Launch, LocalSize, Location, RecordedLaunch, Value,
    argument_word,
};

/// The launches that a text's comments describe; `kernels` are all that there are.
pub fn facts(text: &str, kernels: &[String]) -> Facts {
    let hosts = lines(text, "host").filter(|host| *host != "unknown");
    Facts {
        launches: (1..)
            .zip(hosts)
            .map(|(line, host)| launch(line, host, kernels))
            .collect(),
        buffers: (101..).zip(lines(text, "buffer")).map(buffer).collect(),
        ..Facts::default()
    }
}

/// The pass, with the options and the other passes that a text's comments ask for.
pub fn pipeline(text: &str, pass: &str) -> Pipeline {
    let mut pipeline = Pipeline {
        switches: [(pass.to_string(), true)].into(),
        ..Pipeline::default()
    };
    for word in lines(text, "with").flat_map(str::split_whitespace) {
        let (name, is_on) = match word.strip_prefix("no-") {
            Some(name) => (name, false),
            None => (word, true),
        };
        match word.split_once('=') {
            Some(("level", level)) => pipeline.level = level.parse().expect("a level"),
            Some(("general", "always")) => pipeline.options.general = General::Always,
            Some((name, value)) => set(&mut pipeline.options, name, value),
            None => {
                let other = find_pass(name).unwrap_or_else(|error| panic!("{error}"));
                pipeline.switches.insert(other.name().to_string(), is_on);
            }
        }
    }
    pipeline
}

fn set(options: &mut PassOptions, name: &str, value: &str) {
    let mut settings = passes::settings().map(|(_, setting)| setting);
    let found = settings.find(|setting| setting.name == name);
    let setting = found.unwrap_or_else(|| panic!("there is no option {name}"));
    (setting.read)(options, value).unwrap_or_else(|wrong| panic!("{name}: {wrong}"));
}

fn lines<'a>(text: &'a str, kind: &'a str) -> impl Iterator<Item = &'a str> {
    text.lines().filter_map(move |line| {
        let rest = line.strip_prefix("// ")?.strip_prefix(kind)?;
        rest.strip_prefix(": ")
    })
}

/// What stands after `key=` among words.
fn get<'a>(words: &'a str, key: &str) -> Option<&'a str> {
    let mut words = words.split_whitespace();
    words.find_map(|word| word.strip_prefix(key)?.strip_prefix('='))
}

fn site(line: u32) -> Location {
    Location::new("host.c", line, 1)
}

fn number(text: &str) -> Value {
    let constant = |text: &str| text.parse().expect("a number");
    if text == "?" {
        return Value::Unknown("not known".to_string());
    }
    if let Ok(number) = text.parse() {
        return Value::Const(number);
    }
    if text.contains('|') {
        return Value::AnyOf(text.split('|').map(number).collect());
    }
    if let Some((min, rest)) = text.split_once("..") {
        let (max, step) = rest.split_once(':').expect("a step");
        return Value::Range {
            min: constant(min),
            max: constant(max),
            step: constant(step),
        };
    }
    match text.contains('/') {
        true => Value::OneOf(text.split('/').map(constant).collect()),
        false => Value::symbolic(text),
    }
}

fn numbers(text: &str) -> Vec<Value> {
    text.split(',').map(number).collect()
}

fn pairs(text: &str) -> Vec<(u32, u32)> {
    let index = |text: &str| text.parse().expect("an index");
    let pair = |text: &str| text.split_once('+').map(|(a, b)| (index(a), index(b)));
    text.split(',').filter_map(pair).collect()
}

fn launch(line: u32, host: &str, kernels: &[String]) -> Launch {
    let get = |key: &str| get(host, key);
    let args = get("args").map_or(Vec::new(), |args| args.split(',').collect());
    let args = (0..).zip(args).filter(|(_, arg)| *arg != "?");
    let proved = get("proved").into_iter().flat_map(|all| all.split(','));
    let proved = proved.map(|index| argument_word(index.parse().expect("an index")));
    Launch {
        kernels: match get("kernel") {
            Some("?") => Known::Unknown("not known".to_string()),
            Some(name) => Known::Is(vec![name.to_string()]),
            None => Known::Is(kernels.to_vec()),
        },
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
        same: get("same").map_or(Vec::new(), pairs),
        recorded: host.contains(" seen").then(|| RecordedLaunch {
            count: 1,
            caller: "app+0x1234".to_string(),
            proved: proved.collect(),
            overlapping: get("overlapping").map_or(Vec::new(), pairs),
            ..RecordedLaunch::default()
        }),
        ..Launch::of(site(line), Vec::new())
    }
}

fn argument(text: &str) -> ArgValue {
    if let Some(bytes) = text.strip_prefix("local:") {
        return ArgValue::Local(number(bytes));
    }
    if let Some(expression) = text.strip_prefix('=') {
        return ArgValue::Scalar(Value::symbolic(expression));
    }
    if let Ok(value) = text.parse() {
        return ArgValue::Scalar(Value::Const(value));
    }
    match text.contains('|') {
        true => ArgValue::AnyOf(text.split('|').map(str::to_string).collect()),
        false => ArgValue::Memory(text.to_string()),
    }
}

/// Buffers are created in lines from 101 on.
fn buffer((line, text): (u32, &str)) -> Buffer {
    let mut words = text.split_whitespace();
    let mut next = || words.next().unwrap_or_default();
    let (name, bytes) = (next(), next());
    let flags: Vec<&str> = words.filter(|word| !word.contains('=')).collect();
    let whole = get(text, "part-of");
    Buffer {
        use_host_ptr: flags.contains(&"USE_HOST_PTR"),
        flags: (!flags.contains(&"?")).then(|| flags.iter().map(ToString::to_string).collect()),
        sub_buffer: whole.is_some(),
        parent: whole.filter(|name| *name != "?").map(str::to_string),
        origin: get(text, "origin").map(number),
        size: number(bytes),
        ..Buffer::of(site(line), name)
    }
}
