//! Functions that all work-items of a group call together.

/// Whether a builtin is one in which all work-items of a group take part, barriers aside.
pub fn is_collective(name: &str) -> bool {
    const OTHERS: [&str; 3] = ["work_group_all", "work_group_any", "work_group_broadcast"];
    name.starts_with("async_work_group_")
        || name == "wait_group_events"
        || name.starts_with("work_group_reduce_")
        || name.starts_with("work_group_scan_")
        || OTHERS.contains(&name)
}
