//! Types of the host, as far as values depend on them. Sizes are those of 64-bit Linux.

use std::borrow::Cow;
use std::cell::RefCell;
use std::rc::Rc;

use indexmap::IndexMap;

use crate::number::{IntType, Num};
use crate::syntax::ast::{ExprKind, Record, Type, Variable};
use crate::syntax::{HostFile, QuickHash};

mod kind;
pub(crate) mod template;
pub(crate) mod wrapper;

pub(crate) use kind::{Container, Kind, Wrapper};

/// Typedefs and records of one translation unit.
#[derive(Default)]
pub(crate) struct Types<'a> {
    typedefs: IndexMap<&'a str, &'a Type, QuickHash>,
    records: IndexMap<&'a str, (usize, &'a Record), QuickHash>,
    /// What is known of types that are no pointers, by their names.
    kinds: RefCell<IndexMap<String, Kind, QuickHash>>,
    /// `using namespace cl`.
    pub uses_cl: bool,
    /// Some class has a base.
    pub has_bases: bool,
    /// Some member is `volatile`.
    pub has_volatile: bool,
}

impl<'a> Types<'a> {
    pub fn of(host: &'a HostFile) -> Types<'a> {
        let mut types = Types::default();
        for (index, part) in host.parts.iter().enumerate() {
            types.uses_cl |= part.ast.usings.iter().any(|u| wrapper::is_namespace(u));
            for (name, ty) in &part.ast.typedefs {
                types.typedefs.insert(name, ty);
            }
            for record in &part.ast.records {
                types.has_bases |= !record.bases.is_empty();
                types.has_volatile |= record.fields.iter().any(|f| f.ty.is_volatile);
                types.records.insert(&record.name, (index, record));
            }
        }
        // `struct A::B { .. };` outside of `A`, whose members call it `B`.
        let all = types.records.values().copied().collect::<Vec<_>>();
        for (index, record) in all {
            let name = last_name(&record.name);
            types.records.entry(name).or_insert((index, record));
        }
        types
    }

    /// A record by its name, and the part that declares it.
    pub fn record(&self, name: &str) -> Option<(usize, &'a Record)> {
        let found = self.records.get(name);
        found.or_else(|| self.records.get(last_name(name))).copied()
    }

    /// A class by the name that its methods give it: that of a class template, for some of its arguments, if these
    /// have no class of their own.
    fn class(&self, name: &str) -> Option<&'a Record> {
        let found = self.record(name);
        let found = found.or_else(|| self.record(without_arguments(name)));
        found.map(|found| found.1)
    }

