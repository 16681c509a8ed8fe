//! Jobs for kernels of which only the text is known: arguments are made up from their types.

use std::collections::BTreeMap;

use fpgacc_frontend::ir::{AddressSpace, Module, Qualifiers, Scalar, Type, TypeId};
use fpgacc_frontend::source::SourceMap;

use crate::job::{Arg, Fill, Geometry, Job};
use crate::random::Random;
use crate::rewrite::{RewriteError, module_of};

/// What is asked for besides the text.
#[derive(Clone, Debug)]
pub struct Requests {
    /// The launch.
    pub geometry: Geometry,
    /// Values by parameter name or index.
    pub args: BTreeMap<String, String>,
    /// Elements of a buffer that is not in `args`.
    pub elements: usize,
    /// Chooses what buffers hold.
    pub seed: u64,
}

/// Why no job can be made.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AdhocError {
    /// The text is wrong.
    #[error(transparent)]
    Text(#[from] RewriteError),
    /// There is no such kernel.
    #[error("there is no kernel '{0}'; there are: {1}")]
    NoKernel(String, String),
    /// A parameter's type has no values that can be made up.
    #[error("parameter '{0}' is of a type that cannot be passed here")]
    Parameter(String),
    /// A value that does not fit its parameter.
    #[error("'{value}' is no value for parameter '{name}' (write {help})")]
    Value {
        /// The parameter.
        name: String,
        /// As given.
        value: String,
        /// What could be written.
        help: &'static str,
    },
    /// A value for no parameter.
    #[error("kernel '{kernel}' has no parameter '{name}'")]
    NoParameter {
        /// The kernel.
        kernel: String,
        /// As given.
        name: String,
    },
}

/// The names of a text's kernels.
///
/// # Errors
/// The text is wrong.
pub fn kernels(job: &Job) -> Result<Vec<String>, RewriteError> {
    let module = module_of(job, &mut SourceMap::new())?;
    let names = module.kernels().map(|id| module.functions[id].name.clone());
    Ok(names.collect())
}

/// The local size that a kernel's `reqd_work_group_size` asks for.
///
/// # Errors
/// The text is wrong.
pub fn required_size(job: &Job, kernel: &str) -> Result<Option<[u64; 3]>, RewriteError> {
    let module = module_of(job, &mut SourceMap::new())?;
    let functions = module.kernels().map(|id| &module.functions[id]);
    let found = functions.filter(|f| f.name == kernel);
    Ok(found.filter_map(|f| f.reqd_work_group_size()).next())
}

/// Appends a launch of a kernel with made-up arguments.
///
/// # Errors
/// See [`AdhocError`].
pub fn launch(job: &mut Job, kernel: &str, requests: &Requests) -> Result<(), AdhocError> {
    let module = module_of(job, &mut SourceMap::new())?;
    let found = module
        .kernels()
        .find(|id| module.functions[*id].name == kernel);
    let Some(id) = found else {
        let names = module.kernels().map(|id| module.functions[id].name.clone());
        let names = names.collect::<Vec<_>>().join(", ");
        return Err(AdhocError::NoKernel(kernel.to_string(), names));
    };
    let function = &module.functions[id];
    let mut random = Random::new(requests.seed);
    let mut passed: BTreeMap<String, Arg> = BTreeMap::new();
    let mut used = Vec::new();
    let mut args = Vec::new();
    for (index, var) in function.params.iter().enumerate() {
        let variable = &function.vars[*var];
        let by_index = index.to_string();
        let name = [&variable.name, &by_index]
            .into_iter()
            .find(|name| requests.args.contains_key(*name));
        used.extend(name.cloned());
        let parameter = Parameter {
            module: &module,
            name: &variable.name,
            ty: variable.ty.ty,
            request: name.map(|name| requests.args[name].as_str()),
        };
        let arg = parameter.arg(job, requests, &mut random, &passed)?;
        if let Arg::Buffer(number) = arg {
            // Of a buffer that is passed twice, both must agree.
            let is_new = !passed.values().any(|other| *other == arg);
            let buffer = &mut job.buffers[number];
            buffer.read_only = parameter.is_only_read() && (is_new || buffer.read_only);
        }
        passed.insert(variable.name.clone(), arg.clone());
        args.push(arg);
    }
    if let Some(name) = requests.args.keys().find(|name| !used.contains(name)) {
        return Err(AdhocError::NoParameter {
            kernel: kernel.to_string(),
            name: name.clone(),
        });
    }
    job.launch(kernel, requests.geometry.clone(), args);
    Ok(())
}

