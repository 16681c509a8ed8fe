//! Ids of work-items, spelled in every form.

use super::maker::Maker;

impl Maker {
    /// The global id in a dimension, as a `uint`.
    pub(super) fn global_id(&mut self, dim: usize) -> String {
        let local = self.shape.local[dim];
        let forms = if self.shape.null_local { 3 } else { 6 };
        match self.v.below(forms) {
            0 if dim == 0 && !self.scope.in_function => "(uint)gx".to_string(),
            0 | 1 => format!("(uint)get_global_id({dim})"),
            2 => format!("global_id({dim})"),
            3 => format!(
                "(uint)(get_group_id({dim}) * get_local_size({dim}) + get_local_id({dim}) + get_global_offset({dim}))"
            ),
            4 => format!(
                "(uint)(get_global_offset({dim}) + get_local_id({dim}) + {local} * get_group_id({dim}))"
            ),
            _ => format!("(group_base({dim}) + (uint)get_local_id({dim}))"),
        }
    }

    /// The local id in a dimension, as a `uint`; not where the host leaves the group open.
    pub(super) fn local_id(&mut self, dim: usize) -> String {
        let local = self.shape.local[dim];
        match self.v.below(4) {
            0 | 1 => format!("(uint)get_local_id({dim})"),
            2 => format!("(uint)((get_global_id({dim}) - get_global_offset({dim})) % {local})"),
            _ => format!("(global_id({dim}) - group_base({dim}))"),
        }
    }

    /// The work-item's number in its group, as a `uint`.
    pub(super) fn flat_local(&mut self) -> String {
        if self.shape.null_local {
            return "0u".to_string();
        }
        let [x, y, _] = self.shape.local;
        match (self.v.below(5), self.shape.dims) {
            (0 | 1, _) => "l".to_string(),
            (2, _) => "flat_local_id()".to_string(),
            (_, 1) => self.local_id(0),
            (_, 2) => format!("({} * {x} + {})", self.local_id(1), self.local_id(0)),
            _ => format!(
                "(({} * {y} + {}) * {x} + {})",
                self.local_id(2),
                self.local_id(1),
                self.local_id(0)
            ),
        }
    }

    /// The group's number, as a `uint`.
    pub(super) fn flat_group(&mut self) -> String {
        let [x, y, _] = self.shape.groups;
        match (self.v.below(3), self.shape.dims) {
            (0, _) => "flat_group_id()".to_string(),
            (_, 1) => "(uint)get_group_id(0)".to_string(),
            (1, 2) => format!("(uint)(get_group_id(1) * {x} + get_group_id(0))"),
            (_, 2) => "(uint)(get_num_groups(0) * get_group_id(1) + get_group_id(0))".to_string(),
            _ => {
                format!("(uint)((get_group_id(2) * {y} + get_group_id(1)) * {x} + get_group_id(0))")
            }
        }
    }

    /// The work-item's number, from 0, as a `uint`.
    pub(super) fn flat_global(&mut self) -> String {
        let [x, y] = [0, 1].map(|dim| self.shape.global(dim));
        let at = |dim: usize| format!("(get_global_id({dim}) - get_global_offset({dim}))");
        match (self.v.below(4), self.shape.dims) {
            (0 | 1, _) => "at".to_string(),
            (2, _) => "flat_global_id()".to_string(),
            (_, 1) => format!("(uint){}", at(0)),
            (_, 2) => format!("(uint)({} * get_global_size(0) + {})", at(1), at(0)),
            _ => format!("(uint)(({} * {y} + {}) * {x} + {})", at(2), at(1), at(0)),
        }
    }
}

/// Functions of all programs that return ids.
pub(super) const FUNCTIONS: &str = "struct pair {
uint p;
uint2 q;
};
uint global_id(uint d) {
return get_global_id(d);
}
uint group_base(const uint d) {
return get_group_id(d) * get_local_size(d) + get_global_offset(d);
}
uint flat_local_id(void) {
return (get_local_id(2) * get_local_size(1) + get_local_id(1)) * get_local_size(0) + get_local_id(0);
}
uint flat_group_id(void) {
return (get_group_id(2) * get_num_groups(1) + get_group_id(1)) * get_num_groups(0) + get_group_id(0);
}
uint flat_global_id(void) {
uint z = get_global_id(2) - get_global_offset(2);
uint y = get_global_id(1) - get_global_offset(1);
return (z * get_global_size(1) + y) * get_global_size(0) + get_global_id(0) - get_global_offset(0);
}
";
