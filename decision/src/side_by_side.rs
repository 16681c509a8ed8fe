//! Work on several kernels or forms at a time. What comes out does not depend on how many threads there are.

use std::num::NonZeroUsize;
use std::sync::OnceLock;
use std::thread::available_parallelism;

use rayon_core::{ThreadPool, ThreadPoolBuilder};

/// Stack of a thread, in bytes: kernels may be nested deeply. Only what is used becomes memory.
const STACK: usize = 256 << 20;
/// Most threads: few programs have more kernels, and few kernels more forms that do not build on each other.
const MOST: usize = 8;

/// The results for all items, in their order.
pub fn map<T: Sync, R: Send>(items: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let several = items.len() > 1;
    let Some(pool) = several.then(pool).flatten() else {
        return items.iter().map(work).collect();
    };
    let mut done: Vec<Option<R>> = items.iter().map(|_| None).collect();
    let work = &work;
    pool.scope(|scope| {
        for (item, place) in items.iter().zip(&mut done) {
            scope.spawn(move |_| *place = Some(work(item)));
        }
    });
    // A thread that panics ends the scope.
    done.into_iter().flatten().collect()
}

/// Whether several threads work.
pub fn is_parallel() -> bool {
    pool().is_some()
}

/// A thread for each processor; none where there is only one.
fn pool() -> Option<&'static ThreadPool> {
    static POOL: OnceLock<Option<ThreadPool>> = OnceLock::new();
    let start = || {
        let threads = available_parallelism().map_or(1, NonZeroUsize::get);
        let builder = ThreadPoolBuilder::new()
            .num_threads(threads.min(MOST))
            .stack_size(STACK)
            .thread_name(|_| "decision".to_string());
        (threads > 1).then(|| builder.build().ok()).flatten()
    };
    POOL.get_or_init(start).as_ref()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_keep_their_order() {
        let items: Vec<u64> = (0..100).collect();
        let squares: Vec<u64> = items.iter().map(|item| item * item).collect();
        assert_eq!(map(&items, |item| item * item), squares);
        // Work that itself has parts.
        let sums = map(&items, |&n| {
            map(&items, |item| item * n).iter().sum::<u64>()
        });
        assert_eq!(sums[2], 2 * items.iter().sum::<u64>());
    }
}
