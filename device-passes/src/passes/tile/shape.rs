//! Tiles: which elements the work-items of a group read between them, as a box with one dimension for each
//! number that the address grows with.

use fpgacc_frontend::ir::{BinaryOp, ExprId, Exprs, TypeId, VarId};
use fpgacc_kernel_analysis::poly::{Poly, Sym};

use super::reads::{Atom, Read};
use super::terms::{Terms, is_uniform, varies};

/// Offsets beyond this are not followed.
const FARTHEST: i128 = 1 << 20;

/// A dimension of a tile.
#[derive(Clone, Debug, PartialEq)]
pub struct Dim {
    /// How far apart neighbours are in memory.
    pub stride: Poly,
    /// The dimension of work-items that moves along it.
    pub id: Option<u8>,
    /// The least offset of a read from what its work-item stands for.
    pub low: i128,
    /// The largest.
    pub high: i128,
}

impl Dim {
    /// Elements.
    pub fn extent(&self, local: [u64; 3]) -> u64 {
        let offsets = u64::try_from(self.high - self.low).unwrap_or(u64::MAX);
        offsets.saturating_add(self.id.map_or(1, |id| local[usize::from(id)]))
    }
}

/// What a read does in a dimension.
#[derive(Clone, Debug)]
pub struct Along {
    /// The id and the counters that it moves with.
    pub moves: Poly,
    /// What is added: the read's distance from others'.
    pub apart: i128,
    /// What the counters add.
    range: (i128, i128),
}

impl Along {
    fn low(&self) -> i128 {
        self.range.0 + self.apart
    }

    fn high(&self) -> i128 {
        self.range.1 + self.apart
    }
}

/// What must hold of an element so that a work-item reads it.
#[derive(Clone, Debug)]
pub enum Holds {
    /// The same for all.
    Uniform {
        /// The condition.
        cond: ExprId,
        /// What it must be.
        want: bool,
    },
    /// A number that is the same for all is compared.
    Group {
        /// The number.
        base: Poly,
        /// Its type.
        ty: TypeId,
        /// How it is compared.
        op: BinaryOp,
        /// With what.
        other: ExprId,
    },
    /// A number of the element: `base` and its position in a dimension.
    Element {
        /// The dimension.
        dim: usize,
        /// What it is at the first element there.
        base: Poly,
        /// Its type.
        ty: TypeId,
        /// How it is compared.
        op: BinaryOp,
        /// With what.
        other: ExprId,
    },
    /// A number of the work-items that read it: some of those must have it so.
    Item {
        /// The dimension of work-items.
        id: u8,
        /// What it is for the first work-item.
        base: Poly,
        /// Its type.
        ty: TypeId,
        /// How it is compared; never for equality.
        op: BinaryOp,
        /// With what.
        other: ExprId,
        /// The number that the compared one must be less than, or the least that it must be, if constant.
        bound: Option<i128>,
    },
}

impl Holds {
    /// Whether it bounds work-items from above, if it is about them.
    pub fn is_upper(&self) -> Option<(u8, bool)> {
        match self {
            Holds::Item { id, op, .. } => Some((*id, matches!(op, BinaryOp::Lt | BinaryOp::Le))),
            _ => None,
        }
    }

    fn same(&self, exprs: &Exprs, other: &Holds) -> bool {
        match (self, other) {
            (
                Holds::Uniform { cond, want },
                Holds::Uniform {
                    cond: c, want: w, ..
                },
            ) => want == w && exprs.same(*cond, *c),
            (
                Holds::Group {
                    base,
                    ty,
                    op,
                    other,
                },
                Holds::Group {
                    base: b,
                    ty: t,
                    op: o,
                    other: x,
                },
            ) => (base, ty, op) == (b, t, o) && exprs.same(*other, *x),
            (
                Holds::Element {
                    dim,
                    base,
                    ty,
                    op,
                    other,
                },
                Holds::Element {
                    dim: d,
                    base: b,
                    ty: t,
                    op: o,
                    other: x,
                },
            ) => (dim, base, ty, op) == (d, b, t, o) && exprs.same(*other, *x),
            (
                Holds::Item {
                    id,
                    base,
                    ty,
                    op,
                    other,
                    ..
                },
                Holds::Item {
                    id: i,
                    base: b,
                    ty: t,
                    op: o,
                    other: x,
                    ..
                },
            ) => (id, base, ty, op) == (i, b, t, o) && exprs.same(*other, *x),
            _ => false,
        }
    }
}

