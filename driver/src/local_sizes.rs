//! `-fgeometry`: which local sizes suit the device, for the launches whose global size is known.

use std::collections::BTreeMap;

use fpgacc_device_passes::passes::geometry::{ChosenLocal, LocalSizes, ProposedLocal};
use fpgacc_frontend::ir::{FunctionId, Module};
use fpgacc_gpu_model::device::Device;
use fpgacc_gpu_model::geometry::shape::Shape;
use fpgacc_gpu_model::geometry::{self, Ranked, Rounds};
use fpgacc_gpu_model::launched::scalars;
use fpgacc_gpu_model::profile::{self, Sizes};
use fpgacc_kernel_analysis::geometry::{Geometry, LocalGeometry};
use fpgacc_kernel_analysis::observed_groups::observed;
use fpgacc_launch_facts::{Facts, Launch};

use crate::gpu;
use crate::options::Target;
use crate::session::{Session, Step};
use crate::tool;

/// The sizes that the options ask for, if they do.
pub fn proposed(session: &mut Session, module: &Module, facts: &Facts) -> Step<Option<LocalSizes>> {
    let Some(name) = session.options.geometry.clone() else {
        return Ok(None);
    };
    let name = match (name.as_str(), session.options.target) {
        ("", Target::Emulator) if tool::emulator(&session.options) == Some("nvidia") => "h200",
        ("", Target::Emulator) => "pocl",
        ("", Target::Hardware | Target::Simulator | Target::Source) => "fpga",
        (name, _) => name,
    };
    let device = gpu::timed(session, name)?;
    let mut proposed = LocalSizes {
        device: device.title.clone(),
        kernels: BTreeMap::new(),
    };
    for kernel in module.kernels() {
        if observed(module, kernel).is_none() {
            let name = module.functions[kernel].name.clone();
            let sizes = of_kernel(&device, module, kernel, facts);
            proposed.kernels.insert(name, sizes);
        }
    }
    Ok(Some(proposed))
}

/// The sizes for the launches of a kernel that sees nothing of its groups.
fn of_kernel(
    device: &Device,
    module: &Module,
    kernel: FunctionId,
    facts: &Facts,
) -> Vec<ProposedLocal> {
    let name = &module.functions[kernel].name;
    let mut all: Vec<ProposedLocal> = Vec::new();
    for launch in facts.launches.iter().filter(|one| one.may_be_of(name)) {
        let Some(ranking) = Ranking::of(device, module, kernel, launch) else {
            continue;
        };
        let is_known = |one: &ProposedLocal| one.sizes.global == ranking.global;
        if !all.iter().any(is_known) {
            all.extend(ranking.best());
        }
    }
    all
}

/// The sizes for a launch whose global size is known, best first.
pub struct Ranking {
    /// The global size; 1 beyond the launch's dimensions.
    pub global: [u64; 3],
    /// The host's own local size, if it is known.
    pub own: Option<Shape>,
    /// All shapes.
    pub ranked: Vec<Ranked>,
    /// What a loop over groups of the best size gains, if that is worth it.
    pub rounds: Option<Rounds>,
}

impl Ranking {
    /// Of a launch of a kernel that sees nothing of its groups; `None`: its global size is not known.
    pub fn of(
        device: &Device,
        module: &Module,
        kernel: FunctionId,
        launch: &Launch,
    ) -> Option<Self> {
        let known = Geometry::of([launch]);
        let [Some(x), Some(y), Some(z)] = known.global else {
            return None;
        };
        let global = [x, y, z];
        let sizes = Sizes {
            global,
            local: None,
            scalars: scalars(launch),
        };
        let profile = profile::profile(module, kernel, &sizes);
        let own = match known.local {
            LocalGeometry::Sizes([Some(x), Some(y), Some(z)]) => Some(Shape([x, y, z])),
            _ => None,
        };
        let ranked = geometry::rank(device, &profile, global);
        let best = ranked.first();
        Some(Ranking {
            global,
            own,
            rounds: best.and_then(|best| geometry::rounds(device, &profile, global, best)),
            ranked,
        })
    }

    /// The size to take.
    pub fn chosen(&self) -> Option<&Ranked> {
        geometry::choose(&self.ranked, self.own)
    }

    /// The size to take, as text too.
    fn best(&self) -> Option<ProposedLocal> {
        let chosen = self.chosen()?;
        let of_own = self.ranked.iter().find(|one| Some(one.shape) == self.own);
        let gain = match of_own {
            Some(own) if own.shape == chosen.shape => "the host's own".to_string(),
            Some(own) => format!(
                "{:.2} times as fast as work-groups of {}, by the model",
                own.prediction.seconds / chosen.prediction.seconds,
                own.shape
            ),
            None => String::new(),
        };
        Some(ProposedLocal {
            sizes: ChosenLocal {
                global: self.global,
                local: chosen.shape.0,
            },
            gain,
        })
    }
}
