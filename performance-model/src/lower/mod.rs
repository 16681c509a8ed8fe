//! From the kernel IR to a graph of operations.
//!
//! The text is walked once, in order, with what is known of each variable. Branches become choices
//! (aoc predicates them), calls are inlined, loops that the source unrolls are copied, and the other
//! loops become regions. A loop is walked twice: first to see which variables it changes by the same
//! amount each time, then with these as polynomials of the iteration.

mod calls;
mod env;
mod expr;
mod fold;
mod guards;
mod loops;
mod ops;
mod parts;
mod stmt;
mod trips;
mod uneven;
mod value;

use std::collections::{BTreeMap, BTreeSet};

use env::Env;
use fpgacc_frontend::ir::{
    AddressSpace, BinaryOp, ExprId, Function, FunctionId, Module, Qualifiers, Scalar, TypeId,
    VarId, VarRef,
};
use fpgacc_frontend::source::Span;
use fpgacc_kernel_analysis::alias::Root;
use fpgacc_kernel_analysis::contract::LaunchContract;
use fpgacc_kernel_analysis::poly::{Poly, Sym};
use value::{Pointer, Slot, Value};

use super::board::{Board, Operator, Operators};
use super::graph::{
    Array, ArrayId, Element, Graph, Hints, Node, NodeId, Op, Place, Region, RegionId,
};
use super::launch::LaunchShape;
use super::prediction::{Form, Trip, TripOrigin};

/// Private arrays of at most this many bytes are kept in registers, whatever their indices are
/// (Intel's best practice guide).
const REGISTER_BYTES: u64 = 64;
/// No more copies of one statement than this.
const MAX_COPIES: u64 = 4096;
/// No deeper calls than this are followed.
const MAX_CALLS: usize = 12;
/// Local memory behind a `__local` pointer where nothing tells its size (aoc's default).
const LOCAL_POINTER_BYTES: u64 = 16 * 1024;

/// What is needed to lower a kernel.
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
    if first.private_arrays.is_subset(&first.dynamic) {
        return first.done();
    }
    let mut second = Lowering::new(input, Some(first.dynamic));
    second.kernel();
    second.done()
}

/// An operation on integers of a type, and what its result was named.
type Named = (BinaryOp, Scalar, Poly);

/// The state of lowering.
struct Lowering<'a> {
    input: &'a Input<'a>,
    module: &'a Module,
    table: &'a Operators,
    graph: Graph,
    env: Env,
    /// The function that is walked, and which call of it.
    function: &'a Function,
    function_id: FunctionId,
    frame: usize,
    frames: usize,
    calls: Vec<FunctionId>,
    /// Where each of them, the kernel not counted, is called, and the frames of them all.
    sites: Vec<ExprId>,
    stack: Vec<usize>,
    region: RegionId,
    segment: usize,
    /// See [`graph::Node::step`](super::graph::Node).
    step: usize,
    /// The part of the region's iterations that get here.
    share: f64,
    /// Conditions around pick single work-items of a row.
    picked: bool,
    /// The innermost branch around, by number, and how many there were.
    branch: usize,
    branches: usize,
    /// Copies that unrolling makes of the statement at hand.
    copies: u64,
    /// Loops that turned out not to be small enough to be unrolled unasked.
    large: BTreeSet<LoopKey>,
    /// In a copy beyond the loop's usual trip count.
    idle: bool,
    /// In the first walk of a loop.
    trial: bool,
    /// The variables that were set in it.
    set_in_trial: BTreeSet<Slot>,
    /// What loops set that were walked in the trial of a loop around.
    tried: BTreeMap<LoopKey, Vec<Slot>>,
    opaques: usize,
    /// What operations on integers were named that are not followed.
    numbered: BTreeMap<(Poly, Poly), Vec<Named>>,
    /// Of opaque values, the symbols on which they depend.
    depends: BTreeMap<usize, BTreeSet<Sym>>,
    /// Opaque values that come from memory.
    loaded: BTreeSet<usize>,
    arrays: BTreeMap<(usize, VarRef), ArrayId>,
    /// Which variables arrays are.
    array_keys: BTreeMap<ArrayId, VarKey>,
    /// Private arrays that are kept in memory if an index is not constant.
    private_arrays: BTreeSet<VarKey>,
    /// Private arrays with an index that is not constant.
    dynamic: BTreeSet<VarKey>,
    dynamic_before: Option<BTreeSet<VarKey>>,
    /// Values that the function at hand returns.
    returned: Vec<Value>,
    known_params: BTreeMap<usize, f64>,
}