    /// A class and its bases, itself first.
    fn with_bases(&self, class: &str) -> Vec<&'a Record> {
        let mut classes: Vec<&Record> = self.class(class).into_iter().collect();
        // Those after are found on the way; bases that are not given have no members that hosts use.
        let mut at = 0;
        while at < classes.len() && at < MOST_BASES {
            let bases = classes[at].bases.iter();
            let found = bases.filter_map(|base| self.record(base)).map(|r| r.1);
            let new: Vec<&Record> = found
                .filter(|base| !classes.iter().any(|known| std::ptr::eq(*known, *base)))
                .collect();
            classes.extend(new);
            at += 1;
        }
        classes
    }

    /// How many other bases of a class are nearer than one of them; `None` if it is no base.
    pub fn steps_to_base(&self, class: &str, base: &str) -> Option<usize> {
        if self.class(class)?.bases.is_empty() {
            return None;
        }
        let (_, base) = self.record(base)?;
        let mut bases = self.with_bases(class).into_iter().skip(1);
        bases.position(|record| std::ptr::eq(record, base))
    }

    /// The member variable of this name of a class or of one of its bases, and the class that has
    /// it.
    pub fn member(&self, class: &str, field: &str) -> Option<(&'a Record, &'a Variable)> {
        let own = self.class(class)?;
        let has = |record: &&'a Record| {
            let found = record.fields.iter().find(|f| f.name == field);
            found.map(|found| (*record, found))
        };
        match own.bases.is_empty() {
            true => has(&own),
            false => self.with_bases(class).iter().find_map(has),
        }
    }

    /// The names of the member variables that objects of a class and its bases have.
    pub fn members(&self, class: &str) -> Vec<String> {
        let all = self
            .with_bases(class)
            .into_iter()
            .flat_map(|record| &record.fields);
        all.filter(|f| !f.is_static)
            .map(|f| f.name.clone())
            .collect()
    }

    /// Whether a class and its bases have more than one member of this name.
    pub fn is_in_several(&self, class: &str, field: &str) -> bool {
        if self.class(class).is_none_or(|r| r.bases.is_empty()) {
            return false;
        }
        let has = |class: &&&Record| class.fields.iter().any(|f| f.name == field && !f.is_static);
        self.with_bases(class).iter().filter(has).count() > 1
    }

    pub fn is_type(&self, name: &str) -> bool {
        self.typedefs.contains_key(name) || self.records.contains_key(name) || basic(name).is_some()
    }

    /// What a class of OpenCL's C++ wrappers is.
    pub fn wrapper(&self, name: &str) -> Option<Kind> {
        wrapper::kind(name, self.uses_cl)
    }

    /// What a type is, without its array dimensions.
    pub fn kind(&self, ty: &Type, host: &HostFile) -> Kind {
        if ty.pointers > 0 || ty.function {
            return Kind::Pointer;
        }
        if let Some(known) = self.kinds.borrow().get(&ty.base) {
            return known.clone();
        }
        let kind = self.find_kind(ty, host);
        let mut kinds = self.kinds.borrow_mut();
        kinds.insert(ty.base.clone(), kind.clone());
        kind
    }

    fn find_kind(&self, ty: &Type, host: &HostFile) -> Kind {
        let mut ty = Cow::Borrowed(ty);
        for _ in 0..32 {
            if ty.pointers > 0 || ty.function {
                return Kind::Pointer;
            }
            if let Some(typedef) = self.typedefs.get(ty.base.as_str()) {
                if typedef.base == ty.base && typedef.pointers == 0 {
                    break;
                }
                if !typedef.dims.is_empty() {
                    return Kind::Other;
                }
                ty = Cow::Borrowed(*typedef);
                continue;
            }
            if self.record(&ty.base).is_some() {
                break;
            }
            if let Some(kind) = basic(&ty.base) {
                return kind;
            }
            if let Some(kind) = template::kind(&ty.base) {
                return kind;
            }
            if let Some(wrapper) = self.wrapper(&ty.base) {
                return wrapper;
            }
            match host.macros.at(&ty.base, host.macros.end()) {
                Some((_, definition)) if definition.params.is_none() => {
                    let ty = ty.to_mut();
                    let mut words = definition.body.as_str();
                    while let Some(rest) = words.strip_suffix('*') {
                        words = rest.trim_end();
                        ty.pointers += 1;
                    }
                    if words == ty.base {
                        break;
                    }
                    ty.base = words.trim_start_matches("const ").to_string();
                }
                _ => break,
            }
        }
        // What depends on a class template's parameters is of no known kind.
        let base = template::arguments(&ty.base).map_or(ty.base.as_str(), |(base, _)| base);
        [ty.base.as_str(), base]
            .into_iter()
            .find(|name| self.record(name).is_some())
            .map_or(Kind::Other, |name| Kind::Record(Rc::from(name)))
    }

    /// Size and alignment in bytes of a type without dimensions.
    pub fn size(&self, ty: &Type, host: &HostFile, depth: u32) -> Option<(u64, u64)> {
        if ty.pointers > 0 || ty.function {
            return Some((8, 8));
        }
        match self.kind(ty, host) {
            Kind::Num(Num::Int(int)) => {
                let bytes = u64::from(int.bits.max(8)) / 8;
                Some((bytes, bytes))
            }
            Kind::Num(Num::Float) => Some((4, 4)),
            Kind::Num(Num::Double) => Some((8, 8)),
            Kind::Pointer => Some((8, 8)),
            Kind::Record(name) => self.record_size(&name, host, depth),
            Kind::Container(container) => self.array_size(&container, host, depth),
            _ => vector_size(&ty.base).map(|bytes| (bytes, bytes)),
        }
    }

    /// The size and alignment of a `std::array`.
    fn array_size(&self, container: &Container, host: &HostFile, depth: u32) -> Option<(u64, u64)> {
        let Container::Sequence { element, fixed } = container else {
            return None;
        };
        let count = fixed.filter(|count| *count > 0 && depth <= MOST_NESTED)?;
        let (bytes, align) = self.size(element, host, depth + 1)?;
        Some((bytes.checked_mul(count)?, align))
    }

    fn record_size(&self, name: &str, host: &HostFile, depth: u32) -> Option<(u64, u64)> {
        let (part, record) = self.record(name)?;
        if record.odd_layout || depth > MOST_NESTED {
            return None;
        }
        let (mut size, mut align) = (0u64, 1u64);
        for field in record.fields.iter().filter(|f| !f.is_static) {
            let count = Self::count(&field.ty, part, host)?;
            let (bytes, field_align) = self.size(&field.ty, host, depth + 1)?;
            let bytes = bytes.checked_mul(count)?;
            align = align.max(field_align);
            match record.is_union {
                true => size = size.max(bytes),
                false => size = size.next_multiple_of(field_align).checked_add(bytes)?,
            }
        }
        Some((size.next_multiple_of(align).max(1), align))
    }

    /// Elements of a field's array whose dimensions are plain numbers.
    fn count(ty: &Type, part: usize, host: &HostFile) -> Option<u64> {
        let ast = &host.parts[part].ast;
        let mut count = 1u64;
        for dim in &ty.dims {
            let ExprKind::Int(word) = &ast.expr((*dim)?).kind else {
                return None;
            };
            count = count.checked_mul(word.parse().ok()?)?;
        }
        Some(count)
    }
}

/// The deepest nesting of types whose sizes are looked up.
const MOST_NESTED: u32 = 8;

/// The most classes that are looked through for members of one name.
const MOST_BASES: usize = 64;

