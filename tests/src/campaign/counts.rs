//! What a campaign has seen.

use std::collections::BTreeMap;
use std::fmt;

use fpgacc_device_passes::remark::{Kind, Remark};
use serde::{Deserialize, Serialize};

use crate::cause::Cause;
use crate::resumable::{Tally, merge};
use crate::run::Platform;

/// Numbers of kernels, if nothing else is said.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counts {
    /// Generated, each launched once.
    pub kernels: u64,
    /// With barriers.
    pub with_barriers: u64,
    /// Compared with a kernel that is spelled in another way.
    pub twins: u64,
    /// Launches compared, by implementation: one for each form of a kernel.
    pub compared: BTreeMap<Platform, u64>,
    /// Rewritten, by pass, in one form at least.
    pub fired: BTreeMap<String, u64>,
    /// Left alone by a pass, by reason.
    pub refused: BTreeMap<String, u64>,
    /// Whose original does something else on an implementation than under Oclgrind.
    pub disagreements: BTreeMap<Platform, u64>,
    /// Of these, where the rewritten kernel also does something else on the implementation.
    pub no_witness: BTreeMap<Platform, u64>,
    /// The disagreements by implementation and what makes it right.
    #[serde(default)]
    pub causes: BTreeMap<String, u64>,
    /// What kernels do that C leaves undefined: originals, and rewritten ones whose originals are not known to the end.
    #[serde(default)]
    pub undefined: BTreeMap<String, u64>,
    /// Whose rewritten form is wrong.
    pub failures: u64,
}

impl Tally for Counts {
    const ITEMS: &'static str = "kernels";

    fn items(&self) -> u64 {
        self.kernels
    }

    fn failures(&self) -> u64 {
        self.failures
    }
}

impl Counts {
    /// Adds what another count has seen.
    pub fn add(&mut self, other: &Counts) {
        self.kernels += other.kernels;
        self.with_barriers += other.with_barriers;
        self.twins += other.twins;
        self.failures += other.failures;
        merge(&mut self.compared, &other.compared);
        merge(&mut self.fired, &other.fired);
        merge(&mut self.refused, &other.refused);
        merge(&mut self.disagreements, &other.disagreements);
        merge(&mut self.no_witness, &other.no_witness);
        merge(&mut self.causes, &other.causes);
        merge(&mut self.undefined, &other.undefined);
    }

    /// Counts why a form of a kernel, or a program, is wrong on an implementation.
    pub fn cause(&mut self, platform: Platform, form: &str, cause: Cause) {
        let reason = format!("{platform:?}, {form}: {cause}");
        *self.causes.entry(reason).or_default() += 1;
    }

    /// Counts what passes say.
    pub fn remarks(&mut self, remarks: &[Remark]) {
        let mut fired: Vec<(&str, &str)> = Vec::new();
        for remark in remarks {
            if remark.kind == Kind::Missed {
                let reason = format!("{}: {}", remark.pass, without_names(&remark.note.text));
                *self.refused.entry(reason).or_default() += 1;
            } else {
                fired.push((remark.pass, &remark.kernel));
            }
        }
        fired.sort_unstable();
        fired.dedup();
        for (pass, _) in fired {
            *self.fired.entry(pass.to_string()).or_default() += 1;
        }
    }
}

/// The text with quoted names and numbers left out, so that equal reasons are equal.
fn without_names(text: &str) -> String {
    let parts = text.split('\'').enumerate();
    let parts = parts.map(|(index, part)| match index % 2 {
        0 => part.to_string(),
        _ => "'..'".to_string(),
    });
    let text: String = parts.collect();
    let text: String = text
        .chars()
        .map(|c| if c.is_ascii_digit() { '#' } else { c })
        .collect();
    text
}

impl fmt::Display for Counts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{:>9} kernels generated", self.kernels)?;
        writeln!(f, "{:>9} with barriers", self.with_barriers)?;
        writeln!(f, "{:>9} compared with a twin", self.twins)?;
        for (platform, count) in &self.compared {
            writeln!(f, "{count:>9} compared on {platform:?}")?;
        }
        for (pass, count) in &self.fired {
            writeln!(f, "{count:>9} rewritten by {pass}")?;
        }
        for (platform, count) in &self.disagreements {
            writeln!(
                f,
                "{count:>9} whose original disagrees with Oclgrind on {platform:?} ({} rewritten ones too)",
                self.no_witness.get(platform).unwrap_or(&0)
            )?;
        }
        for (reason, count) in &self.causes {
            writeln!(f, "{count:>9} wrong on {reason}")?;
        }
        for (what, count) in &self.undefined {
            writeln!(f, "{count:>9} undefined, {what}")?;
        }
        for (reason, count) in &self.refused {
            writeln!(f, "{count:>9} not rewritten: {reason}")?;
        }
        write!(f, "{:>9} failures", self.failures)
    }
}

#[cfg(test)]
mod tests {
    use fpgacc_device_passes::pass::Note;

    use super::*;

    #[test]
    fn reasons_are_counted_without_names() {
        let remark = |kernel: &str| {
            let note = Note::new(format!("a barrier in '{kernel}' at line 12"), None);
            Remark::new(Kind::Missed, "p", kernel, &note, None)
        };
        let mut counts = Counts::default();
        counts.remarks(&[remark("k1"), remark("k2")]);
        let refused: Vec<_> = counts.refused.into_iter().collect();
        assert_eq!(
            refused,
            [("p: a barrier in '..' at line ##".to_string(), 2)]
        );
    }
}
