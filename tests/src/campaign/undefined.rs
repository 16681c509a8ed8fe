//! What kernels do that C leaves undefined, before and after they are rewritten.

use std::collections::BTreeMap;

use super::Check;
use crate::job::Job;
use crate::rewrite::{Rewrites, Rewritten};
use crate::run::Platform;
use crate::undefined::{Seen, seen};

/// What is seen of each kernel, by name.
type Kernels = BTreeMap<String, Seen>;

fn kernels(job: &Job) -> Result<Kernels, String> {
    let names = job.launches.iter().map(|launch| launch.kernel.clone());
    Ok(names.zip(seen(job)?).collect())
}

impl Check<'_> {
    /// Looks for what a rewritten kernel does that has no meaning, and its original does not do.
    pub(super) fn undefined(&mut self, forms: &[(Rewrites, Rewritten)]) {
        let before = match kernels(&self.batch.job) {
            Ok(before) => before,
            Err(error) => return self.not_asked("original", &error),
        };
        for messages in before.values().map(Seen::messages) {
            self.note("original", messages.iter());
        }
        for (rewrites, rewritten) in forms {
            self.rewrites = rewrites.clone();
            match kernels(&rewritten.job) {
                Ok(after) => self.newly_undefined(&before, &after),
                Err(error) => self.not_asked("rewritten", &error),
            }
        }
    }

    fn newly_undefined(&mut self, before: &Kernels, after: &Kernels) {
        for kernel in 0..self.batch.kernels.len() {
            let name = &self.batch.kernels[kernel].name;
            let (Some(was), Some(is)) = (before.get(name), after.get(name)) else {
                continue;
            };
            let new: Vec<_> = is.messages().difference(was.messages()).collect();
            match was {
                // What comes after the place where it ended is not known.
                Seen::Part(_) => self.note("rewritten, original not known,", new.into_iter()),
                Seen::All(_) if new.is_empty() => {}
                Seen::All(_) => {
                    let what = format!("undefined: {}", new[0]);
                    let case = self.case(kernel, Platform::Oclgrind, what);
                    self.fail(case);
                }
            }
        }
    }

    fn note<'m>(&mut self, whose: &str, messages: impl Iterator<Item = &'m String>) {
        let counts = &mut self.found.counts.undefined;
        for message in messages {
            *counts.entry(format!("{whose}: {message}")).or_default() += 1;
        }
    }

    /// A program that cannot be built for the processor says nothing.
    fn not_asked(&mut self, whose: &str, error: &str) {
        let first = error.lines().find(|line| line.contains("error"));
        self.note(
            whose,
            [format!("not built: {}", first.unwrap_or("?"))].iter(),
        );
    }
}
