//! What the random test of a pass says: which kernels, rewritten how, and on how many the pass must find
//! something to do. All else is the same for each of them.

use std::slice::from_ref;

use fpgacc_device_passes::options::PassOptions;
use fpgacc_device_passes::remark::Kind;

use crate::compare::unchanged;
use crate::job::Job;
use crate::random::Random;
use crate::rewrite::{Knowledge, RewriteError, Rewrites, Rewritten, rewrite};
use crate::seeds::{fail_smallest, seeds};

/// A way to rewrite kernels.
pub struct Way {
    rewrites: Rewrites,
    knowledge: Knowledge,
    options: PassOptions,
}

impl Way {
    /// By these passes, with nothing known of launches.
    pub fn by(rewrites: Rewrites) -> Self {
        Way {
            rewrites,
            knowledge: Knowledge::Nothing,
            options: PassOptions::default(),
        }
    }

    /// By one pass, with nothing known of launches.
    pub fn alone(pass: &str) -> Self {
        Way::by(Rewrites::Only(pass.to_string()))
    }

    /// The same with what is known of launches.
    pub fn knowing(self, knowledge: Knowledge) -> Self {
        Way { knowledge, ..self }
    }

    /// The same with other options.
    pub fn with(self, options: PassOptions) -> Self {
        Way { options, ..self }
    }

    /// The job, rewritten.
    ///
    /// # Panics
    /// If it cannot be.
    pub fn rewritten(&self, job: &Job) -> Rewritten {
        let made = self.tried(job);
        made.unwrap_or_else(|error| panic!("{error}\n{}", job.source))
    }

    fn tried(&self, job: &Job) -> Result<Rewritten, RewriteError> {
        rewrite(job, |_| self.knowledge, &self.rewrites, &self.options)
    }

    /// What is wrong with the rewritten job.
    fn fault(&self, original: &Job) -> Option<String> {
        let rewrites = &self.rewrites;
        let made = match self.tried(original) {
            Ok(made) => made.job,
            Err(error) => return Some(format!("{rewrites:?}: {error}")),
        };
        let difference = unchanged(original, &made).err()?;
        Some(format!("{rewrites:?}: {difference}\n{}", made.source))
    }
}

/// So many random kernels.
pub fn many<K>(count: usize, seed: u64, random: impl Fn(&mut Random) -> K) -> Vec<K> {
    let mut numbers = Random::new(seed);
    (0..count).map(|_| random(&mut numbers)).collect()
}

/// Whether a pass says that it changed something.
pub fn is_done(made: &Rewritten, pass: &str) -> bool {
    let mut remarks = made.remarks.iter();
    remarks.any(|remark| remark.pass == pass && remark.kind == Kind::Passed)
}

/// Whether a kernel that is launched does the work of several work-items or groups.
pub fn is_coarsened(made: &Rewritten) -> bool {
    // A version of a kernel has a name of its own.
    made.job.launches.iter().any(|launch| {
        let contract = made.contracts.get(&launch.kernel);
        contract.is_some_and(|contract| contract.coarsened().is_some())
    })
}

/// The random test of a pass; `K` is a kernel. All functions get the seed.
pub struct Trial<K> {
    /// The test's name.
    pub test: &'static str,
    /// How many programs.
    pub programs: u64,
    /// The kernels of one program: building costs more than running.
    pub kernels: fn(u64) -> Vec<K>,
    /// Their program, and its launches.
    pub job: fn(&[K], u64) -> Job,
    /// How it is rewritten.
    pub ways: fn(u64) -> Vec<Way>,
}

impl<K> Trial<K> {
    /// Compares each program before and after, in each way, on all implementations.
    ///
    /// # Panics
    /// If a byte differs, or a rewritten kernel does what its original does not.
    pub fn compare(&self) {
        for seed in seeds(self.programs) {
            let fault = |some: &[K]| {
                let original = (self.job)(some, seed);
                let ways = (self.ways)(seed);
                ways.iter().find_map(|way| way.fault(&original))
            };
            let kernels = (self.kernels)(seed);
            let Some(why) = fault(&kernels) else {
                continue;
            };
            let text = |some: &[K]| (self.job)(some, seed).source;
            fail_smallest(self.test, seed, &kernels, &why, fault, text);
        }
    }

    /// Asks of each kernel by itself, rewritten in a `way`, whether something was done to it: `is` gets the
    /// job before and after.
    ///
    /// # Panics
    /// If that is so of no more than the part `least`, a fraction: then the comparison proves little.
    pub fn fires(
        &self,
        least: (usize, usize),
        way: fn(u64) -> Way,
        is: impl Fn(&Job, &Rewritten) -> bool,
    ) {
        self.fires_where(least, way, |_| true, is);
    }

    /// The same of those kernels `among` which it can be.
    ///
    /// # Panics
    /// As [`Trial::fires`].
    pub fn fires_where(
        &self,
        least: (usize, usize),
        way: fn(u64) -> Way,
        among: impl Fn(&K) -> bool,
        is: impl Fn(&Job, &Rewritten) -> bool,
    ) {
        let (mut fired, mut all) = (0, 0);
        for seed in seeds(self.programs) {
            let way = way(seed);
            let kernels = (self.kernels)(seed);
            for kernel in kernels.iter().filter(|kernel| among(kernel)) {
                let original = (self.job)(from_ref(kernel), seed);
                fired += usize::from(is(&original, &way.rewritten(&original)));
                all += 1;
            }
        }
        println!("{}: {fired} of {all} kernels", self.test);
        let (part, of) = least;
        assert!(of * fired > part * all, "{}: {fired} of {all}", self.test);
    }
}