/// Reads that are made under the same conditions.
#[derive(Clone, Debug)]
pub struct Part {
    /// These.
    pub holds: Vec<Holds>,
    /// The offsets that they reach in each dimension.
    pub offsets: Vec<(i128, i128)>,
}

/// A tile.
#[derive(Clone, Debug)]
pub struct Tile {
    /// The parameter.
    pub param: VarId,
    /// The elements' type.
    pub element: TypeId,
    /// The index's type, and whether it is one of 64 bits.
    pub index: (TypeId, bool),
    /// The index of its first element.
    pub first: Poly,
    /// Its dimensions, the one that moves fastest last.
    pub dims: Vec<Dim>,
    /// Who reads it.
    pub parts: Vec<Part>,
    /// The reads, and where in each dimension.
    pub reads: Vec<(ExprId, Vec<Along>)>,
    /// The loop that is cut into strips, if it is filled in each.
    pub strip: Option<usize>,
}

impl Tile {
    /// Elements.
    pub fn elements(&self, local: [u64; 3]) -> u64 {
        let extents = self.dims.iter().map(|dim| dim.extent(local));
        extents.fold(1, u64::saturating_mul)
    }

    /// Elements that work-items read, each counted for each of them.
    fn wanted(&self, local: [u64; 3]) -> u64 {
        let items = local.iter().product::<u64>();
        let of_part = |part: &Part| {
            let lengths = part.offsets.iter().map(|(low, high)| high - low + 1);
            lengths.fold(1, |all: u64, one| {
                all.saturating_mul(u64::try_from(one).unwrap_or(u64::MAX))
            })
        };
        let each = self.parts.iter().map(of_part).fold(0, u64::saturating_add);
        items.saturating_mul(each)
    }

    /// How often an element is read by different work-items, at most.
    pub fn reuse(&self, local: [u64; 3]) -> u64 {
        self.wanted(local) / self.elements(local).max(1)
    }
}

/// A read in its parts.
struct Shape {
    dims: Vec<(Poly, Option<u8>, Along)>,
    rest: Poly,
}

impl Shape {
    /// Whether some work-items of a group read the same element.
    fn is_shared(&self, terms: &Terms<'_>) -> bool {
        let ids = self.dims.iter().filter_map(|(_, id, _)| *id);
        let known: Vec<u8> = ids.collect();
        let is_left = (0..3u8).any(|id| terms.local[usize::from(id)] > 1 && !known.contains(&id));
        let mut dims = self.dims.iter();
        is_left || dims.any(|(_, id, along)| id.is_some() && along.range.0 != along.range.1)
    }
}

fn shape(read: &Read) -> Option<Shape> {
    let mut dims: Vec<(Poly, Option<u8>, Along)> = Vec::new();
    let mut rest = read.index.clone();
    // Ids come first.
    let symbols: Vec<Sym> = read
        .index
        .symbols()
        .into_iter()
        .filter(|sym| varies(*sym))
        .collect();
    let (ids, counters): (Vec<Sym>, Vec<Sym>) = symbols
        .into_iter()
        .partition(|sym| matches!(sym, Sym::LocalId(_)));
    for sym in ids.into_iter().chain(counters) {
        let stride = read.index.coefficient(sym)?;
        if !is_uniform(&stride) {
            return None;
        }
        rest = rest.without(sym);
        let id = match sym {
            Sym::LocalId(d) => Some(d),
            _ => None,
        };
        let range = match sym {
            Sym::Iter(number) => read.scope.iter().find(|one| one.number == number)?.range,
            _ => (0, 0),
        };
        let negative = Poly::default().plus(&stride, -1);
        let known = dims
            .iter_mut()
            .find(|(of, ..)| *of == stride || *of == negative);
        match known {
            // Two ids that move the same way: a diagonal.
            Some(_) if id.is_some() => return None,
            Some((of, _, along)) => {
                let back = *of != stride;
                let (low, high) = if back { (-range.1, -range.0) } else { range };
                let by = if back { -1 } else { 1 };
                along.moves = along.moves.plus(&Poly::sym(sym), by);
                along.range = (along.range.0 + low, along.range.1 + high);
            }
            None => dims.push((
                stride,
                id,
                Along {
                    moves: Poly::sym(sym),
                    apart: 0,
                    range,
                },
            )),
        }
    }
    // Far strides first; that of 1 last.
    dims.sort_by(|(a, ..), (b, ..)| {
        let size = |poly: &Poly| poly.as_constant().map_or(i128::MAX, i128::abs);
        size(b).cmp(&size(a)).then_with(|| b.cmp(a))
    });
    let is_near = |(.., along): &(Poly, Option<u8>, Along)| {
        along.range.0.abs() < FARTHEST && along.range.1.abs() < FARTHEST
    };
    (!dims.is_empty() && dims.iter().all(is_near)).then_some(Shape { dims, rest })
}

