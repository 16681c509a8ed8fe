//! From the kernel IR to a graph of operations.
//!
//! The text is walked in order, with what is known of each variable. Branches become choices (aoc
//! predicates them), calls are inlined, loops that the source unrolls are copied, and the other loops
//! become regions. What an iteration of a loop does to variables is analysed first, on values only ([`induction`]): those
//! that it changes by the same amount each time are polynomials of the iteration when the loop is lowered.

mod accesses;
mod automatic;
mod builder;
mod calls;
mod channels;
mod env;
mod expr;
mod fold;
mod guards;
mod induction;
mod loops;
mod ops;
mod parts;
mod pragmas;
mod same;
mod series;
mod shifts;
mod stmt;
mod trips;
mod turns;
mod value;
mod variable_trips;
mod vectors;

use std::collections::{BTreeMap, BTreeSet};

use builder::Builder;
use env::{Changes, Env};
use fpgacc_frontend::ir::{
    AddressSpace, BinaryOp, ExprId, Function, FunctionId, Module, Qualifiers, Scalar, TypeId,
    VarId, VarRef,
};
use fpgacc_frontend::source::Span;
use fpgacc_kernel_analysis::alias::Root;
use fpgacc_kernel_analysis::poly::{Poly, Sym};
use fpgacc_kernel_analysis::trip_count::Constants;
use fpgacc_runtime::contract::LaunchContract;
use value::{Pointer, Slot, Value};

use super::board::{Board, Operator, Operators};
use super::branches::Arm;
use super::depends::Depends;
use super::graph::{
    Access, Array, ArrayId, Element, Graph, Made, MemoryKind, Node, NodeId, Op, Region, RegionId,
};
use super::launch::LaunchShape;
use super::prediction::{Assumed, Form};

/// Private arrays of at most this many bytes are kept in registers, whatever their indices are
/// (Intel's best practice guide).
const REGISTER_BYTES: u64 = 64;
/// No more copies of one statement than this: it only bounds the time that a prediction takes.
const MAX_COPIES: u64 = 4096;
/// Bytes of a type whose size is not known: those of an `int`, a guess.
const UNKNOWN_BYTES: u64 = 4;
/// No deeper calls than this are followed: it only bounds the time, too.
const MAX_CALLS: usize = 12;
/// Bytes of local memory that a `__local` pointer points to where its size is not known (aoc's default).
const LOCAL_POINTER_BYTES: u64 = 16 * 1024;

/// What is needed to lower a kernel.
#[derive(Clone, Copy)]
pub struct Input<'a> {
    /// The module.
    pub module: &'a Module,
    /// The kernel.
    pub kernel: FunctionId,
    /// The board.
    pub board: &'a Board,
    /// The launch.
    pub launch: &'a LaunchShape,
    /// What passes ask of the runtime.
    pub contract: &'a LaunchContract,
    /// The form that it is built in.
    pub form: Form,
}

/// Lowers a kernel.
pub fn lower(input: &Input<'_>) -> Graph {
    // First to learn which private arrays are only indexed by constants: these become registers.
    let mut first = Lowering::new(input, None);
    first.kernel();
    if first.at.private_arrays.is_subset(&first.at.dynamic) {
        return first.done();
    }
    let mut second = Lowering::new(input, Some(first.at.dynamic));
    second.kernel();
    second.done()
}

/// An operation on integers of a type, and what its result was named.
type Named = (BinaryOp, Scalar, Poly);

/// The walk over a kernel. What only asks for values, to see what a loop does, builds nothing, and leaves nothing but
/// what is `known` ([`Lowering::analyse`]).
struct Lowering<'a> {
    input: &'a Input<'a>,
    module: &'a Module,
    table: &'a Operators,
    /// Private arrays with an index that is not constant, once that is known.
    indexed: Option<BTreeSet<VarKey>>,
    graph: Builder,
    env: Env,
    at: Cursor<'a>,
    known: Known<'a>,
}

