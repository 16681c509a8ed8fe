//! Which work-items are looked at together, and what they have alike.

use fpgacc_frontend::ir::AddressSpace;
use fpgacc_kernel_analysis::work_item::{Dim, Quantity, Query};
use fpgacc_runtime::contract::Level;

/// Work-items that run the regions of a kernel in turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Alike {
    /// Those of a work-group. It holds the dimensions in which a group has one.
    Group([bool; 3]),
    /// Those that one work-item does the work of, in this dimension: of one group, or the same ones of
    /// several groups.
    Lanes(u8, Level),
}

impl Default for Alike {
    fn default() -> Self {
        Alike::Group([false; 3])
    }
}

impl Alike {
    /// Whether a work-item function returns all of them the same.
    pub fn answers(self, query: Query) -> bool {
        match self {
            Alike::Group(alone) => in_group(query, |d| alone[usize::from(d)]),
            Alike::Lanes(dim, Level::Items) => in_group(query, |d| d != dim),
            Alike::Lanes(dim, Level::Groups) => match query.quantity {
                Quantity::GlobalLinearId => false,
                Quantity::GroupId | Quantity::GlobalId => match query.dim {
                    Dim::Of(d) => d != dim,
                    Dim::Beyond => true,
                    Dim::Computed(_) | Dim::None => false,
                },
                _ => true,
            },
        }
    }

    /// Whether variables in a space are the same ones for all of them.
    pub fn share(self, space: AddressSpace) -> bool {
        match space {
            AddressSpace::Private => false,
            AddressSpace::Local => !matches!(self, Alike::Lanes(_, Level::Groups)),
            _ => true,
        }
    }
}

/// [`Alike::answers`] for work-items of one group that do not differ in some dimensions.
fn in_group(query: Query, same: impl Fn(u8) -> bool) -> bool {
    if !query.quantity.differs_in_group() {
        return true;
    }
    match (query.quantity, query.dim) {
        (Quantity::GlobalId | Quantity::LocalId, Dim::Of(d)) => same(d),
        _ => false,
    }
}
