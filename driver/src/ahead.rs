//! Preprocessors that run ahead of their turn, side by side: hosts and kernels do not wait for each other.
//!
//! Whoever needs a text takes what was made of it here, or makes it if nothing was. What is said about
//! texts is said where they are taken, so that messages have their order.

use std::collections::VecDeque;
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;

use fpgacc_aoc_wrappers::cc::{CcError, Compiler, Language, Preprocessed, Source};

/// What a preprocessor is asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Job {
    /// A host.
    Host {
        /// As the user gave it.
        path: PathBuf,
        /// C or C++.
        language: Language,
        /// The user's flags.
        flags: Vec<OsString>,
    },
    /// The text of a program for the device.
    Kernels {
        /// For quoted includes and messages.
        path: PathBuf,
        /// With the macros of the language in front.
        text: String,
        /// `-D`
        defines: Vec<String>,
        /// `-I`
        includes: Vec<PathBuf>,
    },
}

/// What a preprocessor made.
pub type Made = Result<Preprocessed, CcError>;

impl Job {
    /// Does it.
    ///
    /// # Errors
    /// Those of the compiler.
    pub fn run(&self) -> Made {
        match self {
            Job::Host {
                path,
                language,
                flags,
            } => {
                let source = Source { path, text: None };
                Compiler::find(*language)?.preprocess_host(source, flags)
            }
            Job::Kernels {
                path,
                text,
                defines,
                includes,
            } => {
                let text = Some(text.as_bytes());
                let source = Source { path, text };
                Compiler::find(Language::C)?.preprocess_kernel(source, defines, &[], includes)
            }
        }
    }
}

/// Jobs that run or have run.
#[derive(Default)]
pub struct Ahead {
    started: Vec<(Job, Receiver<Made>)>,
    waiting: Arc<Mutex<Queue>>,
    workers: Vec<JoinHandle<()>>,
}

type Queue = VecDeque<(Job, Sender<Made>)>;

/// A run that stops leaves nothing behind: no process, and no temporary folder of one.
impl Drop for Ahead {
    fn drop(&mut self) {
        locked(&self.waiting).clear();
        for worker in self.workers.drain(..) {
            // One that panicked has said so.
            let _ = worker.join();
        }
    }
}

fn locked(queue: &Mutex<Queue>) -> MutexGuard<'_, Queue> {
    queue.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Ahead {
    /// Starts jobs, as many at a time as there are processors. One alone has nothing to run beside.
    pub fn start(jobs: Vec<Job>) -> Self {
        if jobs.len() < 2 {
            return Ahead::default();
        }
        let mut queue = Queue::new();
        let mut started = Vec::new();
        for job in jobs {
            let (sender, receiver) = channel();
            queue.push_back((job.clone(), sender));
            started.push((job, receiver));
        }
        let processors = std::thread::available_parallelism().map_or(1, usize::from);
        let count = processors.min(queue.len());
        let waiting = Arc::new(Mutex::new(queue));
        let workers = (0..count).map(|_| {
            let waiting = Arc::clone(&waiting);
            std::thread::spawn(move || {
                let next = || locked(&waiting).pop_front();
                while let Some((job, sender)) = next() {
                    // Nobody waits for it if the run has stopped.
                    let _ = sender.send(job.run());
                }
            })
        });
        let workers = workers.collect();
        Ahead {
            started,
            waiting,
            workers,
        }
    }

    /// What a job made: waits for one that was started, runs any other now.
    pub fn take(&mut self, job: &Job) -> Made {
        let at = self.started.iter().position(|(started, _)| started == job);
        let made = at.and_then(|at| self.started.swap_remove(at).1.recv().ok());
        made.unwrap_or_else(|| job.run())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_taken_is_what_was_asked_for() {
        let job = |name: &str| Job::Kernels {
            path: PathBuf::from("k.cl"),
            text: "int A;\n".to_string(),
            defines: vec![format!("A={name}")],
            includes: Vec::new(),
        };
        let names: Vec<String> = (0..9).map(|number| format!("a{number}")).collect();
        let mut ahead = Ahead::start(names.iter().map(|name| job(name)).collect());
        // In another order, one of them twice, and one that was not started.
        for name in names
            .iter()
            .rev()
            .chain(["a3".to_string(), "b".to_string()].iter())
        {
            let made = ahead.take(&job(name)).unwrap();
            assert!(made.text.contains(&format!("int {name};")), "{}", made.text);
        }
    }
}