/// Where the walk is, and what holds there.
#[derive(Clone)]
struct Cursor<'a> {
    /// The function that is walked.
    function: &'a Function,
    /// The calls that lead there, the kernel's own first.
    calls: Vec<Call>,
    region: RegionId,
    segment: usize,
    /// See [`Node::step`](super::graph::Node).
    step: usize,
    /// The part of the region's iterations that get here.
    share: f64,
    /// Conditions around pick single work-items of a row.
    picked: bool,
    /// The innermost branch around, by number.
    branch: usize,
    /// Copies that unrolling makes of the statement at hand.
    copies: u64,
    /// In a copy beyond the loop's usual trip count.
    idle: bool,
    /// Some iterations of the loop at hand have ended before here.
    continued: bool,
    /// Where only values are asked for: the variables that were set.
    analysed: Option<BTreeSet<Slot>>,
    arrays: BTreeMap<(usize, VarRef), ArrayId>,
    /// Which variables arrays are.
    array_keys: BTreeMap<ArrayId, VarKey>,
    /// Private arrays that are kept in memory if an index is not constant.
    private_arrays: BTreeSet<VarKey>,
    /// Those with an index that is not constant.
    dynamic: BTreeSet<VarKey>,
    /// Values that the function at hand returns.
    returned: Vec<Value>,
}

/// One call of a function.
#[derive(Clone, Copy)]
struct Call {
    function: FunctionId,
    /// The call; `None`: the kernel.
    site: Option<ExprId>,
    /// The number of its variables' frame.
    frame: usize,
}

/// What is known for good: names that are given once, and what holds wherever it is asked again.
#[derive(Default)]
struct Known<'a> {
    /// Integers of which nothing is known but where they come from, by number.
    opaques: Vec<Opaque>,
    /// Those that stand for a variable in any iteration.
    marks: BTreeSet<Sym>,
    /// What operations on integers were named that are not followed.
    numbered: BTreeMap<(Poly, Poly), Vec<Named>>,
    /// What was read since something was stored or a loop began or ended: the array, where, and how many bytes.
    loads: BTreeMap<(usize, Poly, u64), Poly>,
    /// Frames of calls, branches, and operations and arrays that are not built, that have a number.
    frames: usize,
    branches: usize,
    unbuilt: usize,
    /// The arms of branches, by number.
    arms: Vec<Arm>,
    /// Loops that turned out not to be small enough to be automatically unrolled.
    large: BTreeSet<LoopKey>,
    /// Variables that loops change in the same way each time, but not by adding the same, by the number of their symbol.
    series: BTreeMap<usize, series::Series>,
    /// Of integers that are one of two in a loop that is analysed, by the number of their symbol: which, and when.
    choices: BTreeMap<usize, turns::Choice>,
    /// How often so many iterations of a loop have passed: the loop, the text's iterations in one, and how many.
    turns: BTreeMap<(RegionId, u64, i128), Sym>,
    /// Iterations of loops, by where their statements lie, where the text alone says how many there are.
    trips_of_texts: BTreeMap<usize, Option<u64>>,
    /// The integer constants of functions, by where those lie.
    constants: BTreeMap<usize, Constants<'a>>,
    /// What loops set that were analysed as a part of a loop around, with the constant that each of their iterations adds.
    set_by_loops: BTreeMap<LoopKey, Vec<(Slot, Option<i128>)>>,
    /// The variables of which functions write components of vectors.
    components: BTreeMap<FunctionId, BTreeSet<VarRef>>,
    /// Operations on integers.
    operations: BTreeMap<same::Operation, same::Done>,
    /// Sums of integers and constants: what the constant is added to.
    moved_from: BTreeMap<NodeId, NodeId>,
    /// Shift registers, with their bytes.
    shifted: BTreeMap<VarKey, u64>,
    /// Arrays that one pointer goes to, of each two the one with the lower number first.
    shared: BTreeSet<(ArrayId, ArrayId)>,
}

/// Whether an address that comes from memory may be anywhere for the next access of its unit. In NDRanges units see one
/// work-item after another: what all of them read at one location, and add their ids to, is as near as the ids.
fn is_far(graph: &Graph, form: Form, access: &Access) -> bool {
    let along = match form {
        Form::SingleWorkItem => Sym::Iter(access.region),
        Form::NdRange { .. } => Sym::LocalId(0),
    };
    let address = access.address.as_ref();
    access.region == 0 && form == Form::SingleWorkItem
        || address.is_none_or(|address| graph.slope(address, along).is_none())
}

