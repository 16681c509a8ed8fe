//! Writes tiles: their arrays, the code that fills them, and the reads.

use std::collections::BTreeMap;

use fpgacc_frontend::ir::{
    AddressSpace, BinaryOp, ExprId, FileNames, Function, QualType, Scalar, Stmt, StmtKind, Type,
    TypeId, Types, VarId, Variable,
};
use fpgacc_kernel_analysis::faults;
use fpgacc_kernel_analysis::poly::{Poly, Sym};

use super::shape::{Along, Holds, Part, Tile, both};
use super::terms::{Uniform, Writer};

/// Names of the locations in a tile, the last dimension first.
const DIMENSIONS: [&str; 4] = ["column", "row", "plane", "volume"];
/// Names of a work-item's positions in its group.
const ITEMS: [&str; 3] = ["item_x", "item_y", "item_z"];
/// Names of the global ids of a group's first work-item.
const FIRSTS: [&str; 3] = ["group_x", "group_y", "group_z"];

/// A number of a work-item: a constant, or an expression.
enum Item {
    Constant(i128),
    Of(ExprId),
}

/// A kernel that gets tiles.
pub struct Codegen<'c> {
    /// The kernel.
    pub function: &'c mut Function,
    /// The module's types.
    pub types: &'c mut Types,
    /// Names at file scope.
    pub names: &'c FileNames,
    /// What opaque symbols mean.
    pub uniform: &'c [Uniform],
    /// What variables are declared to be.
    pub declared: &'c BTreeMap<VarId, ExprId>,
    /// The local size.
    pub local: [u64; 3],
    /// The local ids, where they are needed.
    pub items: [Option<VarId>; 3],
    /// The global ids of the group's first work-item, where they are needed.
    pub firsts: [Option<VarId>; 3],
    /// The first iteration of the strip.
    pub first: Option<VarId>,
    /// The counters of loops, by their numbers; of strips, of their iterations.
    pub counters: BTreeMap<usize, VarId>,
}