/// How far apart two addresses are in each dimension.
fn apart(rest: &Poly, from: &Poly, dims: &[(Poly, Option<u8>, Along)]) -> Option<Vec<i128>> {
    let mut left = rest.plus(from, -1);
    let mut found = vec![0; dims.len()];
    for (at, (stride, ..)) in dims.iter().enumerate() {
        let is_last = at + 1 == dims.len();
        let by = match stride.as_constant() {
            Some(stride) => {
                let (_, constant) = left.split_constant();
                // The nearest whole number of strides.
                let rest = constant.rem_euclid(stride.abs());
                let half = if 2 * rest > stride.abs() && !is_last {
                    stride.abs()
                } else {
                    0
                };
                (constant - rest + half) / stride
            }
            None => {
                let (symbols, one) = stride.terms().find(|(symbols, _)| !symbols.is_empty())?;
                let mut terms = left.terms();
                let all = terms
                    .find(|(others, _)| *others == symbols)
                    .map_or(0, |(_, by)| by);
                all / one
            }
        };
        left = left.plus(stride, -by);
        found[at] = by;
    }
    let is_whole = left.as_constant() == Some(0);
    (is_whole && found.iter().all(|by| by.abs() < FARTHEST)).then_some(found)
}

/// Reads of one buffer that can share a tile.
struct Group<'r> {
    reads: Vec<(&'r Read, Shape)>,
}

impl Group<'_> {
    /// Where a read stands among those of the group, if it is one of them.
    fn position(&self, read: &Read, shape: &Shape) -> Option<Vec<i128>> {
        let (first, of_first) = &self.reads[0];
        let is_like = first.param == read.param
            && first.element == read.element
            && (first.index_ty, first.is_wide, first.strip)
                == (read.index_ty, read.is_wide, read.strip)
            && of_first.dims.len() == shape.dims.len();
        let mut both = of_first.dims.iter().zip(&shape.dims);
        let is_shaped = is_like && both.all(|((a, i, _), (b, j, _))| a == b && i == j);
        is_shaped.then(|| apart(&shape.rest, &of_first.rest, &of_first.dims))?
    }
}

/// The tiles that reads share; and reads that might share some, but it is not known when they are made.
pub fn tiles<'r>(
    terms: &Terms<'_>,
    reads: impl Iterator<Item = &'r Read>,
) -> (Vec<Tile>, Vec<(ExprId, VarId)>) {
    let mut groups: Vec<Group<'_>> = Vec::new();
    let mut unsure = Vec::new();
    for read in reads {
        let Some(mut shape) = shape(read) else {
            continue;
        };
        if read.atoms.is_none() {
            unsure.extend(shape.is_shared(terms).then_some((read.at, read.param)));
            continue;
        }
        let positions = groups.iter().map(|group| group.position(read, &shape));
        let found = positions
            .enumerate()
            .find_map(|(at, position)| Some((at, position?)));
        let Some((at, position)) = found else {
            groups.push(Group {
                reads: vec![(read, shape)],
            });
            continue;
        };
        for ((.., along), by) in shape.dims.iter_mut().zip(position) {
            along.apart = by;
        }
        groups[at].reads.push((read, shape));
    }
    let tiles = groups
        .iter()
        .filter_map(|group| tile(terms, group, &mut unsure));
    let tiles = tiles.collect();
    (tiles, unsure)
}

fn tile(terms: &Terms<'_>, group: &Group<'_>, unsure: &mut Vec<(ExprId, VarId)>) -> Option<Tile> {
    let mut kept: Vec<&(&Read, Shape)> = group.reads.iter().collect();
    // What is dropped may have been the farthest.
    loop {
        let dims = hull(&kept)?;
        let held: Vec<Option<Vec<Holds>>> = kept
            .iter()
            .map(|(read, shape)| conditions(terms, read, shape, &dims))
            .collect();
        if held.iter().all(Option::is_some) {
            let held = held.into_iter().flatten().collect();
            return Some(made(terms, &kept, dims, held));
        }
        let mut held = held.iter();
        kept.retain(|(read, shape)| {
            let is_sure = held.next().is_some_and(Option::is_some);
            if !is_sure && shape.is_shared(terms) {
                unsure.push((read.at, read.param));
            }
            is_sure
        });
    }
}

