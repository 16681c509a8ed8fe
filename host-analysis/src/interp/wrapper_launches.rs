//! Launches through OpenCL's C++ wrappers: by methods of queues, and by calls of kernels with `EnqueueArgs`.

use std::rc::Rc;

use fpgacc_frontend::source::Span;

use super::code::Arg;
use super::lvalue::Target;
use super::{Code, Interp};
use crate::number::{IntType, Num};
use crate::syntax::ast::{ExprId, ExprKind};
use crate::types::{Kind, Wrapper, last_name};
use crate::value::Val;

/// A range of one dimension may be given as a number.
fn as_range(value: Val) -> Val {
    let is_number = |v: &Val| matches!(v, Val::Int(..) | Val::Sym(_));
    match value.alternatives().iter().all(is_number) {
        true => Val::Tuple(Rc::from([value])),
        false => value,
    }
}

/// What an argument of `EnqueueArgs` is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
    Queue,
    /// Events to wait for.
    Events,
    Range,
    /// Any of these.
    Open,
}

impl<'a> Interp<'a> {
    /// Whether an argument is declared as a range.
    pub(super) fn is_range(&mut self, (code, arg): &Arg<'a>) -> bool {
        match self.plain_target(code, *arg) {
            Target::Location(location) => self.wrapper_of(&location) == Some(Wrapper::Range),
            _ => false,
        }
    }

    fn role(&mut self, arg: &Arg<'a>, value: &Val) -> Role {
        if matches!(value, Val::Tuple(_)) {
            return Role::Range;
        }
        let held = self.wrapper_held(value);
        let declared = match self.plain_target(&arg.0, arg.1) {
            Target::Location(location) => {
                let is_container = self.is_container(&location);
                let ty = self.whole_type(&location).map(|(ty, _)| ty.base);
                if is_container || ty.is_some_and(|base| last_name(&base) == "Event") {
                    return Role::Events;
                }
                self.wrapper_of(&location)
            }
            _ => None,
        };
        match held.or(declared) {
            Some(Wrapper::Queue) => Role::Queue,
            Some(Wrapper::Range) => Role::Range,
            _ => Role::Open,
        }
    }

