//! Types of numbers.

/// Width and signedness of an integer type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct IntType {
    pub bits: u8,
    pub signed: bool,
}

impl IntType {
    pub const BOOL: IntType = IntType::new(1, false);
    pub const CHAR: IntType = IntType::new(8, true);
    pub const INT: IntType = IntType::new(32, true);
    pub const UINT: IntType = IntType::new(32, false);
    pub const LONG: IntType = IntType::new(64, true);
    pub const SIZE: IntType = IntType::new(64, false);

    pub const fn new(bits: u8, signed: bool) -> Self {
        IntType { bits, signed }
    }

    /// A value brought into the type's range, as a conversion does.
    pub fn wrap(self, value: i128) -> i128 {
        if self.bits == 1 {
            return i128::from(value != 0);
        }
        let modulus = 1i128 << self.bits;
        let low = value.rem_euclid(modulus);
        match self.signed && low >= modulus / 2 {
            true => low - modulus,
            false => low,
        }
    }

    pub fn holds(self, value: i128) -> bool {
        self.wrap(value) == value
    }

    fn promoted(self) -> IntType {
        if self.bits < 32 { IntType::INT } else { self }
    }

    /// The type of an operation on two integers.
    pub fn common(self, other: IntType) -> IntType {
        let (a, b) = (self.promoted(), other.promoted());
        if a.bits != b.bits {
            return if a.bits > b.bits { a } else { b };
        }
        IntType::new(a.bits, a.signed && b.signed)
    }
}

/// A type of numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Num {
    Int(IntType),
    Float,
    Double,
}
