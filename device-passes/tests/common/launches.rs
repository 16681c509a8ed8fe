//! Launches with known arguments.

use fpgacc_launch_facts::{Arg, ArgValue, Known, Launch, LocalSize, Location, QueueOrder, Value};

/// A place in the host.
pub fn site(line: u32) -> Location {
    Location {
        file: "host.c".to_string(),
        line,
        column: 5,
    }
}

/// A launch of a kernel with these arguments, of any number of work-items.
pub fn launch(kernel: &str, line: u32, args: impl IntoIterator<Item = (u32, ArgValue)>) -> Launch {
    let args = args.into_iter().map(|(index, value)| Arg { index, value });
    Launch {
        site: site(line),
        kernels: Known::Is(vec![kernel.to_string()]),
        work_dim: Value::Const(1),
        offset: vec![Value::Const(0)],
        global: vec![Value::symbolic("n")],
        local: LocalSize::Null,
        args: args.collect(),
        queue: QueueOrder::Unknown,
        within: None,
        same: Vec::new(),
        recorded: None,
    }
}