/// An integer of which nothing else is known.
struct Opaque {
    /// The counters and ids on which it depends.
    depends: Depends,
    /// It comes from memory.
    loaded: bool,
    /// How it is made of polynomials.
    made: Option<Made>,
}

/// A variable of a function, over all its calls.
type VarKey = (FunctionId, VarRef);
/// A loop: the calls that lead to it, and where its statement lies.
type LoopKey = (Vec<ExprId>, usize);

impl<'a> Lowering<'a> {
    fn new(input: &'a Input<'a>, indexed: Option<BTreeSet<VarKey>>) -> Self {
        let mut graph = Builder::default();
        let kernel = Call {
            function: input.kernel,
            site: None,
            frame: 0,
        };
        let at = Cursor {
            function: &input.module.functions[input.kernel],
            calls: vec![kernel],
            region: graph.add_region(Region::body()),
            segment: 0,
            step: 0,
            share: 1.0,
            picked: false,
            branch: 0,
            copies: 1,
            idle: false,
            analysed: None,
            arrays: BTreeMap::new(),
            array_keys: BTreeMap::new(),
            private_arrays: BTreeSet::new(),
            continued: false,
            dynamic: BTreeSet::new(),
            returned: Vec::new(),
        };
        Lowering {
            input,
            module: input.module,
            table: &input.board.family().operators,
            indexed,
            graph,
            env: Env::default(),
            at,
            known: Known {
                frames: 1,
                arms: vec![Arm {
                    around: 0,
                    branch: 0,
                    share: 1.0,
                }],
                ..Known::default()
            },
        }
    }

    fn done(self) -> Graph {
        let opaques = self.known.opaques.into_iter();
        let (depends, made) = opaques.map(|opaque| (opaque.depends, opaque.made)).unzip();
        let mut graph = Graph {
            depends,
            made,
            shift_registers: self.known.shifted.into_values().collect(),
            shared: self.known.shared,
            arms: self.known.arms,
            ..self.graph.finish()
        };
        let far = |access: &Access| access.indirect && is_far(&graph, self.input.form, access);
        let far: Vec<bool> = graph.accesses.iter().map(far).collect();
        for (access, far) in graph.accesses.iter_mut().zip(far) {
            access.indirect = far;
        }
        graph
    }

    /// Notes that a pointer goes to the one array or to the other: which of the two it is in, aoc does not know.
    fn goes_to_both(&mut self, here: Option<&Pointer>, there: Option<&Pointer>) {
        if let (Some(Pointer::Memory(a, _)), Some(Pointer::Memory(b, _))) = (here, there)
            && a != b
            && *a.max(b) < self.graph.arrays.len()
        {
            self.known.shared.insert((*a.min(b), *a.max(b)));
        }
    }

    /// Asks for values, with nothing built: the result, the variables that were set, and each variable that was written
    /// with its value at the end. All have their values from before again.
    fn analyse<T>(&mut self, ask: impl FnOnce(&mut Self) -> T) -> (T, BTreeSet<Slot>, Changes) {
        let (at, env) = (self.at.clone(), self.env.mark());
        self.at.analysed = Some(BTreeSet::new());
        self.known.loads.clear();
        let result = ask(self);
        self.known.loads.clear();
        let set = std::mem::replace(&mut self.at, at).analysed;
        (result, set.unwrap_or_default(), self.env.undo(env))
    }

    /// Whether something is built, or only values are asked for.
    fn builds(&self) -> bool {
        self.at.analysed.is_none()
    }

    /// The number of an operation or array that is not built.
    fn unbuilt(&mut self) -> usize {
        self.known.unbuilt += 1;
        usize::MAX - self.known.unbuilt
    }

    fn function_id(&self) -> FunctionId {
        self.call_at_hand().function
    }

    fn frame(&self) -> usize {
        self.call_at_hand().frame
    }

    fn call_at_hand(&self) -> &Call {
        self.at.calls.last().expect("the kernel is a call")
    }

