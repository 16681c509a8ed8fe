//! What hosts are about. Stories recur, so that caches of compiled kernels help: a host of a story that was used before
//! is another host, but most of its kernels, original and rewritten, have been compiled before.

use crate::random::Random;

/// Stories that recur.
const POOL: usize = 160;
/// Hosts of one group of stories are built by fpgacc with the same options, and run with the same words.
const GROUPS: usize = 16;
/// Of 100 stories so many recur.
const RECURRING: usize = 99;

/// What a scene does: its statements, and how much of it fpgacc can know.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Story {
    number: usize,
}

impl Story {
    /// A random one.
    pub fn any(r: &mut Random) -> Self {
        let group = r.below(GROUPS);
        Self::of(r, group)
    }

    /// A random one that can stand in the same host.
    pub fn beside(self, r: &mut Random) -> Self {
        Self::of(r, self.number % GROUPS)
    }

    fn of(r: &mut Random, group: usize) -> Self {
        let recurring = POOL / GROUPS;
        let round = match r.chance(RECURRING) {
            true => r.below(recurring),
            false => recurring + r.below(1_000_000),
        };
        Story {
            number: group + GROUPS * round,
        }
    }

    /// Decides all that the story does.
    pub fn seed(self) -> u64 {
        Random::new(0x5701 + self.number as u64).bits()
    }

    /// Words on the command line.
    pub fn words(self) -> usize {
        self.of_group().copy(&[0, 0, 1, 2])
    }

    /// Options of fpgacc that decide what becomes of kernels. None in half of the groups.
    pub fn options(self) -> Vec<&'static str> {
        if (self.number % GROUPS).is_multiple_of(2) {
            return Vec::new();
        }
        let further = [
            "-fexecution-model=swi",
            "-fexecution-model=ndrange",
            "--keep-general",
            "--kernel-opt=3",
            "--kernel-opt=1",
            "--kernel-opt=0",
            "--strict-fp",
            "-fno-specialise",
            "-fno-restrict",
        ];
        let mut r = self.of_group();
        let count = 1 + usize::from(r.chance(30));
        (0..count).map(|_| r.copy(&further)).collect()
    }

    fn of_group(self) -> Random {
        Random::new(0x6a09 + (self.number % GROUPS) as u64)
    }
}