struct Parameter<'a> {
    module: &'a Module,
    name: &'a str,
    ty: TypeId,
    request: Option<&'a str>,
}

impl Parameter<'_> {
    /// Whether the text says that the kernel does not write through it.
    fn is_only_read(&self) -> bool {
        let pointer = self.module.types.as_pointer(self.ty);
        pointer.is_some_and(|(pointee, space)| {
            space == AddressSpace::Constant || pointee.quals.contains(Qualifiers::CONST)
        })
    }

    fn arg(
        &self,
        job: &mut Job,
        requests: &Requests,
        random: &mut Random,
        passed: &BTreeMap<String, Arg>,
    ) -> Result<Arg, AdhocError> {
        let types = &self.module.types;
        let Some((pointee, space)) = types.as_pointer(self.ty) else {
            return self.value(requests);
        };
        let element = self.size(pointee.ty)?;
        if space == AddressSpace::Local {
            let count = match self.request {
                Some(text) => self.parse(text, "the number of elements")?,
                None => group_size(&requests.geometry) as usize,
            };
            return Ok(Arg::Local((count * element).max(1)));
        }
        const HELP: &str = "the number of elements, `zero:N` or `same:OTHER`";
        let (zero, count) = match self.request {
            None => (false, requests.elements),
            Some(text) => match text.split_once(':') {
                Some(("same", other)) => {
                    return passed
                        .get(other)
                        .cloned()
                        .ok_or_else(|| self.wrong(text, HELP));
                }
                Some(("zero", count)) => (true, self.parse(count, HELP)?),
                Some(_) => return Err(self.wrong(text, HELP)),
                None => (false, self.parse(text, HELP)?),
            },
        };
        let fill = match zero {
            true => Fill::Zero,
            false => self.fill(pointee.ty, random),
        };
        Ok(job.buffer((count * element).max(1), fill))
    }

    /// Small integers, whatever the type.
    fn fill(&self, ty: TypeId, random: &mut Random) -> Fill {
        let mut values = (0..251).map(|_| random.below(16) as u8).collect::<Vec<_>>();
        let bytes = match self.scalar(ty) {
            Some(scalar) => values
                .iter()
                .flat_map(|v| bytes_of(scalar, f64::from(*v)))
                .collect(),
            None => std::mem::take(&mut values),
        };
        Fill::Bytes(bytes)
    }

    /// The scalar that a type is made of; of a record its first field's.
    fn scalar(&self, ty: TypeId) -> Option<Scalar> {
        let types = &self.module.types;
        if let Some(scalar) = types.as_scalar(ty) {
            return Some(scalar);
        }
        if let Some((scalar, _)) = types.as_vector(ty) {
            return Some(scalar);
        }
        match types.resolve(ty) {
            Type::Array { element, .. } => self.scalar(element.ty),
            Type::Void => Some(Scalar::Int),
            Type::Record(_) => Some(Scalar::Int),
            Type::Enum(_) => Some(Scalar::Int),
            _ => None,
        }
    }

    fn size(&self, ty: TypeId) -> Result<usize, AdhocError> {
        if matches!(self.module.types.resolve(ty), Type::Void) {
            return Ok(1);
        }
        let layout = self.module.layout(ty);
        layout
            .map(|layout| layout.size as usize)
            .ok_or_else(|| AdhocError::Parameter(self.name.to_string()))
    }

    fn value(&self, requests: &Requests) -> Result<Arg, AdhocError> {
        const HELP: &str = "a number";
        let scalar = self
            .scalar(self.ty)
            .ok_or_else(|| AdhocError::Parameter(self.name.to_string()))?;
        let number: f64 = match self.request {
            Some(text) => self.parse(text, HELP)?,
            None if scalar.is_float() => 2.0,
            None => sensible(&requests.geometry) as f64,
        };
        let one = bytes_of(scalar, number);
        let size = self.size(self.ty)?;
        Ok(Arg::Value(one.into_iter().cycle().take(size).collect()))
    }

    fn parse<T: std::str::FromStr>(&self, text: &str, help: &'static str) -> Result<T, AdhocError> {
        text.parse().map_err(|_| self.wrong(text, help))
    }

    fn wrong(&self, text: &str, help: &'static str) -> AdhocError {
        AdhocError::Value {
            name: self.name.to_string(),
            value: text.to_string(),
            help,
        }
    }
}

