//! What is asked of the passes. What is asked of one pass alone is declared in its file
//! ([`OwnOptions`]), and read from text by its [`settings`](crate::setting::Setting).

use std::any::{Any, TypeId};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Debug;

/// What only some of the tools that build kernels know.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Feature {
    /// `__attribute__((align_value(N)))`.
    AlignValue,
    /// `#pragma loop_coalesce`.
    LoopCoalesce,
}

/// Choices that passes look at.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PassOptions {
    /// Which kernels have a version that relies on no fact.
    pub general: General,
    /// An object with launches that no fact describes: nothing is proved of all launches then.
    pub unseen: Option<String>,
    /// Kernels that are launched in different ways get no version for each.
    pub one_version: bool,
    /// What the tool that builds the kernels does not know.
    pub unknown_to_tool: BTreeSet<Feature>,
    /// The passes' own: see [`PassOptions::of`].
    pub own: Own,
}

/// The options of a pass, which its file declares.
pub trait OwnOptions: Any + Clone + Debug + Eq + Send + Sync {
    /// What holds where nobody asks for anything.
    const DEFAULT: &'static Self;
}

impl PassOptions {
    /// The options of a pass.
    pub fn of<O: OwnOptions>(&self) -> &O {
        let own = self.own.0.get(&TypeId::of::<O>());
        own.and_then(|own| own.as_any().downcast_ref())
            .unwrap_or(O::DEFAULT)
    }

    /// The same, to be changed.
    pub fn of_mut<O: OwnOptions>(&mut self) -> &mut O {
        let own = self.own.0.entry(TypeId::of::<O>());
        let own = own.or_insert_with(|| Box::new(O::DEFAULT.clone()));
        let own = own.as_any_mut().downcast_mut();
        own.expect("it is kept under its own type")
    }
}

/// Options by their types. Those that are missing are as by default.
#[derive(Debug, Default)]
pub struct Own(BTreeMap<TypeId, Box<dyn Kept>>);

impl Clone for Own {
    fn clone(&self) -> Self {
        let all = self.0.iter().map(|(of, own)| (*of, own.to_box()));
        Own(all.collect())
    }
}

impl PartialEq for Own {
    fn eq(&self, other: &Self) -> bool {
        let holds = |all: &Own, of: &TypeId, own: &dyn Kept| {
            own.is(all.0.get(of).map(|other| other.as_any()))
        };
        self.0.iter().all(|(of, own)| holds(other, of, &**own))
            && other.0.iter().all(|(of, own)| holds(self, of, &**own))
    }
}

impl Eq for Own {}

/// Options of whatever type.
trait Kept: Debug + Send + Sync {
    fn as_any(&self) -> &dyn Any;
    fn as_any_mut(&mut self) -> &mut dyn Any;
    fn to_box(&self) -> Box<dyn Kept>;
    /// Whether they are these, or the default.
    fn is(&self, other: Option<&dyn Any>) -> bool;
}

impl<O: OwnOptions> Kept for O {
    fn as_any(&self) -> &dyn Any {
        self
    }

    fn as_any_mut(&mut self) -> &mut dyn Any {
        self
    }

    fn to_box(&self) -> Box<dyn Kept> {
        Box::new(self.clone())
    }

    fn is(&self, other: Option<&dyn Any>) -> bool {
        let other = other.map_or(Some(O::DEFAULT), |other| other.downcast_ref());
        other == Some(self)
    }
}

/// Which kernels are also built as they are, for launches that a rewritten version cannot take.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum General {
    /// None: such launches fail (`--no-general`).
    Never,
    /// Those that rely on what is not proved.
    #[default]
    Assumed,
    /// All that rely on anything, for what only a fault of the analysis of hosts would need: on
    /// emulators, where it costs no area, no legal launch is to fail for one. As for boards in all else.
    Spare,
    /// All that rely on anything; what was only seen in runs counts like what is proved
    /// (`--keep-general`).
    Always,
}

impl General {
    /// Whether what was only seen in runs is relied on wherever that gains something.
    pub fn seen_counts(self) -> bool {
        self == General::Always
    }

    /// What counts as area: that of a board.
    pub fn of_boards(self) -> Self {
        match self {
            General::Spare => General::Assumed,
            other => other,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Clone, Debug, PartialEq, Eq)]
    struct Lanes(u64);

    impl OwnOptions for Lanes {
        const DEFAULT: &'static Self = &Lanes(1);
    }

    #[test]
    fn options_are_equal_where_one_says_the_default() {
        let (silent, mut said) = (PassOptions::default(), PassOptions::default());
        assert_eq!(said.of_mut::<Lanes>().0, 1);
        assert_eq!(said, silent);
        said.of_mut::<Lanes>().0 = 4;
        assert_ne!(said, silent);
        assert_ne!(silent, said);
        assert_eq!(said.clone(), said);
        assert_eq!(said.of::<Lanes>(), &Lanes(4));
    }
}