    fn kernel(&mut self) {
        self.geometry();
        let function = self.at.function;
        for (index, &param) in function.params.iter().enumerate() {
            let value = self.parameter(index, param);
            self.env.insert(self.slot(VarRef::Local(param)), value);
        }
        if let Some(body) = &function.body {
            self.block(body);
        }
    }

    /// The values of sizes and ids, on average.
    fn geometry(&mut self) {
        let launch = self.input.launch;
        let is_task = self.input.form == Form::SingleWorkItem;
        for dim in 0..3u8 {
            let at = usize::from(dim);
            let (global, local) = match is_task {
                true => (1.0, 1.0),
                false => launch.sizes(at),
            };
            let groups = (global / local).max(1.0).ceil();
            let graph = &mut self.graph;
            graph.set_value(Sym::LocalSize(dim), local);
            graph.set_value(Sym::NumGroups(dim), groups);
            graph.set_value(Sym::LocalId(dim), (local - 1.0) / 2.0);
            graph.set_value(Sym::GroupId(dim), (groups - 1.0) / 2.0);
        }
    }

    fn parameter(&mut self, index: usize, param: VarId) -> Value {
        let variable = &self.at.function.vars[param];
        if let Some((pointee, space)) = self.module.types.as_pointer(variable.ty.ty) {
            let array = Array {
                name: variable.name.clone(),
                root: Root::Param(param),
                memory: memory_kind(space),
                element: Element::of(self.module, pointee.ty),
                bytes: match space {
                    AddressSpace::Local => Some(LOCAL_POINTER_BYTES),
                    _ => self.input.launch.bytes.get(&(index as u32)).copied(),
                },
                is_restrict: variable.ty.quals.contains(Qualifiers::RESTRICT),
                written: false,
                volatile: pointee.quals.contains(Qualifiers::VOLATILE),
                copies: None,
                home: None,
                scope: 0,
                banks: None,
                by_item: false,
            };
            let id = self.graph.add_array(array);
            return self.pointer_to(id);
        }
        let value = self.opaque(Depends::default(), false);
        let given =
            self.input
                .launch
                .param(self.module, self.at.function, self.input.contract, index);
        if let (Some(sym), Some(given)) = (sole_symbol(&value), given) {
            self.graph.set_value(sym, given.value);
        }
        value
    }

    fn pointer_to(&self, array: ArrayId) -> Value {
        Value {
            pointer: Some(Pointer::Memory(array, Poly::default())),
            ..Value::default()
        }
    }

    fn slot(&self, var: VarRef) -> Slot {
        let frame = match var {
            VarRef::Local(_) => self.frame(),
            VarRef::Global(_) => 0,
        };
        Slot {
            frame,
            var,
            path: Vec::new(),
        }
    }

    /// Gives a variable, or a part of one, a value.
    fn assign(&mut self, slot: Slot, value: Value) {
        if let Some(set) = &mut self.at.analysed {
            set.insert(slot.clone());
        }
        self.env.insert(slot, value);
    }

    /// An integer of which nothing is known but what it depends on.
    fn opaque(&mut self, depends: Depends, loaded: bool) -> Value {
        let number = self.known.opaques.len();
        self.known.opaques.push(Opaque {
            depends,
            loaded,
            made: None,
        });
        Value::integer(Poly::sym(Sym::Opaque(number)))
    }

    /// Notes how an integer of which nothing else is known is made.
    fn note_made(&mut self, value: &Value, made: Made) {
        if let Some(Sym::Opaque(number)) = sole_symbol(value) {
            self.known.opaques[number].made = Some(made);
        }
    }

    /// The number that a polynomial is at this launch; `None`: it is not known, or varies.
    fn exact(&self, poly: &Poly) -> Option<f64> {
        self.is_fixed(poly).then(|| self.graph.evaluate(poly))?
    }