/// A variable of a function, over all its calls.
type VarKey = (FunctionId, VarRef);
/// A loop: the calls that lead to it, and where its statement lies.
type LoopKey = (Vec<ExprId>, usize);

impl<'a> Lowering<'a> {
    fn new(input: &'a Input<'a>, dynamic_before: Option<BTreeSet<VarKey>>) -> Self {
        let mut graph = Graph::default();
        graph.regions.push(Region {
            parent: None,
            node: None,
            span: None,
            trip: Trip {
                value: 1.0,
                origin: TripOrigin::Known,
            },
            holds: Vec::new(),
            unroll: 1,
            levels: 1,
            joined: false,
            share: 1.0,
            hints: Hints::default(),
            carried: Vec::new(),
            exits: Vec::new(),
            uneven: BTreeSet::new(),
            returns: false,
            loops: Vec::new(),
            barriers: 0,
            meets: false,
        });
        Lowering {
            input,
            module: input.module,
            table: &input.board.family().operators,
            graph,
            env: Env::default(),
            function: &input.module.functions[input.kernel],
            function_id: input.kernel,
            frame: 0,
            frames: 1,
            calls: vec![input.kernel],
            sites: Vec::new(),
            stack: vec![0],
            region: 0,
            segment: 0,
            step: 0,
            share: 1.0,
            picked: false,
            branch: 0,
            branches: 0,
            copies: 1,
            idle: false,
            trial: false,
            large: BTreeSet::new(),
            set_in_trial: BTreeSet::new(),
            tried: BTreeMap::new(),
            opaques: 0,
            numbered: BTreeMap::new(),
            depends: BTreeMap::new(),
            loaded: BTreeSet::new(),
            arrays: BTreeMap::new(),
            array_keys: BTreeMap::new(),
            private_arrays: BTreeSet::new(),
            dynamic: BTreeSet::new(),
            dynamic_before,
            returned: Vec::new(),
            known_params: BTreeMap::new(),
        }
    }

    fn done(mut self) -> Graph {
        self.graph.depends = self.depends;
        self.graph
    }

