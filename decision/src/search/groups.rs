//! Local sizes for launches whose host leaves them open.
//!
//! Work-groups of a known size are what tiles and SIMD lanes need. Where no work-item can observe it, the pass `geometry`
//! gives a kernel one.

use fpgacc_device_passes::passes::geometry::{ChosenLocal, LocalSizes, ProposedLocal};
use fpgacc_kernel_analysis::geometry::{Geometry, LocalGeometry};
use fpgacc_launch_facts::{Known, Launch};

use crate::price::Pricing;

/// The most work-items of a group in each dimension, by the number of dimensions: squares for tiles, as large as
/// the groups of 256 for which aoc builds kernels that name no size.
const MOST: [[u64; 3]; 3] = [[256, 1, 1], [16, 16, 1], [8, 8, 4]];

/// The one local size that all launches of the kernel can have, where none of them has one.
pub fn proposed(pricing: &Pricing<'_>) -> Option<LocalSizes> {
    let module = &pricing.module;
    let mut kernels = module.kernels();
    let kernel = kernels.find(|id| !pricing.called.contains(id))?;
    let name = &module.functions[kernel].name;
    let launches = pricing.facts.launches.iter();
    let own = launches.filter(|launch| match &launch.kernels {
        Known::Is(names) => names.contains(name),
        Known::Unknown(_) => true,
    });
    let sizes: Option<Vec<ChosenLocal>> = own.map(of_launch).collect();
    let sizes = sizes?;
    let first = sizes.first()?;
    let is_one = sizes.iter().all(|sizes| sizes.local == first.local);
    let proposed = sizes.iter().map(|sizes| ProposedLocal {
        sizes: *sizes,
        gain: String::new(),
    });
    is_one.then(|| LocalSizes {
        device: pricing.board.name.clone(),
        kernels: [(name.clone(), proposed.collect())].into(),
    })
}

/// The largest powers of two that divide a global size.
fn of_launch(launch: &Launch) -> Option<ChosenLocal> {
    let geometry = Geometry::of([launch]);
    let ([Some(x), Some(y), Some(z)], Some(dims)) = (geometry.global, geometry.work_dim) else {
        return None;
    };
    let is_open = geometry.local == LocalGeometry::Null;
    let most = MOST.get(dims.checked_sub(1)? as usize)?;
    let global = [x, y, z];
    let largest = |dim: usize| most[dim].min(1 << global[dim].trailing_zeros().min(8));
    let local = [0, 1, 2].map(largest);
    let are_several = local.iter().product::<u64>() > 1;
    (is_open && are_several).then_some(ChosenLocal { global, local })
}