fn hull(kept: &[&(&Read, Shape)]) -> Option<Vec<Dim>> {
    let (_, first) = kept.first()?;
    let dims = first.dims.iter().enumerate().map(|(at, (stride, id, _))| {
        let along = || kept.iter().map(|(_, shape)| &shape.dims[at].2);
        Some(Dim {
            stride: stride.clone(),
            id: *id,
            low: along().map(Along::low).min()?,
            high: along().map(Along::high).max()?,
        })
    });
    dims.collect()
}

fn made(
    terms: &Terms<'_>,
    kept: &[&(&Read, Shape)],
    dims: Vec<Dim>,
    held: Vec<Vec<Holds>>,
) -> Tile {
    let (first, shape) = kept[0];
    let own: Vec<i128> = shape.dims.iter().map(|(.., along)| along.apart).collect();
    let mut start = shape.rest.clone();
    for (dim, own) in dims.iter().zip(own) {
        start = start.plus(&dim.stride, dim.low - own);
    }
    let mut parts: Vec<Part> = Vec::new();
    for ((_, shape), holds) in kept.iter().zip(held) {
        let offsets = shape.dims.iter().zip(&dims);
        let offsets =
            offsets.map(|((.., along), dim)| (along.low() - dim.low, along.high() - dim.low));
        let offsets: Vec<(i128, i128)> = offsets.collect();
        add(&terms.function.exprs, &mut parts, Part { holds, offsets });
    }
    join(&terms.function.exprs, &mut parts);
    Tile {
        param: first.param,
        element: first.element,
        index: (first.index_ty, first.is_wide),
        first: start,
        parts,
        reads: kept
            .iter()
            .map(|(read, shape)| {
                let along = shape
                    .dims
                    .iter()
                    .zip(&dims)
                    .map(|((.., along), dim)| Along {
                        apart: along.apart - dim.low,
                        ..along.clone()
                    });
                (read.at, along.collect())
            })
            .collect(),
        dims,
        strip: first.strip,
    }
}

fn add(exprs: &Exprs, parts: &mut Vec<Part>, part: Part) {
    let is_known = |known: &Part| known.offsets == part.offsets && like(exprs, known, &part);
    if !parts.iter().any(is_known) {
        parts.push(part);
    }
}

fn like(exprs: &Exprs, a: &Part, b: &Part) -> bool {
    let mut both = a.holds.iter().zip(&b.holds);
    a.holds.len() == b.holds.len() && both.all(|(a, b)| a.same(exprs, b))
}

/// Makes one of parts that are a box together.
fn join(exprs: &Exprs, parts: &mut Vec<Part>) {
    let mut again = true;
    while again {
        again = false;
        'pairs: for at in 0..parts.len() {
            for other in 0..parts.len() {
                if at == other || !like(exprs, &parts[at], &parts[other]) {
                    continue;
                }
                if let Some(offsets) = joined(&parts[at].offsets, &parts[other].offsets) {
                    parts[at].offsets = offsets;
                    parts.remove(other);
                    again = true;
                    break 'pairs;
                }
            }
        }
    }
}

/// The box of two, if there is nothing else in it.
fn joined(a: &[(i128, i128)], b: &[(i128, i128)]) -> Option<Vec<(i128, i128)>> {
    let differing: Vec<usize> = (0..a.len()).filter(|at| a[*at] != b[*at]).collect();
    let mut whole = a.to_vec();
    let [at] = differing.as_slice() else {
        return differing.is_empty().then_some(whole);
    };
    let (one, two) = (a[*at], b[*at]);
    let meet = one.0 <= two.1 + 1 && two.0 <= one.1 + 1;
    whole[*at] = (one.0.min(two.0), one.1.max(two.1));
    meet.then_some(whole)
}

/// When a read is made, as conditions on the element; `None`: that cannot be said.
fn conditions(terms: &Terms<'_>, read: &Read, shape: &Shape, dims: &[Dim]) -> Option<Vec<Holds>> {
    let mut all: Vec<Holds> = Vec::new();
    for atom in read.atoms.iter().flatten() {
        let holds = condition(terms, atom, shape, dims)?;
        if !all
            .iter()
            .any(|known| known.same(&terms.function.exprs, &holds))
        {
            all.push(holds);
        }
    }
    let are_clear = (0..3).all(|id| is_clear(&all, id));
    are_clear.then_some(all)
}