    /// `EnqueueArgs`: queue, offset, global, local.
    pub(super) fn enqueue_args(&mut self, args: &[Arg<'a>], values: Vec<Val>) -> Val {
        if let [Val::Tuple(all)] = &values[..]
            && all.len() == 4
        {
            return values.into_iter().next().unwrap_or(Val::Null);
        }
        let mut queue = Val::unknown("the default queue");
        let mut ranges = Vec::new();
        let values: Vec<Val> = values.into_iter().map(as_range).collect();
        let roles = args.iter().zip(&values);
        let mut roles: Vec<Role> = roles.map(|(arg, value)| self.role(arg, value)).collect();
        // After the first range, and at the end, there are only ranges.
        let first = roles.iter().position(|role| *role == Role::Range);
        let last = roles.len().saturating_sub(1);
        for role in &mut roles[first.unwrap_or(last)..] {
            *role = Role::Range;
        }
        let lost = || Val::unknown("`EnqueueArgs` that are not followed");
        if roles.contains(&Role::Open) {
            return Val::Tuple(Rc::from([lost(), lost(), lost(), lost()]));
        }
        for (role, value) in roles.into_iter().zip(values) {
            match role {
                Role::Range => ranges.push(value),
                Role::Queue => queue = value,
                Role::Events | Role::Open => {}
            }
        }
        let none = || Val::Tuple(Rc::from([]));
        let (offset, global, local) = match <[Val; 3]>::try_from(ranges) {
            Ok([offset, global, local]) => (offset, global, local),
            Err(ranges) => {
                let mut ranges = ranges.into_iter();
                let global = ranges.next().unwrap_or_else(lost);
                (none(), global, ranges.next().unwrap_or_else(none))
            }
        };
        Val::Tuple(Rc::from([queue, offset, global, local]))
    }

    /// Whether an argument is an `EnqueueArgs`.
    fn is_enqueue(&mut self, (code, arg): &Arg<'a>) -> bool {
        let tree = code.clone();
        let name = match &tree.ast().expr(*arg).kind {
            ExprKind::Call { callee, .. } => match &tree.ast().expr(*callee).kind {
                ExprKind::Name(name) => name.as_str(),
                _ => return false,
            },
            ExprKind::Construct(ty, _) => ty.base.as_str(),
            ExprKind::Name(_) | ExprKind::Member { .. } => {
                return match self.plain_target(code, *arg) {
                    Target::Location(location) => {
                        self.wrapper_of(&location) == Some(Wrapper::Enqueue)
                    }
                    _ => false,
                };
            }
            _ => return false,
        };
        matches!(
            self.program.types[code.host].wrapper(name),
            Some(Kind::Wrapper(Wrapper::Enqueue))
        )
    }

    /// A call of a value that is no function: of a kernel, which launches it, or of a wrapper,
    /// which gives its handle.
    pub(super) fn call_handle(
        &mut self,
        code: &Code<'a>,
        id: ExprId,
        value: &Val,
        args: &[Arg<'a>],
    ) -> Option<Val> {
        if args.is_empty() {
            let handle = |v: &Val| matches!(v, Val::Handle(_));
            return value
                .alternatives()
                .iter()
                .all(handle)
                .then(|| value.clone());
        }
        if !self.is_enqueue(&args[0]) {
            return None;
        }
        self.memo.invalidate();
        let how = self.eval(&args[0].0, args[0].1);
        for (index, arg) in args[1..].iter().enumerate() {
            self.set_wrapper_arg(value, &Val::int(index as i128), arg);
        }
        let lost = Val::unknown("`EnqueueArgs` that are not followed");
        let (queue, offset, global, local) = match &how {
            Val::Tuple(all) => match &all[..] {
                [queue, offset, global, local] => (queue, offset, global, local),
                _ => (&lost, &lost, &lost, &lost),
            },
            _ => (&lost, &lost, &lost, &lost),
        };
        let site = Self::site_of(code, id);
        self.launch_ranges(site, code.host, [queue, value, offset, global, local]);
        Some(self.result(code, id, "the event of a launch"))
    }

    /// A launch whose sizes are ranges.
    fn launch_ranges(
        &mut self,
        site: Span,
        host: usize,
        [queue, kernel, offset, global, local]: [&Val; 5],
    ) {
        let count = |v: &Val| match v {
            Val::Tuple(all) => Some(all.len()),
            _ => None,
        };
        let dims = match count(global) {
            Some(dims) => Val::int(dims as i128),
            None => {
                let mut counts = global.alternatives().iter().map(count);
                match counts.next().flatten() {
                    Some(first) if counts.all(|c| c == Some(first)) => Val::int(first as i128),
                    _ => Val::unknown("the dimensions of a range that is not followed"),
                }
            }
        };
        let [offset, global, local] =
            [offset, global, local].map(|range| self.range_pointer(range, host));
        self.launch(site, [queue, kernel, &dims, &offset, &global, &local]);
    }

    /// A range as the C functions take it: a pointer to its sizes, or NULL.
    fn range_pointer(&mut self, range: &Val, host: usize) -> Val {
        match range {
            Val::Tuple(all) if all.is_empty() => Val::Null,
            Val::Tuple(all) => {
                let size = Num::Int(IntType::SIZE);
                let sizes = all.iter().map(|v| v.convert(size)).collect();
                let array = self.list_in_location(sizes, "size_t", 0, host);
                Val::Pointer(array.index(0))
            }
            Val::Null | Val::Unset | Val::Zero => Val::Null,
            other => other.clone(),
        }
    }

    /// A launch by a method of a queue, if these are its name and arguments.
    pub(super) fn enqueued(
        &mut self,
        code: &Code<'a>,
        id: ExprId,
        queue: &Val,
        name: &str,
        args: &[Arg<'a>],
    ) -> bool {
        let site = Self::site_of(code, id);
        match (name, args) {
            ("enqueueNDRangeKernel", [_, _, _, ..]) => {
                let mut values: Vec<Val> = self.values(args).into_iter().map(as_range).collect();
                values.resize(values.len().max(4), Val::Tuple(Rc::from([])));
                let [kernel, offset, global, local] = [0, 1, 2, 3].map(|at| &values[at]);
                self.launch_ranges(site, code.host, [queue, kernel, offset, global, local]);
                true
            }
            ("enqueueTask", [_, ..]) => {
                let values = self.values(args);
                self.launch_task(site, [queue, &values[0]]);
                true
            }
            _ => false,
        }
    }

    /// A launch on a queue that is not followed: by a method of this name, which no given class has.
    pub(super) fn enqueued_somewhere(
        &mut self,
        code: &Code<'a>,
        id: ExprId,
        name: &str,
        args: &[Arg<'a>],
    ) -> bool {
        let mut named = self.program.named(name).iter();
        if named.any(|function| self.program.function(*function).class.is_some()) {
            return false;
        }
        let queue = Val::unknown("a queue that is not followed");
        let is_launch = self.enqueued(code, id, &queue, name, args);
        if is_launch {
            self.memo.invalidate();
        }
        is_launch
    }
}