/// Whether a name may be that of a member of OpenCL's vectors: `x`, `s0`, `lo`, `s`, `v4`.
pub(crate) fn is_lane_name(name: &str) -> bool {
    match name.as_bytes() {
        [b'x' | b'y' | b'z' | b'w' | b's'] => true,
        [b's' | b'S', lane] => lane.is_ascii_hexdigit(),
        [b'v', lanes @ ..] => !lanes.is_empty() && lanes.iter().all(u8::is_ascii_digit),
        _ => matches!(name, "lo" | "hi" | "even" | "odd"),
    }
}

/// The type of a member of one of OpenCL's vectors that is a number, or the array of them.
pub(crate) fn lane(vector: &Type, name: &str) -> Option<Type> {
    let at = vector.base.rfind(|c: char| !c.is_ascii_digit())?;
    let is_number = matches!(
        name.as_bytes(),
        [b'x' | b'y' | b'z' | b'w'] | [b's' | b'S', _]
    );
    (is_vector(vector) && (is_number || name == "s")).then(|| Type {
        base: vector.base[..=at].to_string(),
        dims: if name == "s" { vec![None] } else { Vec::new() },
        ..Type::default()
    })
}

/// Whether a type is one of OpenCL's vectors.
pub(crate) fn is_vector(ty: &Type) -> bool {
    ty.pointers == 0 && vector_size(&ty.base).is_some()
}

/// `c` of `a::b::c`.
pub(crate) fn last_name(name: &str) -> &str {
    match name.as_bytes().contains(&b':') {
        true => name.rsplit("::").next().unwrap_or(name),
        false => name,
    }
}

/// `c` of `c<int>`.
pub(crate) fn without_arguments(name: &str) -> &str {
    name.split_once('<').map_or(name, |(name, _)| name)
}

/// `c` of `a::b::c<int>`.
pub(crate) fn class_name(name: &str) -> &str {
    without_arguments(last_name(name))
}

fn int(bits: u8, signed: bool) -> Kind {
    Kind::Num(Num::Int(IntType::new(bits, signed)))
}

fn basic(base: &str) -> Option<Kind> {
    let base = base.strip_prefix("std::").unwrap_or(base);
    Some(match base {
        "bool" | "_Bool" => Kind::Num(Num::Int(IntType::BOOL)),
        "char" | "signed char" | "cl_char" | "int8_t" => int(8, true),
        "unsigned char" | "cl_uchar" | "uint8_t" | "uchar" | "u_char" => int(8, false),
        "short" | "short int" | "signed short" | "cl_short" | "int16_t" => int(16, true),
        "unsigned short" | "unsigned short int" | "cl_ushort" | "cl_half" | "uint16_t"
        | "ushort" | "u_short" => int(16, false),
        "int" | "signed" | "signed int" | "cl_int" | "int32_t" => int(32, true),
        "unsigned"
        | "unsigned int"
        | "cl_uint"
        | "uint32_t"
        | "uint"
        | "u_int"
        | "cl_bool"
        | "cl_platform_info"
        | "cl_device_info"
        | "cl_program_build_info" => int(32, false),
        "long" | "long int" | "signed long" | "long long" | "long long int" | "cl_long"
        | "int64_t" | "ssize_t" | "ptrdiff_t" | "intptr_t" | "off_t" | "time_t" => int(64, true),
        "unsigned long"
        | "unsigned long int"
        | "long unsigned int"
        | "unsigned long long"
        | "unsigned long long int"
        | "size_t"
        | "cl_ulong"
        | "uint64_t"
        | "uintptr_t"
        | "cl_bitfield"
        | "cl_mem_flags"
        | "cl_device_type"
        | "cl_command_queue_properties"
        | "size_type"
        | "string::size_type"
        | "ulong" => int(64, false),
        "float" | "cl_float" => Kind::Num(Num::Float),
        "double" | "cl_double" => Kind::Num(Num::Double),
        "cl_kernel" | "cl_mem" | "cl_program" | "cl_context" | "cl_command_queue" | "cl_event"
        | "cl_device_id" | "cl_platform_id" | "cl_sampler" => Kind::Pointer,
        "string" | "string_view" => Kind::String,
        "ifstream" | "fstream" | "ofstream" => Kind::FileStream,
        "stringstream" | "ostringstream" | "istringstream" => Kind::StringStream,
        _ => return None,
    })
}

/// Bytes of OpenCL's vector types for hosts.
fn vector_size(base: &str) -> Option<u64> {
    let rest = base.strip_prefix("cl_")?;
    let at = rest.find(|c: char| c.is_ascii_digit())?;
    let (name, lanes) = rest.split_at(at);
    let bytes = match name {
        "char" | "uchar" => 1,
        "short" | "ushort" | "half" => 2,
        "int" | "uint" | "float" => 4,
        "long" | "ulong" | "double" => 8,
        _ => return None,
    };
    match lanes {
        "2" | "4" | "8" | "16" => Some(bytes * lanes.parse::<u64>().ok()?),
        "3" => Some(bytes * 4),
        _ => None,
    }
}