    /// Whether a condition holds, where that is known of this launch.
    fn decided(&self, cond: &Value) -> Option<bool> {
        let Some((op, x, y)) = cond.compared.as_ref() else {
            // `if (n)`: it is not 0.
            return Some(self.exact(cond.poly.as_ref()?)? != 0.0);
        };
        let (x, y) = (self.exact(x)?, self.exact(y)?);
        Some(match op {
            BinaryOp::Lt => x < y,
            BinaryOp::Le => x <= y,
            BinaryOp::Gt => x > y,
            BinaryOp::Ge => x >= y,
            BinaryOp::Eq => x == y,
            BinaryOp::Ne => x != y,
            _ => return None,
        })
    }

    /// The counters and ids on which a polynomial depends.
    fn varies(&self, poly: &Poly) -> Depends {
        let mut all = Depends::default();
        for sym in poly.each_symbol() {
            match sym {
                Sym::Opaque(number) => all.extend(&self.known.opaques[number].depends),
                Sym::LocalSize(_) | Sym::NumGroups(_) => {}
                other => all.insert(other),
            }
        }
        all
    }

    /// Whether a polynomial is the same in all iterations and for all work-items.
    fn is_fixed(&self, poly: &Poly) -> bool {
        poly.each_symbol().all(|sym| match sym {
            Sym::Opaque(number) => self.known.opaques[number].depends.is_empty(),
            Sym::LocalSize(_) | Sym::NumGroups(_) => true,
            _ => false,
        })
    }

    fn is_loaded(&self, poly: &Poly) -> bool {
        poly.each_symbol().any(|sym| match sym {
            Sym::Opaque(number) => self.known.opaques[number].loaded,
            _ => false,
        })
    }

    /// Adds an operation whose operands may lie in regions around this one.
    fn node(
        &mut self,
        op: Op,
        operator: Operator,
        what: &'static str,
        inputs: impl IntoIterator<Item = NodeId>,
        span: Option<Span>,
    ) -> NodeId {
        if !self.builds() {
            return self.unbuilt();
        }
        let inputs = inputs.into_iter();
        let inputs = inputs.filter_map(|input| self.bring(input)).collect();
        self.graph.add_node(Node {
            op,
            operator,
            inputs,
            span,
            region: self.at.region,
            segment: self.at.segment,
            step: self.at.step,
            idle: self.at.idle,
            what,
        })
    }

    /// A value of a region around: the loops on the way in wait for it. It is no operation of this
    /// region then.
    fn bring(&mut self, input: NodeId) -> Option<NodeId> {
        let home = self.graph.nodes[input].region;
        if home == self.at.region {
            return Some(input);
        }
        let mut at = self.at.region;
        while let Some(parent) = self.graph.regions[at].parent {
            if parent == home {
                let node = self.graph.regions[at].node.expect("loops have nodes");
                self.graph.wait(node, input);
                break;
            }
            at = parent;
        }
        None
    }

    /// Adds an array.
    fn add_array(&mut self, array: Array) -> ArrayId {
        match self.builds() {
            true => self.graph.add_array(array),
            false => self.unbuilt(),
        }
    }

    /// Notes what is assumed.
    fn assume(&mut self, assumed: Assumed) {
        if self.builds() {
            self.graph.assume(assumed);
        }
    }

    fn scalar(&self, ty: TypeId) -> Option<Scalar> {
        self.module.types.component(ty)
    }

    fn lanes(&self, ty: TypeId) -> f64 {
        let vector = self.module.types.as_vector(ty);
        vector.map_or(1.0, |(_, width)| f64::from(width))
    }

    fn size(&self, ty: TypeId) -> u64 {
        self.module
            .layout(ty)
            .map_or(UNKNOWN_BYTES, |layout| layout.size.max(1))
    }

    fn is_pointer(&self, id: ExprId) -> bool {
        let ty = self.at.function.exprs.ty(id);
        self.module.types.as_pointer(ty).is_some()
    }
}

/// The symbol of an unknown integer.
fn sole_symbol(value: &Value) -> Option<Sym> {
    value.poly.as_ref()?.each_symbol().min()
}

fn memory_kind(space: AddressSpace) -> MemoryKind {
    match space {
        AddressSpace::Global | AddressSpace::Generic => MemoryKind::External,
        AddressSpace::Constant => MemoryKind::Constant,
        AddressSpace::Local | AddressSpace::Private => MemoryKind::OnChip,
    }
}
