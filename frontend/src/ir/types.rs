//! Types of OpenCL C, interned: equal types have equal handles.

use bitflags::bitflags;
use indexmap::IndexSet;

use super::arena::Id;
use super::module::{EnumId, RecordId, TypedefId};

/// A handle to a [`Type`] in [`Types`].
pub type TypeId = Id<Type>;

/// The arithmetic scalar types.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[allow(missing_docs)]
pub enum Scalar {
    Bool,
    Char,
    UChar,
    Short,
    UShort,
    Int,
    UInt,
    Long,
    ULong,
    Half,
    Float,
    Double,
}

impl Scalar {
    /// The keyword of OpenCL C.
    pub fn name(self) -> &'static str {
        match self {
            Scalar::Bool => "bool",
            Scalar::Char => "char",
            Scalar::UChar => "uchar",
            Scalar::Short => "short",
            Scalar::UShort => "ushort",
            Scalar::Int => "int",
            Scalar::UInt => "uint",
            Scalar::Long => "long",
            Scalar::ULong => "ulong",
            Scalar::Half => "half",
            Scalar::Float => "float",
            Scalar::Double => "double",
        }
    }

    /// Size in bytes on every OpenCL device.
    pub fn size(self) -> u64 {
        match self {
            Scalar::Bool | Scalar::Char | Scalar::UChar => 1,
            Scalar::Short | Scalar::UShort | Scalar::Half => 2,
            Scalar::Int | Scalar::UInt | Scalar::Float => 4,
            Scalar::Long | Scalar::ULong | Scalar::Double => 8,
        }
    }

    /// `half`, `float` or `double`.
    pub fn is_float(self) -> bool {
        matches!(self, Scalar::Half | Scalar::Float | Scalar::Double)
    }

    /// An integer type or `bool`.
    pub fn is_integer(self) -> bool {
        !self.is_float()
    }

    /// A signed integer type.
    pub fn is_signed_integer(self) -> bool {
        matches!(
            self,
            Scalar::Char | Scalar::Short | Scalar::Int | Scalar::Long
        )
    }
}

/// OpenCL's address spaces.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[allow(missing_docs)]
pub enum AddressSpace {
    Private,
    Global,
    Constant,
    Local,
    /// OpenCL C 2.0: private, local or global.
    Generic,
}

bitflags! {
    /// Type qualifiers.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub struct Qualifiers: u8 {
        /// `const`
        const CONST = 1;
        /// `volatile`
        const VOLATILE = 2;
        /// `restrict`, on pointers
        const RESTRICT = 4;
    }
}

/// A type with qualifiers: of a variable, a field or a pointee.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct QualType {
    /// The type.
    pub ty: TypeId,
    /// Its qualifiers.
    pub quals: Qualifiers,
}

impl QualType {
    /// A type without qualifiers.
    pub fn plain(ty: TypeId) -> Self {
        QualType {
            ty,
            quals: Qualifiers::empty(),
        }
    }
}

/// A type.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Type {
    /// `void`
    Void,
    /// An arithmetic scalar.
    Scalar(Scalar),
    /// A vector of 2, 3, 4, 8 or 16 scalars.
    Vector(Scalar, u8),
    /// A pointer.
    Pointer {
        /// What it points to.
        pointee: QualType,
        /// Where that lies.
        space: AddressSpace,
    },
    /// An array.
    Array {
        /// Of what.
        element: QualType,
        /// How many; `None` where an initialiser or a parameter leaves it open.
        len: Option<u64>,
    },
    /// A struct or union.
    Record(RecordId),
    /// An enumeration.
    Enum(EnumId),
    /// Another name for a type, kept for printing; see [`Types::canonical`]. `size_t` and its kin
    /// are [`Type::Named`].
    Typedef(TypedefId),
    /// A typedef that OpenCL C itself declares, such as `size_t`, and the scalar it stands for on
    /// a device with 64-bit addresses.
    Named(&'static str, Scalar),
    /// A type that is only passed on: images with their access qualifier, `sampler_t`, `event_t`,
    /// `queue_t`, .. as spelled.
    Opaque(String),
    /// A pipe of packets of this type; `write` is the access.
    Pipe {
        /// The packet.
        packet: TypeId,
        /// `write_only` rather than `read_only`.
        write: bool,
    },
    /// An Intel channel of elements of this type.
    Channel(TypeId),
}