    fn kernel(&mut self) {
        self.geometry();
        let function = self.function;
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
            let values = &mut self.graph.values;
            values.insert(Sym::LocalSize(dim), local);
            values.insert(Sym::NumGroups(dim), groups);
            values.insert(Sym::LocalId(dim), (local - 1.0) / 2.0);
            values.insert(Sym::GroupId(dim), (groups - 1.0) / 2.0);
        }
    }

    fn parameter(&mut self, index: usize, param: VarId) -> Value {
        let variable = &self.function.vars[param];
        if let Some((pointee, space)) = self.module.types.as_pointer(variable.ty.ty) {
            let array = Array {
                name: variable.name.clone(),
                root: Root::Param(param),
                place: place_of(space),
                element: Element::of(self.module, pointee.ty),
                bytes: match space {
                    AddressSpace::Local => Some(LOCAL_POINTER_BYTES),
                    _ => self.input.launch.bytes.get(&(index as u32)).copied(),
                },
                written: false,
                volatile: pointee.quals.contains(Qualifiers::VOLATILE),
                copies: None,
                banks: None,
                by_item: false,
            };
            let id = self.add_array(array);
            return self.pointer_to(id);
        }
        let value = self.opaque(BTreeSet::new(), false);
        let given = self
            .input
            .launch
            .param(self.module, self.function, self.input.contract, index);
        if let (Some(Sym::Opaque(number)), Some(given)) = (sole_symbol(&value), given) {
            self.graph.values.insert(Sym::Opaque(number), given.value);
            self.known_params.insert(number, given.value);
        }
        value
    }

    fn add_array(&mut self, array: Array) -> ArrayId {
        self.graph.arrays.push(array);
        self.graph.arrays.len() - 1
    }

    fn pointer_to(&self, array: ArrayId) -> Value {
        Value {
            pointer: Some(Pointer::Memory(array, Poly::default())),
            ..Value::default()
        }
    }

    fn slot(&self, var: VarRef) -> Slot {
        let frame = match var {
            VarRef::Local(_) => self.frame,
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
        if self.trial {
            self.set_in_trial.insert(slot.clone());
        }
        self.env.insert(slot, value);
    }

    /// An integer of which nothing is known but what it depends on.
    fn opaque(&mut self, depends: BTreeSet<Sym>, loaded: bool) -> Value {
        let number = self.opaques;
        self.opaques += 1;
        self.depends.insert(number, depends);
        if loaded {
            self.loaded.insert(number);
        }
        Value::integer(Poly::sym(Sym::Opaque(number)))
    }

    /// The counters and ids on which a polynomial depends.
    fn varies(&self, poly: &Poly) -> BTreeSet<Sym> {
        let mut all = BTreeSet::new();
        for sym in poly.symbols() {
            match sym {
                Sym::Opaque(number) => all.extend(self.depends[&number].iter().copied()),
                Sym::LocalSize(_) | Sym::NumGroups(_) => {}
                other => {
                    all.insert(other);
                }
            }
        }
        all
    }

    fn is_loaded(&self, poly: &Poly) -> bool {
        let symbols = poly.symbols();
        symbols.iter().any(|sym| match sym {
            Sym::Opaque(number) => self.loaded.contains(number),
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
        let inputs: Vec<NodeId> = inputs.into_iter().collect();
        let inputs = inputs
            .into_iter()
            .filter_map(|input| self.bring(input))
            .collect();
        self.graph.nodes.push(Node {
            op,
            operator,
            inputs,
            span,
            region: self.region,
            segment: self.segment,
            step: self.step,
            idle: self.idle,
            what,
        });
        self.graph.nodes.len() - 1
    }

    /// A value of a region around: the loops on the way in wait for it. It is no operation of this
    /// region then.
    fn bring(&mut self, input: NodeId) -> Option<NodeId> {
        let home = self.graph.nodes[input].region;
        if home == self.region {
            return Some(input);
        }
        let mut at = self.region;
        while let Some(parent) = self.graph.regions[at].parent {
            if parent == home {
                let node = self.graph.regions[at].node.expect("loops have nodes");
                let inputs = &mut self.graph.nodes[node].inputs;
                if !inputs.contains(&input) {
                    inputs.push(input);
                }
                break;
            }
            at = parent;
        }
        None
    }

    fn scalar(&self, ty: TypeId) -> Option<Scalar> {
        let types = &self.module.types;
        types
            .as_scalar(ty)
            .or_else(|| types.as_vector(ty).map(|(scalar, _)| scalar))
    }

    fn lanes(&self, ty: TypeId) -> f64 {
        let vector = self.module.types.as_vector(ty);
        vector.map_or(1.0, |(_, width)| f64::from(width))
    }

    fn size(&self, ty: TypeId) -> u64 {
        self.module
            .layout(ty)
            .map_or(4, |layout| layout.size.max(1))
    }

    fn is_pointer(&self, id: ExprId) -> bool {
        let ty = self.function.exprs.ty(id);
        self.module.types.as_pointer(ty).is_some()
    }
}

/// The symbol of an unknown integer.
fn sole_symbol(value: &Value) -> Option<Sym> {
    value.poly.as_ref()?.symbols().into_iter().next()
}

fn place_of(space: AddressSpace) -> Place {
    match space {
        AddressSpace::Global | AddressSpace::Generic => Place::External,
        AddressSpace::Constant => Place::Constant,
        AddressSpace::Local | AddressSpace::Private => Place::OnChip,
    }
}
