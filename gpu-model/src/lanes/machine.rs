//! A warp that walks through a kernel: its ids, its variables, which lanes take part, and what is noted.

use std::collections::BTreeMap;

use fpgacc_frontend::ir::{
    AddressSpace, ExprId, Function, FunctionId, Module, Scalar, StmtKind, Type, TypeId, VarRef,
};
use fpgacc_frontend::source::Span;
use fpgacc_kernel_analysis::divergence::Divergence;
use fpgacc_kernel_analysis::work_item::Quantity;

use super::closeness::{CLOSEST, Closeness};
use super::early::Apart;
use super::guess::Guess;
use super::meeting::Meeting;
use super::memory;
use super::observed::{AccessSite, BranchKind, Observed, Position};
use super::ops::Products;
use super::range::{Launch, Sample};
use super::value::{Linear, MOST_TERMS, Object, Origin, Sym, Value};
use super::wide::{Mask, Wide};
use crate::device::Device;
use crate::recorded::{Seen, SeenBranch};

/// Operations of warps after which loops are looked at less closely, and after which nothing more is: both bound the time.
pub(super) const MANY_STEPS: u64 = 20_000;
const MOST_STEPS: u64 = 50_000;
/// The longest names, in bytes, of numbers of which a product is named.
const LONGEST: usize = 40;

/// The components of a value: one of a scalar, as many as a vector has.
pub(super) type Values = Vec<Wide>;

/// A function that is walked through.
#[derive(Clone, Copy)]
pub(super) struct Frame {
    /// The number of the call: variables of each are its own.
    pub id: u32,
    pub function: FunctionId,
}

/// A call of a kernel, seen by one warp at a time.
pub(super) struct Machine<'a> {
    pub module: &'a Module,
    pub device: &'a Device,
    pub launch: &'a Launch,
    /// What runs showed.
    pub runs: &'a Seen<'a>,
    runs_known: BTreeMap<(FunctionId, ExprId, BranchKind), Option<SeenBranch>>,
    /// Conditions of branches that `&&` and `||` are, once looked for.
    pub short_circuits: BTreeMap<(FunctionId, ExprId), Option<ExprId>>,
    pub kernel: FunctionId,
    /// Where numbers that are not known come from.
    pub origins: Vec<Origin>,
    known_syms: BTreeMap<Origin, Sym>,
    /// Numbers that are products of two others.
    products: Products,
    pub seen: Observed,
    pub sample: Sample,
    /// Lanes of a warp; those that the group has.
    pub width: usize,
    pub exists: Mask,
    pub frame: Frame,
    pub calls: u32,
    /// The functions that were called, by the number of the call.
    pub functions: Vec<FunctionId>,
    pub depth: u32,
    /// Variables that are looked at one by one.
    pub env: BTreeMap<(u32, VarRef), Values>,
    /// Lanes that returned, left the innermost loop, or its iteration.
    pub returned: Mask,
    pub broken: Mask,
    pub skipped: Mask,
    pub result: Option<Values>,
    /// How often what is done now is done in the launch.
    pub weight: f64,
    /// Why it is not known which lanes take part.
    pub guess: Guess,
    pub meeting: Meeting,
    /// What may differ between work-items of a group; `None`: they meet nowhere, or nobody asks.
    pub divergence: Option<Divergence<'a>>,
    /// What is done now stands for other iterations.
    pub is_sampling: bool,
    /// What is done now is done only if this number is small.
    pub unlikely: Option<Sym>,
    /// Loops around.
    pub loops: u32,
    pub steps: u64,
    /// After so many, nothing more is looked at.
    pub most_steps: u64,
    /// How many iterations are walked.
    pub closeness: Closeness,
    /// Decisions to return or to leave a loop that were in doubt.
    pub doubts: u32,
    /// Lanes that left early and wait for others.
    pub apart: Vec<Apart>,
}

impl<'a> Machine<'a> {
    pub fn new(
        module: &'a Module,
        kernel: FunctionId,
        launch: &'a Launch,
        device: &'a Device,
        runs: &'a Seen<'a>,
    ) -> Self {
        Machine {
            module,
            device,
            launch,
            runs,
            runs_known: BTreeMap::new(),
            short_circuits: BTreeMap::new(),
            kernel,
            origins: Vec::new(),
            known_syms: BTreeMap::new(),
            products: Products::new(),
            seen: Observed::default(),
            sample: Sample {
                group: [0; 3],
                warp: 0,
                weight: 0.0,
            },
            width: device.warp.clamp(1, Mask::BITS) as usize,
            exists: 0,
            frame: Frame {
                id: 0,
                function: kernel,
            },
            calls: 0,
            depth: 0,
            env: BTreeMap::new(),
            returned: 0,
            broken: 0,
            skipped: 0,
            result: None,
            weight: 0.0,
            guess: Guess::default(),
            meeting: Meeting::default(),
            divergence: None,
            is_sampling: false,
            functions: vec![kernel],
            unlikely: None,
            loops: 0,
            steps: 0,
            most_steps: MOST_STEPS,
            closeness: CLOSEST,
            doubts: 0,
            apart: Vec::new(),
        }
    }