/// All types of a module.
#[derive(Clone, Debug, Default)]
pub struct Types {
    set: IndexSet<Type>,
    /// What each typedef stands for, by [`TypedefId`].
    pub(super) aliases: Vec<TypeId>,
}

impl Types {
    /// The handle of a type.
    pub fn intern(&mut self, ty: Type) -> TypeId {
        Id::from_index(self.set.insert_full(ty).0)
    }

    /// The handle of a type that was interned before.
    pub fn lookup(&self, ty: &Type) -> Option<TypeId> {
        self.set.get_index_of(ty).map(Id::from_index)
    }

    /// The type of a handle, perhaps a typedef.
    pub fn get(&self, id: TypeId) -> &Type {
        &self.set[id.index()]
    }

    /// All types, in order of creation.
    pub fn iter(&self) -> impl Iterator<Item = &Type> {
        self.set.iter()
    }

    /// Number of types.
    pub fn len(&self) -> usize {
        self.set.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.set.is_empty()
    }

    /// The type without typedefs at its top; `size_t` and its kin become scalars.
    pub fn resolve(&self, id: TypeId) -> Type {
        match self.get(id) {
            Type::Typedef(typedef) => self.resolve(self.aliases[typedef.index()]),
            Type::Named(_, scalar) => Type::Scalar(*scalar),
            other => other.clone(),
        }
    }

    /// [`Self::resolve`] as a handle.
    pub fn canonical(&mut self, id: TypeId) -> TypeId {
        let resolved = self.resolve(id);
        self.intern(resolved)
    }

    /// Shorthand for a scalar type.
    pub fn scalar(&mut self, scalar: Scalar) -> TypeId {
        self.intern(Type::Scalar(scalar))
    }

    /// `int`.
    pub fn int(&mut self) -> TypeId {
        self.scalar(Scalar::Int)
    }

    /// `size_t`.
    pub fn size_t(&mut self) -> TypeId {
        self.intern(Type::Named("size_t", Scalar::ULong))
    }

    /// The scalar that a type is, enumerations counting as `int`.
    pub fn as_scalar(&self, id: TypeId) -> Option<Scalar> {
        match self.resolve(id) {
            Type::Scalar(scalar) => Some(scalar),
            Type::Enum(_) => Some(Scalar::Int),
            _ => None,
        }
    }

    /// Element type and width of a vector.
    pub fn as_vector(&self, id: TypeId) -> Option<(Scalar, u8)> {
        match self.resolve(id) {
            Type::Vector(scalar, width) => Some((scalar, width)),
            _ => None,
        }
    }

    /// The scalar that a type is or is a vector of, enumerations counting as `int`.
    pub fn component(&self, id: TypeId) -> Option<Scalar> {
        let of_vector = self.as_vector(id).map(|(scalar, _)| scalar);
        of_vector.or_else(|| self.as_scalar(id))
    }

    /// Pointee and space of a pointer.
    pub fn as_pointer(&self, id: TypeId) -> Option<(QualType, AddressSpace)> {
        match self.resolve(id) {
            Type::Pointer { pointee, space } => Some((pointee, space)),
            _ => None,
        }
    }

    /// Element and length of an array.
    pub fn as_array(&self, id: TypeId) -> Option<(QualType, Option<u64>)> {
        match self.resolve(id) {
            Type::Array { element, len } => Some((element, len)),
            _ => None,
        }
    }

    /// The record that a type is.
    pub fn as_record(&self, id: TypeId) -> Option<RecordId> {
        match self.resolve(id) {
            Type::Record(record) => Some(record),
            _ => None,
        }
    }
}
