//! What the launches of a kernel pass as a table: a buffer that is small and that no kernel writes.

use fpgacc_kernel_analysis::constant_memory::{argument_bytes, buffers, creations};
use fpgacc_kernel_analysis::faults;
use fpgacc_launch_facts::{Buffer, Known, Launch};

use crate::pass::Context;

/// The least that `CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE` may be, in bytes (OpenCL 1.2, table 4.3): no
/// device refuses constant memory of this size.
pub const LARGEST: u64 = 64 << 10;

/// What the launches of a kernel pass as an argument.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Passed<'f> {
    /// One of these buffers, all made with `CL_MEM_READ_ONLY`, none larger than this.
    Table {
        /// Their names, sorted.
        names: Vec<&'f str>,
        /// Bytes of the largest.
        bytes: u64,
    },
    /// A buffer that no kernel writes, but of which not enough is known: why.
    Doubtful(String),
    /// Something else.
    Other,
}

/// What all launches of the kernel at hand pass as an argument.
pub fn passed<'f>(context: &Context<'f>, index: u32) -> Passed<'f> {
    let mut all: Vec<(&'f Launch, &'f str)> = Vec::new();
    for launch in context.launches.iter().copied() {
        match buffers(launch, index) {
            Some(names) if matches!(launch.kernels, Known::Is(_)) => {
                all.extend(names.iter().map(|name| (launch, name.as_str())));
            }
            _ => return Passed::Other,
        }
    }
    let facts = context.facts;
    if !all.iter().all(|(_, name)| is_read_only(context, name)) {
        return Passed::Other;
    }
    let doubt = |(launch, name): &(&'f Launch, &'f str)| {
        let created = creations(facts, name);
        let reason = created.into_iter().find_map(doubt).or_else(|| {
            let is_proved =
                launch.argument_is_proved(index) || context.options.general.seen_counts();
            (!is_proved).then(|| "was only seen in a run (with --keep-general it counts)".into())
        });
        reason.map(|reason| {
            format!(
                "the launch at {} passes '{name}', which {reason}",
                launch.site
            )
        })
    };
    if let Some(reason) = all.iter().find_map(doubt) {
        return Passed::Doubtful(reason);
    }
    let sizes = context.launches.iter();
    let sizes: Option<Vec<u64>> = sizes
        .map(|launch| argument_bytes(facts, launch, index))
        .collect();
    let Some(bytes) = sizes.and_then(|sizes| sizes.into_iter().max()) else {
        let site = context.launches.first().map(|launch| &launch.site);
        let site = site.map_or(String::new(), |site| {
            format!(" that the launch at {site} passes")
        });
        return Passed::Doubtful(format!("the size of the buffer{site} is not known"));
    };
    if bytes == 0 || bytes > LARGEST {
        return Passed::Other;
    }
    let mut names: Vec<&str> = all.into_iter().map(|(_, name)| name).collect();
    names.sort_unstable();
    names.dedup();
    Passed::Table { names, bytes }
}

/// Whether the host promises of each buffer of this name that no kernel writes to it.
fn is_read_only(context: &Context<'_>, name: &str) -> bool {
    let created = creations(context.facts, name);
    let promised = |buffer: &&Buffer| {
        let flags = buffer.flags.iter().flatten();
        faults::is_on("constant-written") || flags.into_iter().any(|flag| flag == "READ_ONLY")
    };
    !created.is_empty() && created.iter().all(promised)
}

/// Why the runtime would not take a buffer for constant memory.
fn doubt(buffer: &Buffer) -> Option<String> {
    if buffer.use_host_ptr {
        let site = &buffer.site;
        return Some(format!(
            "lies in the host's memory (CL_MEM_USE_HOST_PTR at {site})"
        ));
    }
    buffer.sub_buffer.then(|| {
        format!(
            "is a part of another buffer (clCreateSubBuffer at {})",
            buffer.site
        )
    })
}
