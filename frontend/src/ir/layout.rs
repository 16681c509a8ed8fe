//! Sizes and alignments, by OpenCL C's rules.

use std::collections::BTreeMap;

use super::module::{Attr, Field, Module, RecordId, RecordKind};
use super::types::{Scalar, Type, TypeId};

/// Size and alignment in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    /// Size in bytes, as `sizeof` gives it.
    pub size: u64,
    /// Alignment in bytes.
    pub align: u64,
}

/// Types nest at most this deep when they are measured.
const MAX_DEPTH: usize = 512;

/// Layouts that one question has found already: records may share records many times over.
type Known = BTreeMap<RecordId, Option<Layout>>;

impl Module {
    /// Size and alignment of a type on a device with 64-bit addresses; `None` for `void`, incomplete
    /// types, opaque types, and sizes that do not fit.
    pub fn layout(&self, ty: TypeId) -> Option<Layout> {
        self.layout_at(ty, 0, &mut Known::new())
    }

    /// Byte offsets of a record's fields; `None` if it is incomplete.
    pub fn field_offsets(&self, record: RecordId) -> Option<Vec<u64>> {
        self.place_fields(record, 0, &mut Known::new())
            .map(|(offsets, _)| offsets)
    }

    fn layout_at(&self, ty: TypeId, depth: usize, known: &mut Known) -> Option<Layout> {
        if depth > MAX_DEPTH {
            return None;
        }
        let plain = |size| Layout { size, align: size };
        match self.types.resolve(ty) {
            Type::Scalar(scalar) => Some(plain(scalar.size())),
            Type::Enum(_) => Some(plain(Scalar::Int.size())),
            // A vector of three takes the room of four.
            Type::Vector(scalar, 3) => Some(plain(scalar.size() * 4)),
            Type::Vector(scalar, width) => Some(plain(scalar.size() * u64::from(width))),
            Type::Pointer { .. } => Some(plain(8)),
            Type::Array { element, len } => {
                let element = self.layout_at(element.ty, depth + 1, known)?;
                Some(Layout {
                    size: element.size.checked_mul(len?)?,
                    align: element.align,
                })
            }
            Type::Record(record) => {
                if let Some(&layout) = known.get(&record) {
                    return layout;
                }
                let layout = self
                    .place_fields(record, depth, known)
                    .map(|(_, layout)| layout);
                known.insert(record, layout);
                layout
            }
            Type::Opaque(name) => match name.as_str() {
                "atomic_int" | "atomic_uint" | "atomic_float" | "atomic_flag" => Some(plain(4)),
                name if name.starts_with("atomic_") => Some(plain(8)),
                _ => None,
            },
            _ => None,
        }
    }

    fn place_fields(
        &self,
        record: RecordId,
        depth: usize,
        known: &mut Known,
    ) -> Option<(Vec<u64>, Layout)> {
        let record = &self.records[record];
        let fields = record.fields.as_ref()?;
        let packed = has(&record.attrs, "packed");
        let mut offsets = Vec::with_capacity(fields.len());
        // In bits, since bit fields share units.
        let mut at: u64 = 0;
        let mut size: u64 = 0;
        let mut align: u64 = 1;
        for field in fields {
            let layout = self.layout_at(field.ty.ty, depth + 1, known)?;
            let own = field_align(field, layout, packed);
            align = align.max(own);
            if record.kind == RecordKind::Union {
                at = 0;
            }
            at = start_of(field, layout, own, at)?;
            offsets.push(at / 8);
            at = at.checked_add(field.bits.unwrap_or(layout.size.checked_mul(8)?))?;
            size = size.max(at);
        }
        align = align.max(aligned(&record.attrs).unwrap_or(1));
        let bytes = size.div_ceil(8).checked_next_multiple_of(align)?;
        let layout = Layout { size: bytes, align };
        Some((offsets, layout))
    }
}

/// The bit at which a field starts.
fn start_of(field: &Field, layout: Layout, align: u64, at: u64) -> Option<u64> {
    let unit = layout.size.checked_mul(8)?;
    match field.bits {
        Some(0) => at.checked_next_multiple_of(unit.max(8)),
        // A bit field does not cross a boundary of its type.
        Some(bits) if unit > 0 && at % unit + bits > unit => at.checked_next_multiple_of(unit),
        Some(_) => Some(at),
        None => at.checked_next_multiple_of(align.checked_mul(8)?),
    }
}

fn field_align(field: &Field, layout: Layout, packed: bool) -> u64 {
    let natural = if packed || has(&field.attrs, "packed") {
        1
    } else {
        layout.align.max(1)
    };
    natural.max(aligned(&field.attrs).unwrap_or(1))
}

fn has(attrs: &[Attr], name: &str) -> bool {
    attrs.iter().any(|attr| attr.name == name)
}

/// The greatest `aligned(n)`; a bare `aligned` means 16.
fn aligned(attrs: &[Attr]) -> Option<u64> {
    attrs
        .iter()
        .filter(|attr| attr.name == "aligned")
        .map(|attr| match attr.args {
            None => 16,
            Some(_) => attr
                .integers()
                .and_then(|args| args.first().copied())
                .filter(|align| align.is_power_of_two())
                .unwrap_or(1),
        })
        .max()
}
