//! The threads that parse hosts. They stay as long as the program: a new one costs time, and finds no
//! memory that was used before.

use std::num::NonZeroUsize;
use std::sync::OnceLock;
use std::thread::available_parallelism;

use rayon_core::{ThreadPool, ThreadPoolBuilder};

/// Stack of a thread, in bytes: texts may be nested deeply. Only what is used becomes memory; limits
/// on nesting keep the use well below it.
const STACK: usize = 256 << 20;
/// Most threads: few programs have more files that are long.
const MOST: usize = 8;

/// One thread for each processor, up to some; nothing where the system does not even give one.
pub(crate) fn pool() -> Option<&'static ThreadPool> {
    static POOL: OnceLock<Option<ThreadPool>> = OnceLock::new();
    let processors = || available_parallelism().map_or(1, NonZeroUsize::get);
    POOL.get_or_init(|| start(processors().min(MOST)).or_else(|| start(1)))
        .as_ref()
}

fn start(threads: usize) -> Option<ThreadPool> {
    let builder = ThreadPoolBuilder::new()
        .num_threads(threads)
        .stack_size(STACK)
        .thread_name(|_| "host parser".to_string());
    builder.build().ok()
}
