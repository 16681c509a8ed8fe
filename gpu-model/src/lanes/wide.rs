//! A value for each lane of a warp.

use std::rc::Rc;

use super::value::Value;

/// The lanes that do something, a bit each.
pub type Mask = u64;

/// The lanes of a mask, in ascending order.
pub fn lanes(mask: Mask) -> impl Iterator<Item = usize> {
    (0..Mask::BITS as usize).filter(move |lane| mask >> lane & 1 == 1)
}

/// Values of the lanes of a warp.
#[derive(Clone, Debug)]
pub enum Wide {
    /// All lanes have this one.
    Same(Value),
    /// Each lane has its own.
    Each(Rc<[Value]>),
}

impl PartialEq for Wide {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Wide::Same(a), Wide::Same(b)) => a == b,
            (Wide::Each(a), Wide::Each(b)) => Rc::ptr_eq(a, b) || a == b,
            _ => false,
        }
    }
}

impl Wide {
    /// One integer.
    pub fn int(value: i128) -> Self {
        Wide::Same(Value::int(value))
    }

    /// The value of a lane.
    pub fn lane(&self, lane: usize) -> &Value {
        match self {
            Wide::Same(value) => value,
            Wide::Each(values) => &values[lane],
        }
    }

    /// The value that all lanes have.
    pub fn same(&self) -> Option<&Value> {
        match self {
            Wide::Same(value) => Some(value),
            Wide::Each(_) => None,
        }
    }

    /// The values of `count` lanes, those of a mask by a function; what other lanes hold does not matter.
    pub fn of_lanes(count: usize, mask: Mask, mut value: impl FnMut(usize) -> Value) -> Self {
        let mut first: Option<Value> = None;
        let mut all: Vec<Value> = Vec::with_capacity(count);
        let mut is_same = true;
        for lane in lanes(mask).take_while(|lane| *lane < count) {
            let own = value(lane);
            let known = first.get_or_insert_with(|| own.clone());
            is_same &= own.is_one() && own == *known;
            // Lanes that do nothing have what the one before them has: that keeps the list whole.
            all.resize(lane, known.clone());
            all.push(own);
        }
        match first {
            None => Wide::int(0),
            Some(first) if is_same => Wide::Same(first),
            Some(first) => {
                all.resize(count, first);
                Wide::Each(all.into())
            }
        }
    }

    /// These values, with others in the lanes of a mask.
    pub fn replaced(&self, count: usize, mask: Mask, by: &Wide) -> Self {
        let all = match count {
            64 => Mask::MAX,
            _ => (1 << count) - 1,
        };
        if mask & all == all {
            return by.clone();
        }
        Wide::of_lanes(count, all, |lane| match mask >> lane & 1 {
            1 => by.lane(lane).clone(),
            _ => self.lane(lane).clone(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_lanes_are_one_value_but_for_data() {
        assert_eq!(Wide::of_lanes(4, 0b1110, |_| Value::int(3)), Wide::int(3));
        let data = Wide::of_lanes(4, 0b1111, |_| Value::Data);
        assert!(data.same().is_none());
    }

    #[test]
    fn only_the_lanes_of_a_mask_are_replaced() {
        let all = Wide::int(1).replaced(4, 0b0110, &Wide::int(2));
        let values: Vec<_> = (0..4).map(|lane| all.lane(lane).known()).collect();
        assert_eq!(values, [Some(1), Some(2), Some(2), Some(1)]);
    }
}
