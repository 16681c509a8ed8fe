//! `geometry`: launches of NDRange kernels that see nothing of their work-groups get the local size that suits
//! the device.
//!
//! Work-items that are merged afterwards ([`coarsen`](crate::passes::coarsen), [`vectorise`](crate::passes::vectorise)) are
//! those of work-groups of this size: the runtime divides it.
//!
//! Which one, a model says that knows the device; this pass sees to it that no work-item can observe it. The kernel stays
//! as it is: the runtime passes the size in place of the host's, and takes the host's where it does not divide
//! the global size.

use std::collections::BTreeMap;

use fpgacc_frontend::ir::{FunctionId, Module};
use fpgacc_kernel_analysis::geometry::Geometry;
use fpgacc_kernel_analysis::observed_groups::observed;
use fpgacc_launch_facts::Launch;
use fpgacc_runtime::guard::Subject;

use crate::options::OwnOptions;
use crate::pass::{About, Context, LaunchContract, Note, Outcome, Pass, Requirement};
use crate::setting::{Setting, number};

pub use fpgacc_runtime::contract::ChosenLocal;

/// The name of the pass.
pub const GEOMETRY: &str = "geometry";

/// The pass.
pub struct ChooseGeometry;

/// What is asked of it. The command's model proposes (`-fgeometry`), or the decision.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// Local sizes that suit a device, by kernel; `None`: launches keep the host's.
    pub local_sizes: Option<LocalSizes>,
}

impl OwnOptions for Options {
    const DEFAULT: &'static Self = &Options { local_sizes: None };
}

/// Local sizes that suit a device.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LocalSizes {
    /// The device, for remarks.
    pub device: String,
    /// By kernel, as the source names it.
    pub kernels: BTreeMap<String, Vec<ProposedLocal>>,
}

/// The local size for launches of a global size.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProposedLocal {
    /// The sizes.
    pub sizes: ChosenLocal,
    /// What it gains over the host's, as text, for remarks; empty: that is not known.
    pub gain: String,
}

/// `k:64x4/8x4`: the local size for launches of `k` with a global one.
const SETTING: Setting = Setting::new("local-sizes", |options, text| {
    let split = |text, at| str::split_once(text, at).ok_or("expected KERNEL:GLOBAL/LOCAL");
    let (kernel, sizes) = split(text, ':')?;
    let (global, local) = split(sizes, '/')?;
    let proposed = ProposedLocal {
        sizes: ChosenLocal {
            global: three(global)?,
            local: three(local)?,
        },
        gain: String::new(),
    };
    let all = &mut options.of_mut::<Options>().local_sizes;
    let all = all.get_or_insert_with(|| LocalSizes {
        device: "a device".to_string(),
        ..LocalSizes::default()
    });
    all.kernels
        .entry(kernel.to_string())
        .or_default()
        .push(proposed);
    Ok(())
});

/// `64x4`; 1 in further dimensions.
fn three(text: &str) -> Result<[u64; 3], String> {
    let mut sizes = [1; 3];
    for (size, text) in sizes.iter_mut().zip(text.split('x')) {
        *size = number(text)?;
    }
    Ok(sizes)
}

impl Pass for ChooseGeometry {
    fn about(&self) -> About {
        About {
            name: GEOMETRY,
            description: "launch NDRange kernels with the local size that suits the device, if asked for one",
            level: 3,
            requires: &[
                Requirement::ManyWorkItems,
                Requirement::EntryPoint,
                Requirement::KnownLaunches,
            ],
            after: &["specialise", "known-sizes", "ndrange-to-loop"],
        }
    }