/// What an integer parameter most often is: a size of the problem.
fn sensible(geometry: &Geometry) -> u64 {
    match geometry {
        Geometry::Task => 16,
        Geometry::Range { global, .. } => global.first().copied().unwrap_or(1),
    }
}

fn group_size(geometry: &Geometry) -> u64 {
    match geometry {
        Geometry::Task => 1,
        Geometry::Range { global, local, .. } if local.is_empty() => global.iter().product(),
        Geometry::Range { local, .. } => local.iter().product(),
    }
}

/// A number as a scalar's bytes.
fn bytes_of(scalar: Scalar, number: f64) -> Vec<u8> {
    match scalar {
        Scalar::Float => (number as f32).to_ne_bytes().to_vec(),
        Scalar::Double => number.to_ne_bytes().to_vec(),
        // Small integers are exact in a half: exponent by hand.
        Scalar::Half => half(number).to_ne_bytes().to_vec(),
        Scalar::ULong => (number as u64).to_ne_bytes().to_vec(),
        _ => (number as i64).to_ne_bytes()[..scalar.size() as usize].to_vec(),
    }
}

/// A small number as a 16-bit float.
fn half(number: f64) -> u16 {
    if number == 0.0 {
        return 0;
    }
    let bits = (number as f32).to_bits();
    let exponent = ((bits >> 23) & 0xff) as i32 - 127 + 15;
    let sign = (bits >> 16) & 0x8000;
    (sign | (exponent.clamp(0, 30) as u32) << 10 | ((bits >> 13) & 0x3ff)) as u16
}

#[cfg(test)]
mod tests {
    use super::*;

    fn requests(args: &[(&str, &str)]) -> Requests {
        let args = args.iter().map(|(a, b)| (a.to_string(), b.to_string()));
        Requests {
            geometry: Geometry::range(&[64], &[16]),
            args: args.collect(),
            elements: 100,
            seed: 1,
        }
    }

    #[test]
    fn arguments_are_made_of_types() {
        let mut job = Job::new(
            "__kernel void k(__global float4 *a, __local int *b, int n, float f, __global float4 *c) {}",
        );
        let requests = requests(&[("b", "3"), ("c", "same:a")]);
        launch(&mut job, "k", &requests).expect("a launch");
        assert_eq!(job.buffers[0].bytes, 1600);
        let expected = [
            Arg::Buffer(0),
            Arg::Local(12),
            Arg::int(64),
            Arg::float(2.0),
            Arg::Buffer(0),
        ];
        assert_eq!(job.launches[0].args, expected);
    }

    #[test]
    fn what_does_not_fit_is_said() {
        let mut job = Job::new("__kernel void k(int n) {}");
        let error = launch(&mut job, "k", &requests(&[("n", "many")])).expect_err("no number");
        assert_eq!(
            error.to_string(),
            "'many' is no value for parameter 'n' (write a number)"
        );
        let error = launch(&mut job, "k", &requests(&[("m", "1")])).expect_err("no parameter");
        assert_eq!(error.to_string(), "kernel 'k' has no parameter 'm'");
    }

    #[test]
    fn halves_hold_small_integers() {
        assert_eq!(
            [half(0.0), half(1.0), half(2.0), half(-3.0)],
            [0, 0x3c00, 0x4000, 0xc200]
        );
    }
}
