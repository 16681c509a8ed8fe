//! Kernels before and after passes, on the emulators.

mod as_tasks;
mod campaign;
mod coarsen;
mod count_random;
mod delinearise_random;
mod forward_random;
mod fuse_random;
mod group_loop_random;
mod interchange_random;
mod known_sizes_random;
mod ndrange_to_loop;
mod ndrange_to_loop_random;
mod neighbours_random;
mod privatise_random;
mod promote;
mod promote_random;
mod reduced;
mod reduction;
mod reduction_random;
mod restrict_random;
mod specialise;
mod three_passes;
mod tile_random;
mod vectorise_loops_random;
mod vectorise_random;
mod window_random;