    fn settings(&self) -> &'static [Setting] {
        &[SETTING]
    }

    fn has_work(&self, _module: &Module, _kernel: FunctionId, context: &Context<'_>) -> bool {
        context.options.of::<Options>().local_sizes.is_some()
    }

    fn run(
        &self,
        module: &mut Module,
        kernel: FunctionId,
        context: &Context<'_>,
        contract: &mut LaunchContract,
    ) -> Outcome {
        let Some(proposed) = &context.options.of::<Options>().local_sizes else {
            return Outcome::Nothing;
        };
        if let Some(reason) = obstacle(module, kernel, contract) {
            return Outcome::Missed(vec![reason]);
        }
        let none = Vec::new();
        let of_kernel = proposed.kernels.get(context.kernel).unwrap_or(&none);
        let mut done = Vec::new();
        let mut missed = Vec::new();
        for launch in context.launches {
            match of_launch(module, kernel, launch, of_kernel) {
                Ok(one) if contract.local_sizes.contains(&one.sizes) => {}
                Ok(one) => {
                    contract.local_sizes.push(one.sizes);
                    done.push(note(one, launch, &proposed.device));
                }
                Err(reason) => {
                    let text = format!(
                        "the launch at {} keeps its local size: {reason}",
                        launch.site
                    );
                    missed.push(Note::new(text, None));
                }
            }
        }
        self.outcome(&mut module.functions[kernel], done, missed)
    }
}

/// Why all launches of a kernel keep their local sizes.
fn obstacle(module: &Module, kernel: FunctionId, contract: &LaunchContract) -> Option<Note> {
    if let Some(seen) = observed(module, kernel) {
        let text = format!(
            "its launches keep their local sizes: the kernel may see the size of its work-groups by {}",
            seen.what
        );
        return Some(Note::new(text, seen.span));
    }
    let text = "its launches keep their local sizes, which it was compiled for";
    relies_on_local_size(contract).then(|| Note::new(text, None))
}

fn relies_on_local_size(contract: &LaunchContract) -> bool {
    let mut guards = contract.guards.iter();
    guards.any(|guard| guard.subject() == Some(Subject::LocalSize))
}

/// What is proposed for a launch, if the kernel can have it.
fn of_launch<'p>(
    module: &Module,
    kernel: FunctionId,
    launch: &Launch,
    proposed: &'p [ProposedLocal],
) -> Result<&'p ProposedLocal, String> {
    let [Some(x), Some(y), Some(z)] = Geometry::of([launch]).global else {
        return Err("its global size is not known (`fpgacc trace` records it)".to_string());
    };
    let global = [x, y, z];
    let mut all = proposed.iter();
    let found = all.find(|one| one.sizes.global == global && divides(one.sizes));
    let one = found.ok_or("nothing is proposed for its global size")?;
    match largest_group(module, kernel) {
        Some(most) if one.sizes.local.iter().product::<u64>() > most => Err(format!(
            "the kernel says that its work-groups have at most {most} work-items"
        )),
        _ => Ok(one),
    }
}

fn divides(sizes: ChosenLocal) -> bool {
    let mut dims = sizes.local.iter().zip(sizes.global);
    dims.all(|(local, global)| *local > 0 && global.is_multiple_of(*local))
}

/// What the kernel's attribute `max_work_group_size` says.
fn largest_group(module: &Module, kernel: FunctionId) -> Option<u64> {
    let most = module.functions[kernel].attr("max_work_group_size")?;
    Some(most.integers().map_or(0, |sizes| sizes.iter().product()))
}

fn note(one: &ProposedLocal, launch: &Launch, device: &str) -> Note {
    let ChosenLocal { global, local } = one.sizes;
    let gain = match one.gain.as_str() {
        "" => String::new(),
        gain => format!(" ({gain})"),
    };
    let groups = format!("in work-groups of {}", sizes(local));
    let text = format!(
        "launched over {} {groups} at {}, as suits {device}{gain}",
        sizes(global),
        launch.site
    );
    Note::new(text, None).names_form(format!("launched {groups}"))
}

fn sizes(sizes: [u64; 3]) -> String {
    sizes.map(|size| size.to_string()).join(" x ")
}
