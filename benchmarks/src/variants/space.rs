//! Which variants there are, and the names that they have in tables.

use std::collections::BTreeMap;

use fpgacc_launch_facts::{ExecutionModel, Variant};

const LANES: [u64; 5] = [1, 2, 4, 8, 16];
const FACTORS: [u64; 4] = [2, 4, 8, 16];
const STRIDES: [&str; 2] = ["1", "local"];

/// What is done to a kernel in work-groups of a size.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Point {
    /// Neighbouring work-items that become one, with vectors.
    pub lanes: u64,
    /// Work-items that become one.
    pub coarsen: Option<Coarsen>,
    /// Short loops are unrolled whole.
    pub unrolled: bool,
    /// The local size, of as many dimensions as the launch has.
    pub local: Vec<u64>,
}

/// Work-items that become one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Coarsen {
    /// The dimension.
    pub dim: usize,
    /// How many.
    pub factor: u64,
    /// As far apart as the work-group allows, or neighbours.
    pub is_far: bool,
}

/// A local size, as in `64x4`.
pub fn shape(local: &[u64]) -> String {
    let sizes: Vec<String> = local.iter().map(u64::to_string).collect();
    sizes.join("x")
}

/// All points of a kernel in work-groups of a size.
pub fn points(local: &[u64]) -> Vec<Point> {
    let merged = (0..local.len()).flat_map(|dim| {
        let factors = FACTORS.into_iter();
        factors.flat_map(move |factor| {
            [false, true].map(|is_far| {
                Some(Coarsen {
                    dim,
                    factor,
                    is_far,
                })
            })
        })
    });
    let coarsened: Vec<Option<Coarsen>> = std::iter::once(None).chain(merged).collect();
    let each = LANES.into_iter().flat_map(|lanes| {
        coarsened.iter().flat_map(move |coarsen| {
            [false, true].map(|unrolled| Point {
                lanes,
                coarsen: coarsen.clone(),
                unrolled,
                local: local.to_vec(),
            })
        })
    });
    each.filter(Point::divides_its_group).collect()
}

impl Point {
    fn divides_its_group(&self) -> bool {
        let merged = |dim: usize| {
            let lanes = if dim == 0 { self.lanes } else { 1 };
            let coarsen = self.coarsen.as_ref().filter(|one| one.dim == dim);
            lanes * coarsen.map_or(1, |one| one.factor)
        };
        let mut dims = self.local.iter().enumerate();
        dims.all(|(dim, size)| size.is_multiple_of(merged(dim)))
    }

    /// Whether the kernel stays as it is.
    pub fn is_plain(&self) -> bool {
        self.lanes == 1 && self.coarsen.is_none() && !self.unrolled
    }

    /// As tables have it: `vectorise=2;coarsen=1:4:local;local=64x4`, or `vectorise=2;coarsen=1;unroll=whole;local=64x4`.
    pub fn name(&self) -> String {
        let coarsen = self.coarsening().unwrap_or_else(|| "1".to_string());
        let unroll = if self.unrolled { ";unroll=whole" } else { "" };
        let (lanes, shape) = (self.lanes, self.shape());
        format!("vectorise={lanes};coarsen={coarsen}{unroll};local={shape}")
    }

    /// The local size, as in `64x4`.
    pub fn shape(&self) -> String {
        shape(&self.local)
    }

    fn coarsening(&self) -> Option<String> {
        let Coarsen {
            dim,
            factor,
            is_far,
        } = self.coarsen.as_ref()?;
        Some(format!("{dim}:{factor}:{}", STRIDES[usize::from(*is_far)]))
    }

    /// Reads a name; `None`: it is none.
    pub fn parse(name: &str) -> Option<Self> {
        let pairs = name.split(';').filter_map(|pair| pair.split_once('='));
        let values: BTreeMap<&str, &str> = pairs.collect();
        let coarsen = match values.get("coarsen")?.split(':').collect::<Vec<_>>()[..] {
            [dim, factor, stride] => Some(Coarsen {
                dim: dim.parse().ok()?,
                factor: factor.parse().ok()?,
                is_far: stride == STRIDES[1],
            }),
            _ => None,
        };
        let local = values.get("local")?.split('x').map(str::parse);
        Some(Point {
            lanes: values.get("vectorise")?.parse().ok()?,
            coarsen,
            unrolled: values.contains_key("unroll"),
            local: local.collect::<Result<_, _>>().ok()?,
        })
    }

    /// What the passes are asked for, but for loops. The local size is the launch's.
    pub fn variant(&self) -> Variant {
        Variant {
            form: ExecutionModel::NdRange,
            vectorise: Some(self.lanes).filter(|lanes| *lanes > 1),
            coarsen: self.coarsening(),
            ..Variant::default()
        }
    }

    /// The same as numbers, for a search.
    pub fn knobs(&self) -> BTreeMap<String, f64> {
        let mut knobs = BTreeMap::from([("vectorise".to_string(), self.lanes as f64)]);
        for (dim, size) in self.local.iter().enumerate() {
            knobs.insert(format!("local {dim}"), *size as f64);
        }
        if self.unrolled {
            knobs.insert("unroll".to_string(), 1.0);
        }
        if let Some(coarsen) = &self.coarsen {
            knobs.insert(format!("coarsen {}", coarsen.dim), coarsen.factor as f64);
            knobs.insert("far".to_string(), f64::from(u8::from(coarsen.is_far)));
        }
        knobs
    }
}

#[cfg(test)]
mod tests {
    use super::{Point, points};

    #[test]
    fn names_are_read_as_they_are_written() {
        let all = points(&[64, 4]);
        for point in &all {
            assert_eq!(Point::parse(&point.name()).as_ref(), Some(point));
        }
        assert_eq!(Point::parse("vectorise=2"), None);
    }

    #[test]
    fn what_is_merged_divides_the_group() {
        let merged = |point: &Point| point.coarsen.as_ref().map_or(1, |one| one.factor);
        let all = points(&[8]);
        assert!(all.iter().all(|one| one.lanes * merged(one) <= 8));
        assert_eq!(all.iter().filter(|one| one.is_plain()).count(), 1);
    }
}