fn condition(terms: &Terms<'_>, atom: &Atom, shape: &Shape, dims: &[Dim]) -> Option<Holds> {
    let (op, side, ty, other, keeps_order) = match atom {
        Atom::Uniform { cond, want } => {
            return Some(Holds::Uniform {
                cond: *cond,
                want: *want,
            });
        }
        Atom::Compare {
            op,
            side,
            ty,
            other,
            keeps_order,
        } => (*op, side, *ty, *other, *keeps_order),
    };
    let moving: Vec<Sym> = side
        .poly
        .symbols()
        .into_iter()
        .filter(|sym| varies(*sym))
        .collect();
    if moving.is_empty() {
        return Some(Holds::Group {
            base: side.poly.clone(),
            ty,
            op,
            other,
        });
    }
    let mut rest = side.poly.clone();
    let mut moves = Poly::default();
    for sym in &moving {
        let by = side.poly.coefficient(*sym)?.as_constant()?;
        moves = moves.plus(&Poly::sym(*sym), by);
        rest = rest.without(*sym);
    }
    let like = shape
        .dims
        .iter()
        .position(|(.., along)| along.moves == moves);
    let as_element = like.map(|dim| {
        let apart = dims[dim].low - shape.dims[dim].2.apart;
        Holds::Element {
            dim,
            base: rest.plus(&Poly::constant(apart), 1),
            ty,
            op,
            other,
        }
    });
    // Of several reads side by side, what holds of their work-items is the same.
    let is_alone = like.is_some_and(|dim| dims[dim].low == dims[dim].high);
    if is_alone {
        return as_element;
    }
    let [Sym::LocalId(id)] = moving[..] else {
        return as_element;
    };
    let is_one = side.poly.coefficient(moving[0])? == Poly::constant(1);
    if !keeps_order || !is_one || !is_far_from_overflow(terms, &rest, id, op) {
        return as_element;
    }
    let bound = terms.constants.value(other).map(|value| match op {
        BinaryOp::Le | BinaryOp::Gt => value + 1,
        _ => value,
    });
    Some(Holds::Item {
        id,
        base: rest,
        ty,
        op,
        other,
        bound,
    })
}

/// Whether a bound of work-items can be looked at for those, too, for which the original does not.
fn is_far_from_overflow(terms: &Terms<'_>, rest: &Poly, id: u8, op: BinaryOp) -> bool {
    let most = match op {
        // Of the first that an element is within reach of, which is no farther than one that reads it.
        BinaryOp::Lt | BinaryOp::Le => FARTHEST,
        BinaryOp::Gt | BinaryOp::Ge => 1,
        _ => return false,
    };
    let (far, added) = rest.split_constant();
    let is_first = far
        .terms()
        .all(|(symbols, by)| terms.is_first(symbols, by, id));
    is_first && far.terms().count() <= 1 && (-FARTHEST..=most).contains(&added)
}

/// Whether it can be said which work-items of a dimension are bound from above and from below.
fn is_clear(all: &[Holds], id: u8) -> bool {
    let of = |upper: bool| {
        all.iter()
            .filter(move |holds| holds.is_upper() == Some((id, upper)))
    };
    of(true).all(|upper| of(false).all(|lower| both(upper, lower).is_some()))
}

/// Two bounds of work-items that must leave some between them: the one that is looked at, with the number that
/// takes the place of its own.
pub fn both<'h>(upper: &'h Holds, lower: &'h Holds) -> Option<(&'h Holds, i128)> {
    let parts = |holds: &Holds| match holds {
        Holds::Item { base, bound, .. } => {
            let (far, added) = base.split_constant();
            Some((far, added, *bound))
        }
        _ => None,
    };
    let ((far, up, most), (also, low, least)) = (parts(upper)?, parts(lower)?);
    let (holds, value) = match (most, least) {
        // The least that the lower one allows, to the upper one.
        (_, Some(least)) => (upper, least - low + up),
        (Some(most), None) => (lower, most - 1 - up + low),
        (None, None) => return None,
    };
    let fits = (0..FARTHEST).contains(&value);
    (far == also && fits).then_some((holds, value))
}