    /// Walks a warp through the kernel.
    pub fn warp(&mut self, sample: Sample) {
        let first = sample.warp * self.width as u64;
        let left = self.launch.group_items().saturating_sub(first);
        let count = left.min(self.width as u64) as u32;
        self.exists = match count {
            0 => return,
            64.. => Mask::MAX,
            count => (1 << count) - 1,
        };
        self.sample = sample;
        self.weight = sample.weight;
        self.starts();
        (self.returned, self.broken, self.skipped) = (0, 0, 0);
        self.guess = Guess::default();
        self.env.clear();
        self.calls = 0;
        self.functions.truncate(1);
        self.frame = Frame {
            id: 0,
            function: self.kernel,
        };
        let function = self.function();
        for (index, var) in function.params.iter().enumerate() {
            let value = self.argument(function, index);
            self.env.insert((0, VarRef::Local(*var)), value);
        }
        if let Some(body) = &function.body {
            self.block(&body.stmts, self.exists);
        }
        self.meet(0, true);
    }

    /// Whether there is no time for more.
    pub fn is_late(&mut self) -> bool {
        let is_late = self.steps > self.most_steps;
        self.seen.is_cut |= is_late;
        is_late
    }

    pub fn function(&self) -> &'a Function {
        &self.module.functions[self.frame.function]
    }

    pub fn ty(&self, id: ExprId) -> TypeId {
        self.function().exprs.ty(id)
    }

    /// The scalar of a type, or of a vector's components.
    pub fn scalar(&self, ty: TypeId) -> Option<Scalar> {
        self.module.types.component(ty)
    }

    /// The components of a type's values; 1 of what is no vector.
    pub fn components(&self, ty: TypeId) -> usize {
        self.module
            .types
            .as_vector(ty)
            .map_or(1, |(_, count)| usize::from(count))
    }

    pub fn size(&self, ty: TypeId) -> u64 {
        self.module
            .layout(ty)
            .map_or(1, |layout| layout.size.max(1))
    }

    /// What runs showed of the branch or loop with a condition.
    pub fn run(&mut self, cond: ExprId, kind: BranchKind) -> Option<SeenBranch> {
        let key = (self.frame.function, cond, kind);
        if let Some(known) = self.runs_known.get(&key) {
            return *known;
        }
        let span = self.function().exprs.span(cond);
        let seen = span.and_then(|span| self.runs.branch(span, kind));
        self.runs_known.insert(key, seen);
        seen
    }

    /// The lanes of a mask that still take part.
    pub fn live(&self, mask: Mask) -> Mask {
        mask & !(self.returned | self.broken | self.skipped)
    }

    /// A number of its own that is not known.
    pub fn fresh(&mut self, origin: Origin) -> Sym {
        self.origins.push(origin);
        Sym(self.origins.len() as u32 - 1)
    }

    /// The number that has this origin.
    pub fn named(&mut self, origin: Origin) -> Sym {
        if let Some(&sym) = self.known_syms.get(&origin) {
            return sym;
        }
        let sym = self.fresh(origin.clone());
        self.known_syms.insert(origin, sym);
        sym
    }

    /// A number that is the same for all lanes.
    pub fn unknown(&mut self, origin: Origin) -> Wide {
        Wide::Same(Value::Int(Linear::sym(self.fresh(origin))))
    }

    /// The products of all numbers that are not known in two values; none where they are too many.
    pub fn products(&mut self, lhs: &Wide, rhs: &Wide) -> Products {
        let lane = self.exists.trailing_zeros() as usize;
        let syms = |value: &Value| match value {
            Value::Int(linear) => linear.terms.iter().map(|(sym, _)| *sym).collect(),
            _ => Vec::new(),
        };
        let (lhs, rhs) = (syms(lhs.lane(lane)), syms(rhs.lane(lane)));
        let mut all = Products::new();
        if lhs.len() * rhs.len() > MOST_TERMS {
            return all;
        }
        for &a in &lhs {
            for &b in &rhs {
                let pair = (a.min(b), a.max(b));
                let product = match self.products.get(&pair) {
                    Some(&product) => product,
                    None => {
                        let product = self.fresh(self.origin_of_product(pair));
                        self.products.insert(pair, product);
                        product
                    }
                };
                all.insert(pair, product);
            }
        }
        all
    }

    fn origin_of_product(&self, (a, b): (Sym, Sym)) -> Origin {
        let origin = |sym: Sym| &self.origins[sym.0 as usize];
        match (origin(a), origin(b)) {
            (Origin::Memory, _) | (_, Origin::Memory) => Origin::Memory,
            (Origin::Argument(a), Origin::Argument(b)) if a.len() + b.len() <= LONGEST => {
                Origin::Argument(format!("{a} * {b}"))
            }
            (known @ (Origin::Argument(_) | Origin::Size(_)), Origin::Size(_))
            | (Origin::Size(_), known @ Origin::Argument(_)) => known.clone(),
            _ => Origin::Computed,
        }
    }

    fn argument(&mut self, function: &Function, index: usize) -> Values {
        let parameter = &function.vars[function.params[index]];
        let ty = parameter.ty.ty;
        let types = &self.module.types;
        match types.resolve(ty) {
            Type::Pointer { .. } | Type::Opaque(_) => {
                let pointer = Value::Pointer(Object::Argument(index), Linear::default());
                vec![Wide::Same(pointer)]
            }
            _ => {
                let known = self.launch.scalars.get(index).copied().flatten();
                if let Some(known) = known.filter(|_| types.as_scalar(ty).is_some()) {
                    return vec![Wide::int(known)];
                }
                let sym = self.named(Origin::Argument(parameter.name.clone()));
                vec![Wide::Same(Value::Int(Linear::sym(sym))); self.components(ty)]
            }
        }
    }

    /// A work-item function in a dimension.
    pub fn query(&mut self, quantity: Quantity, dim: usize) -> Wide {
        if dim > 2 {
            return Wide::int(i128::from(quantity.beyond()));
        }
        let launch = self.launch;
        let local = launch.local[dim];
        let group = self.sample.group[dim];
        let size = |this: &mut Self, known: Option<u64>, name: &str| match known {
            Some(known) => Linear::constant(i128::from(known)),
            None => Linear::sym(this.named(Origin::Size(format!("{name} {dim}")))),
        };
        match quantity {
            Quantity::LocalId => self.local_id(dim),
            Quantity::GroupId => Wide::int(i128::from(group)),
            Quantity::LocalSize => Wide::int(i128::from(local)),
            Quantity::GlobalSize => {
                Wide::Same(Value::Int(size(self, launch.global[dim], "global size")))
            }
            Quantity::NumGroups => {
                let groups = launch.global[dim].map(|global| global.div_ceil(local.max(1)));
                Wide::Same(Value::Int(size(self, groups, "number of groups")))
            }
            Quantity::GlobalOffset => {
                Wide::Same(Value::Int(size(self, launch.offset[dim], "global offset")))
            }
            Quantity::GlobalId => {
                let offset = size(self, launch.offset[dim], "global offset");
                let first = Linear::constant(i128::from(group * local));
                let first = offset.plus(&first, 1).unwrap_or_default();
                let ids = self.local_id(dim);
                Wide::of_lanes(self.width, self.exists, |lane| {
                    let id = Linear::constant(ids.lane(lane).known().unwrap_or_default());
                    Value::Int(first.plus(&id, 1).unwrap_or_default())
                })
            }
            Quantity::WorkDim => Wide::int(i128::from(launch.work_dim.max(1))),
            Quantity::LocalLinearId => {
                let first = self.sample.warp * self.width as u64;
                Wide::of_lanes(self.width, self.exists, |lane| {
                    Value::int(i128::from(first) + lane as i128)
                })
            }
            Quantity::GlobalLinearId => {
                let ids = [0, 1, 2].map(|dim| self.query(Quantity::GlobalId, dim));
                let sizes = [0, 1].map(|dim| launch.global[dim]);
                let [Some(x), Some(y)] = sizes else {
                    let sym = self.named(Origin::Size("global size 0".to_string()));
                    return Wide::of_lanes(self.width, self.exists, |_| Value::Open(sym));
                };
                let times = [1, i128::from(x), i128::from(x) * i128::from(y)];
                Wide::of_lanes(self.width, self.exists, |lane| {
                    let known = |dim: usize| ids[dim].lane(lane).known().unwrap_or_default();
                    Value::int((0..3).map(|dim| known(dim) * times[dim]).sum())
                })
            }
        }
    }

    /// Work-items are numbered along x first: that is how GPUs put them into warps.
    fn local_id(&self, dim: usize) -> Wide {
        let [x, y, _] = self.launch.local.map(|size| size.max(1));
        let first = self.sample.warp * self.width as u64;
        Wide::of_lanes(self.width, self.exists, |lane| {
            let item = first + lane as u64;
            let id = match dim {
                0 => item % x,
                1 => item / x % y,
                _ => item / (x * y),
            };
            Value::int(i128::from(id))
        })
    }

    pub(super) fn position(&self, span: Option<Span>) -> Option<Position> {
        Some(Position {
            function: self.frame.function,
            span: span?,
        })
    }

    /// Notes an operation of the lanes that there are.
    pub fn step(&mut self) {
        self.steps += 1;
        self.seen.operations += self.weight * self.width as f64;
    }

    /// Notes an access.
    pub fn access(
        &mut self,
        id: ExprId,
        access: (AddressSpace, u64, bool),
        pointers: &Wide,
        mask: Mask,
    ) {
        let (space, bytes, write) = access;
        let Some(position) = self.position(self.function().exprs.span(id)) else {
            return;
        };
        if mask == 0 {
            return;
        }
        let entry = self
            .seen
            .accesses
            .entry(AccessSite { position, write })
            .or_default();
        entry.space = Some(space);
        entry.open.extend(self.unlikely);
        entry.lanes_guessed |= self.guess.all().lanes;
        entry.in_loop |= self.loops > 0;
        entry.bytes = bytes;
        match space {
            AddressSpace::Local => memory::local(self.device, entry, pointers, mask, self.weight),
            _ => memory::global(self.device, entry, pointers, mask, self.weight),
        }
    }

    /// Notes a branch that the lanes of a mask reach. `idle`: operations of lanes that wait; `issued`: those of what it
    /// guards, and of what is done otherwise.
    pub fn branch(
        &mut self,
        span: Option<Span>,
        kind: BranchKind,
        ways: &Ways,
        (idle, issued): (f64, [f64; 2]),
    ) {
        let Some(position) = self.position(span) else {
            return;
        };
        let weight = self.weight;
        if !matches!(kind, BranchKind::Select | BranchKind::ShortCircuit) {
            let open = ways.open.filter(|_| ways.unclear != 0);
            self.meeting.doubts(ways.data != 0, open);
        }
        let is_last = self.launch.is_last(self.sample.group);
        let entry = self.seen.branches.entry((position, kind)).or_default();
        entry.warps += weight;
        entry.diverged += weight * f64::from(u8::from(ways.is_divergent()));
        entry.skipped += weight * f64::from(u8::from(ways.no != 0));
        entry.is_inside |= ways.is_divergent() && !is_last;
        entry.idle += idle;
        entry.issued = [0, 1].map(|side| entry.issued[side] + issued[side]);
        entry.by_data += weight * f64::from(u8::from(ways.data != 0));
        entry.open.extend(ways.open);
    }

    /// Calls something that is not followed.
    pub fn not_followed(&mut self, what: &'static str) {
        self.seen.not_followed.insert(what);
    }

    /// Which way each lane of a mask goes.
    pub fn ways(&self, condition: &Wide, mask: Mask) -> Ways {
        let mut ways = Ways::default();
        for lane in super::wide::lanes(mask) {
            let bit = 1 << lane;
            match condition.lane(lane) {
                Value::Int(linear) => match (linear.known(), linear.terms.first()) {
                    (Some(0), _) => ways.no |= bit,
                    (None, Some(_)) if condition.same().is_some() => ways.uniform |= bit,
                    (None, Some((sym, _))) => {
                        ways.unclear |= bit;
                        ways.open = Some(*sym);
                    }
                    _ => ways.yes |= bit,
                },
                Value::Likely(holds, sym) => {
                    ways.supposed = Some(*sym);
                    match holds {
                        true => ways.yes |= bit,
                        false => ways.no |= bit,
                    }
                }
                Value::Float(number) if *number == 0.0 => ways.no |= bit,
                Value::Float(_) | Value::Pointer(..) => ways.yes |= bit,
                Value::Data => ways.data |= bit,
                Value::Open(sym) => {
                    ways.unclear |= bit;
                    ways.open = Some(*sym);
                }
            }
        }
        ways
    }
}

/// Which lanes go where at a branch.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Ways {
    /// The condition holds, or does not.
    pub yes: Mask,
    pub no: Mask,
    /// It is the same for all of these, and not known.
    pub uniform: Mask,
    /// It depends on what memory holds.
    pub data: Mask,
    /// It depends on a number that is not known, and may differ.
    pub unclear: Mask,
    /// That number.
    pub open: Option<Sym>,
    /// A number that is supposed to be large.
    pub supposed: Option<Sym>,
}

impl Ways {
    /// Whether lanes are known to go different ways.
    pub fn is_divergent(&self) -> bool {
        self.yes != 0 && self.no != 0
    }

    /// Whether lanes may go different ways, and nobody knows which.
    pub fn differs(&self) -> bool {
        self.data | self.unclear != 0
    }

    /// Lanes of which it is not known.
    pub fn in_doubt(&self) -> Mask {
        self.uniform | self.data | self.unclear
    }
}

/// Whether statements contain a `goto` or a label.
pub(super) fn jumps(kind: &StmtKind) -> bool {
    matches!(kind, StmtKind::Goto(_) | StmtKind::Label(_))
}