impl Codegen<'_> {
    pub(super) fn writer(&mut self) -> Writer<'_> {
        Writer {
            function: self.function,
            types: self.types,
            uniform: self.uniform,
            strip: self.first,
            firsts: self.firsts,
            declared: self.declared,
        }
    }

    fn scalar(&mut self, scalar: Scalar) -> TypeId {
        self.types.scalar(scalar)
    }

    fn int(&mut self, value: u64) -> ExprId {
        self.function.exprs.int(self.types, value as i64)
    }

    pub(super) fn binary(&mut self, op: BinaryOp, lhs: ExprId, rhs: ExprId) -> ExprId {
        self.function.exprs.binary(self.types, op, lhs, rhs)
    }

    pub(super) fn variable(&mut self, name: &str, scalar: Scalar) -> VarId {
        let ty = self.scalar(scalar);
        self.function.add_var(name, ty, self.names)
    }

    /// A work-item's position in its group, as an `int`.
    fn item(&mut self, d: u8) -> VarId {
        let at = usize::from(d);
        if let Some(var) = self.items[at] {
            return var;
        }
        let var = self.variable(ITEMS[at], Scalar::Int);
        self.items[at] = Some(var);
        var
    }

    /// Declares the ids that were asked for.
    pub fn declared_items(&mut self) -> Vec<Stmt> {
        let (items, firsts) = (self.items, self.firsts);
        let mut stmts = Vec::new();
        for (d, var) in (0..).zip(items).filter_map(|(d, var)| Some((d, var?))) {
            let id = self.writer().query("get_local_id", d);
            stmts.push(Stmt::define(var, id));
        }
        for (d, var) in (0..).zip(firsts).filter_map(|(d, var)| Some((d, var?))) {
            let [global, local] =
                ["get_global_id", "get_local_id"].map(|name| self.writer().query(name, d));
            let first = self.binary(BinaryOp::Sub, global, local);
            stmts.push(Stmt::define(var, first));
        }
        stmts
    }

    /// Makes variables of the first ids that a tile's addresses and conditions name.
    fn need_firsts(&mut self, tile: &Tile) {
        let mut polys = vec![&tile.first];
        for holds in tile.parts.iter().flat_map(|part| &part.holds) {
            match holds {
                Holds::Element { base, .. }
                | Holds::Item { base, .. }
                | Holds::Group { base, .. } => polys.push(base),
                Holds::Uniform { .. } => {}
            }
        }
        polys.extend(tile.dims.iter().map(|dim| &dim.stride));
        for sym in polys.into_iter().flat_map(Poly::symbols) {
            if let Sym::Opaque(number) = sym
                && let Uniform::First(d) = self.uniform[number]
                && self.firsts[usize::from(d)].is_none()
            {
                let var = self.variable(FIRSTS[usize::from(d)], Scalar::UInt);
                self.firsts[usize::from(d)] = Some(var);
            }
        }
    }

    /// The array of a tile, and its declaration.
    pub fn array(&mut self, tile: &Tile) -> (VarId, Stmt) {
        let mut ty = tile.element;
        for dim in tile.dims.iter().rev() {
            let element = QualType::plain(ty);
            let len = Some(dim.extent(self.local));
            ty = self.types.intern(Type::Array { element, len });
        }
        let hint = format!("{}_tile", self.function.vars[tile.param].name);
        let name = self.function.fresh_name(&hint, self.names);
        let var = self
            .function
            .vars
            .add(Variable::new(name, ty, AddressSpace::Local));
        (var, Stmt::declare(var))
    }

    /// Lets the reads of a tile read its array.
    pub fn redirect(&mut self, tile: &Tile, array: VarId) {
        for (at, along) in &tile.reads {
            let mut element = self.function.use_var(array);
            for along in along {
                let index = self.position(along);
                element = self.function.exprs.index(self.types, element, index);
            }
            self.function.exprs.replace_by(*at, element);
        }
    }

    /// Where in a dimension a read reads.
    fn position(&mut self, along: &Along) -> ExprId {
        let moves = along.moves.plus(&Poly::constant(along.apart), 1);
        let mut sum: Option<ExprId> = None;
        let terms: Vec<(Option<Sym>, i128)> = moves
            .terms()
            .map(|(symbols, by)| (symbols.first().copied(), by))
            .collect();
        let (added, taken): (Vec<_>, Vec<_>) = terms
            .into_iter()
            .partition(|(sym, by)| sym.is_some() && *by > 0);
        for (sym, by) in added.into_iter().chain(taken) {
            let term = match sym {
                Some(Sym::LocalId(d)) => {
                    let item = self.item(d);
                    self.function.use_var(item)
                }
                Some(Sym::Iter(number)) => {
                    let counter = self.counters[&number];
                    let counter = self.function.use_var(counter);
                    let int = self.scalar(Scalar::Int);
                    self.writer().converted(counter, int)
                }
                _ => self.int(by.unsigned_abs() as u64),
            };
            sum = Some(match (sum, by < 0) {
                (None, false) => term,
                (Some(sum), false) => self.binary(BinaryOp::Add, sum, term),
                (sum, true) => {
                    let from = sum.unwrap_or_else(|| self.int(0));
                    self.binary(BinaryOp::Sub, from, term)
                }
            });
        }
        sum.unwrap_or_else(|| self.int(0))
    }

    /// Loads a tile, the work-items of the group together.
    pub fn fill(&mut self, tile: &Tile, array: VarId) -> Vec<Stmt> {
        self.need_firsts(tile);
        let name = self.function.vars[tile.param].name.clone();
        let (index_ty, is_wide) = tile.index;
        let scalar = if is_wide { Scalar::ULong } else { Scalar::UInt };
        let first = self.variable(&format!("{name}_first"), scalar);
        let value = self.uniform_poly(&tile.first, is_wide);
        let mut stmts = vec![Stmt::define(first, value)];
        let count = tile.dims.len();
        let hints = (0..count).map(|at| DIMENSIONS[(count - 1 - at).min(DIMENSIONS.len() - 1)]);
        let hints: Vec<&str> = hints.collect();
        let positions: Vec<VarId> = hints
            .into_iter()
            .map(|hint| self.variable(hint, Scalar::Int))
            .collect();
        let load = self.load(tile, array, (first, index_ty, is_wide), &positions);
        stmts.append(&mut self.over(tile, &positions, load));
        stmts
    }

    fn uniform_poly(&mut self, poly: &Poly, is_wide: bool) -> ExprId {
        let mut none = |_: &mut Function, _: Sym| unreachable!("it is uniform");
        self.writer().poly(poly, is_wide, &mut none)
    }

    /// One element, if somebody reads it.
    fn load(
        &mut self,
        tile: &Tile,
        array: VarId,
        (first, index_ty, is_wide): (VarId, TypeId, bool),
        positions: &[VarId],
    ) -> Stmt {
        let mut way = Poly::default();
        for (at, dim) in tile.dims.iter().enumerate() {
            let moved = dim.stride.times(&Poly::sym(Sym::Iter(at)));
            way = way.plus(&moved.unwrap_or_default(), 1);
        }
        let way = self.at_positions(&way, is_wide, positions);
        let first = self.function.use_var(first);
        let unsigned = self.function.exprs.ty(first);
        let index = self.writer().wrapping(BinaryOp::Add, first, way, unsigned);
        let index = self.writer().converted(index, index_ty);
        let buffer = self.function.use_var(tile.param);
        let element = self.function.exprs.index(self.types, buffer, index);
        let mut target = self.function.use_var(array);
        for position in positions {
            let position = self.function.use_var(*position);
            target = self.function.exprs.index(self.types, target, position);
        }
        let load = self.function.exprs.assign(None, target, element);
        let load = Stmt::new(StmtKind::Expr(load));
        match self.somebody_reads(tile, positions) {
            None => load,
            Some(cond) => Stmt::only_if(cond, vec![load]),
        }
    }

    /// A polynomial of locations.
    fn at_positions(&mut self, poly: &Poly, is_wide: bool, positions: &[VarId]) -> ExprId {
        let mut of = |function: &mut Function, sym: Sym| match sym {
            Sym::Iter(at) => function.use_var(positions[at]),
            _ => unreachable!("only positions vary"),
        };
        self.writer().poly(poly, is_wide, &mut of)
    }

    /// Whether a work-item reads an element; `None`: one does.
    fn somebody_reads(&mut self, tile: &Tile, positions: &[VarId]) -> Option<ExprId> {
        if faults::is_on("tile-unguarded") {
            return None;
        }
        let mut any: Option<ExprId> = None;
        for part in &tile.parts {
            let all = self.reads_of(tile, part, positions);
            let whole = all
                .into_iter()
                .reduce(|all, one| self.binary(BinaryOp::And, all, one))?;
            any = Some(match any {
                None => whole,
                Some(any) => self.binary(BinaryOp::Or, any, whole),
            });
        }
        any
    }

    fn reads_of(&mut self, tile: &Tile, part: &Part, positions: &[VarId]) -> Vec<ExprId> {
        let mut all = Vec::new();
        for (at, dim) in tile.dims.iter().enumerate() {
            let (low, high) = part.offsets[at];
            if low > 0 {
                all.push(self.compare(BinaryOp::Ge, positions[at], low as u64));
            }
            if high < dim.high - dim.low {
                let last = high as u64 + dim.id.map_or(0, |id| self.local[usize::from(id)] - 1);
                all.push(self.compare(BinaryOp::Le, positions[at], last));
            }
        }
        for holds in &part.holds {
            let cond = self.holds(tile, part, holds, positions);
            all.push(cond);
        }
        for upper in &part.holds {
            for lower in &part.holds {
                let (Some((a, true)), Some((b, false))) = (upper.is_upper(), lower.is_upper())
                else {
                    continue;
                };
                if let Some((holds, value)) = both(upper, lower).filter(|_| a == b) {
                    all.extend(self.at_value(holds, value));
                }
            }
        }
        all
    }

    fn compare(&mut self, op: BinaryOp, var: VarId, with: u64) -> ExprId {
        let (var, with) = (self.function.use_var(var), self.int(with));
        self.binary(op, var, with)
    }

    fn holds(&mut self, tile: &Tile, part: &Part, holds: &Holds, positions: &[VarId]) -> ExprId {
        match holds {
            Holds::Uniform { cond, want } => {
                let cond = self.writer().expanded(*cond);
                match want {
                    true => cond,
                    false => self.function.exprs.not(self.types, cond),
                }
            }
            Holds::Group {
                base,
                ty,
                op,
                other,
            } => {
                let is_wide = self.is_wide(*ty);
                let side = self.uniform_poly(base, is_wide);
                self.compared(side, *ty, *op, *other)
            }
            Holds::Element {
                dim,
                base,
                ty,
                op,
                other,
            } => {
                let poly = base.plus(&Poly::sym(Sym::Iter(*dim)), 1);
                let is_wide = self.is_wide(*ty);
                let side = self.at_positions(&poly, is_wide, positions);
                self.compared(side, *ty, *op, *other)
            }
            Holds::Item {
                id,
                base,
                ty,
                op,
                other,
                ..
            } => {
                let is_upper = matches!(op, BinaryOp::Lt | BinaryOp::Le);
                let is_wide = self.is_wide(*ty);
                let item = match self.reader(tile, part, *id, is_upper, positions) {
                    Item::Constant(value) => {
                        let poly = base.plus(&Poly::constant(value), 1);
                        let side = self.uniform_poly(&poly, is_wide);
                        return self.compared(side, *ty, *op, *other);
                    }
                    Item::Of(item) => item,
                };
                let poly = base.plus(&Poly::sym(Sym::LocalId(*id)), 1);
                let mut of = |_: &mut Function, _: Sym| item;
                let side = self.writer().poly(&poly, is_wide, &mut of);
                self.compared(side, *ty, *op, *other)
            }
        }
    }

    fn is_wide(&self, ty: TypeId) -> bool {
        let scalar = self.types.as_scalar(ty);
        scalar.is_some_and(|scalar| scalar.size() == 8)
    }

    fn compared(&mut self, side: ExprId, ty: TypeId, op: BinaryOp, other: ExprId) -> ExprId {
        let side = self.writer().converted(side, ty);
        let other = self.writer().expanded(other);
        self.binary(op, side, other)
    }

    /// A bound with a number in the place of a work-item's.
    fn at_value(&mut self, holds: &Holds, value: i128) -> Option<ExprId> {
        let Holds::Item { ty, op, other, .. } = holds else {
            return None;
        };
        let value = self.int(u64::try_from(value).ok()?);
        Some(self.compared(value, *ty, *op, *other))
    }

    /// The first or the last of the work-items that an element is within reach of.
    fn reader(
        &mut self,
        tile: &Tile,
        part: &Part,
        id: u8,
        is_first: bool,
        positions: &[VarId],
    ) -> Item {
        let last = self.local[usize::from(id)] - 1;
        let Some(dim) = tile.dims.iter().position(|dim| dim.id == Some(id)) else {
            return Item::Constant(if is_first { 0 } else { last.into() });
        };
        let (low, high) = part.offsets[dim];
        let position = self.function.use_var(positions[dim]);
        let offset = if is_first { high } else { low };
        let item = match offset {
            0 => position,
            offset => {
                let offset = self.int(offset as u64);
                self.binary(BinaryOp::Sub, position, offset)
            }
        };
        if low == high {
            return Item::Of(item);
        }
        let (name, end) = if is_first { ("max", 0) } else { ("min", last) };
        let end = self.int(end);
        let int = self.scalar(Scalar::Int);
        Item::Of(self.function.exprs.call_builtin(name, int, vec![item, end]))
    }

    /// Goes over all locations of a tile, each work-item over some.
    fn over(&mut self, tile: &Tile, positions: &[VarId], load: Stmt) -> Vec<Stmt> {
        let moving: Vec<u8> = (0..3).filter(|d| self.local[usize::from(*d)] > 1).collect();
        let mut extents: Vec<u64> = tile.dims.iter().map(|dim| dim.extent(self.local)).collect();
        if faults::is_on("tile-border-lost") {
            for (extent, dim) in extents.iter_mut().zip(&tile.dims) {
                let items = dim.id.map(|id| self.local[usize::from(id)]);
                *extent = items.unwrap_or(*extent);
            }
        }
        if moving.len() > positions.len() {
            return self.in_a_row(&extents, positions, load);
        }
        let mut inside = vec![load];
        let mut ids = moving.into_iter();
        for (position, extent) in positions.iter().zip(extents).rev() {
            let id = ids.next();
            inside = self.along(*position, extent, id, inside);
        }
        inside
    }

    /// Goes along a dimension, in steps of the group's size.
    fn along(
        &mut self,
        position: VarId,
        extent: u64,
        id: Option<u8>,
        inside: Vec<Stmt>,
    ) -> Vec<Stmt> {
        let (start, step) = match id {
            Some(id) => {
                let item = self.item(id);
                (self.function.use_var(item), self.local[usize::from(id)])
            }
            None => (self.int(0), 1),
        };
        self.stepping(position, start, step, extent, inside)
    }

    fn stepping(
        &mut self,
        position: VarId,
        start: ExprId,
        step: u64,
        end: u64,
        inside: Vec<Stmt>,
    ) -> Vec<Stmt> {
        let cond = self.compare(BinaryOp::Lt, position, end);
        if end <= step {
            let mut stmts = vec![Stmt::define(position, start)];
            match end == step {
                true => stmts.extend(inside),
                false => stmts.push(Stmt::only_if(cond, inside)),
            }
            return stmts;
        }
        vec![self.counted((position, start), cond, step, inside)]
    }

    /// A loop that counts up.
    pub(super) fn counted(
        &mut self,
        (var, start): (VarId, ExprId),
        cond: ExprId,
        by: u64,
        body: Vec<Stmt>,
    ) -> Stmt {
        let (counter, by) = (self.function.use_var(var), self.int(by));
        let step = self.function.exprs.assign(Some(BinaryOp::Add), counter, by);
        Stmt::counting((var, start), (cond, step), body)
    }

    /// All elements in a row, where a tile has fewer dimensions than the group.
    fn in_a_row(&mut self, extents: &[u64], positions: &[VarId], load: Stmt) -> Vec<Stmt> {
        let all: u64 = extents.iter().product();
        let items: u64 = self.local.iter().product();
        let mut start: Option<ExprId> = None;
        for d in (0..3u8).rev() {
            let size = self.local[usize::from(d)];
            if size == 1 {
                continue;
            }
            let item = self.item(d);
            let item = self.function.use_var(item);
            start = Some(match start {
                None => item,
                Some(outer) => {
                    let size = self.int(size);
                    let outer = self.binary(BinaryOp::Mul, outer, size);
                    self.binary(BinaryOp::Add, outer, item)
                }
            });
        }
        let start = start.unwrap_or_else(|| self.int(0));
        if let [position] = positions {
            return self.stepping(*position, start, items, all, vec![load]);
        }
        let element = self.variable("element", Scalar::Int);
        let mut inside = Vec::new();
        let mut before = 1;
        for (at, (position, extent)) in positions.iter().zip(extents).enumerate().rev() {
            let mut value = self.function.use_var(element);
            if before > 1 {
                let by = self.int(before);
                value = self.binary(BinaryOp::Div, value, by);
            }
            if at > 0 {
                let by = self.int(*extent);
                value = self.binary(BinaryOp::Rem, value, by);
            }
            before *= extent;
            inside.push(Stmt::define(*position, value));
        }
        inside.push(load);
        self.stepping(element, start, items, all, inside)
    }

    /// All work-items of the group meet.
    pub fn barrier(&mut self) -> Stmt {
        self.function.exprs.local_barrier(self.types)
    }
}
