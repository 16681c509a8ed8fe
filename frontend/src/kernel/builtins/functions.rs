//! The functions that OpenCL C and Intel's extensions declare, with the rules of their result types.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use super::types;
use crate::ir::{AddressSpace, Scalar, Type};

/// How a call's type follows from its arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ret {
    /// A type by name.
    Is(&'static str),
    /// The common type of all arguments that are no pointers; scalars widen beside vectors.
    Common,
    /// The same, an `int` at least.
    Word,
    /// The same, integers counting as `float`.
    Float,
    /// The first argument's type.
    First,
    /// The first argument's type, integers counting as `float`.
    FirstFloat,
    /// The element of the arguments' floating-point vector.
    Element,
    /// `int`, or a vector of signed integers as wide as the arguments.
    Mask,
    /// `int`, or a vector of `int` with as many components.
    Ints,
    /// The unsigned variant of the first argument's type.
    Unsigned,
    /// Twice as wide integers.
    Upsampled,
    /// What the first argument points to.
    Pointee,
    /// The value inside the atomic object that the first argument points to.
    AtomicValue,
    /// `vloadN`: N elements of what the second argument points to.
    Load(u8),
    /// The first argument's element type, as many as the last argument has.
    Shuffled,
    /// The element of the channel that is the first argument.
    ChannelElement,
    /// `float4`, or `float` from a depth image.
    Pixel,
    /// `int2`, or `int4` of a 3-D image.
    ImageDim,
    /// The first argument, in another address space.
    Space(AddressSpace),
    /// `nan`: floating-point of the argument's size.
    Nan,
}

/// A function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Builtin {
    pub ret: Ret,
    pub min_args: usize,
    pub max_args: usize,
}

/// A row: result, least and most arguments, names.
type Row = (Ret, usize, usize, &'static str);

const ROWS: &[Row] = &[
    // Work-items.
    (
        Ret::Is("uint"),
        0,
        0,
        "get_work_dim get_sub_group_size get_max_sub_group_size \
        get_num_sub_groups get_enqueued_num_sub_groups get_sub_group_id get_sub_group_local_id",
    ),
    (
        Ret::Is("size_t"),
        1,
        1,
        "get_global_size get_global_id get_local_size get_local_id \
        get_num_groups get_group_id get_global_offset get_enqueued_local_size",
    ),
    (
        Ret::Is("size_t"),
        0,
        0,
        "get_global_linear_id get_local_linear_id",
    ),
    (Ret::Is("int"), 1, 1, "get_compute_id"),
    // Mathematics.
    (
        Ret::Float,
        1,
        1,
        "acos acosh acospi asin asinh asinpi atan atanh atanpi cbrt ceil cos cosh \
        cospi erfc erf exp exp2 exp10 expm1 fabs floor lgamma log log2 log10 log1p logb rint round \
        rsqrt sin sinh sinpi sqrt tan tanh tanpi tgamma trunc native_cos native_exp native_exp2 \
        native_exp10 native_log native_log2 native_log10 native_recip native_rsqrt native_sin \
        native_sqrt native_tan half_cos half_exp half_exp2 half_exp10 half_log half_log2 half_log10 \
        half_recip half_rsqrt half_sin half_sqrt half_tan degrees radians sign normalize \
        fast_normalize",
    ),
    (
        Ret::Float,
        2,
        2,
        "atan2 atan2pi copysign fdim fmax fmin fmod hypot maxmag minmag nextafter \
        pow powr remainder native_divide native_powr half_divide half_powr step cross",
    ),
    (Ret::Float, 3, 3, "fma mad mix smoothstep"),
    (
        Ret::FirstFloat,
        2,
        2,
        "fract frexp ldexp lgamma_r modf pown rootn sincos",
    ),
    (Ret::FirstFloat, 3, 3, "remquo"),
    (Ret::Ints, 1, 1, "ilogb"),
    (Ret::Nan, 1, 1, "nan"),
    (Ret::Element, 1, 1, "length fast_length"),
    (Ret::Element, 2, 2, "dot distance fast_distance"),
    (
        Ret::Common,
        2,
        2,
        "max min add_sat hadd mul_hi rhadd rotate sub_sat",
    ),
    (Ret::Common, 3, 3, "clamp mad_hi mad_sat"),
    (Ret::Word, 2, 2, "mul24"),
    (Ret::Word, 3, 3, "mad24"),
    (Ret::First, 1, 1, "clz ctz popcount"),
    (Ret::Unsigned, 1, 1, "abs"),
    (Ret::Unsigned, 2, 2, "abs_diff"),
    (Ret::Upsampled, 2, 2, "upsample"),
    // Relations.
    (
        Ret::Mask,
        2,
        2,
        "isequal isnotequal isgreater isgreaterequal isless islessequal \
        islessgreater isordered isunordered",
    ),
    (Ret::Mask, 1, 1, "isfinite isinf isnan isnormal signbit"),
    (Ret::Is("int"), 1, 1, "any all"),
    (Ret::First, 3, 3, "bitselect select"),
    // Memory.
    (Ret::Load(2), 2, 2, "vload2"),
    (Ret::Load(3), 2, 2, "vload3"),
    (Ret::Load(4), 2, 2, "vload4"),
    (Ret::Load(8), 2, 2, "vload8"),
    (Ret::Load(16), 2, 2, "vload16"),
    (Ret::Is("float"), 2, 2, "vload_half"),
    (Ret::Is("float2"), 2, 2, "vload_half2 vloada_half2"),
    (Ret::Is("float3"), 2, 2, "vload_half3 vloada_half3"),
    (Ret::Is("float4"), 2, 2, "vload_half4 vloada_half4"),
    (Ret::Is("float8"), 2, 2, "vload_half8 vloada_half8"),
    (Ret::Is("float16"), 2, 2, "vload_half16 vloada_half16"),
    (
        Ret::Is("void"),
        3,
        3,
        "vstore2 vstore3 vstore4 vstore8 vstore16",
    ),
    (Ret::Shuffled, 2, 2, "shuffle"),
    (Ret::Shuffled, 3, 3, "shuffle2"),
    (Ret::Is("event_t"), 4, 4, "async_work_group_copy"),
    (Ret::Is("event_t"), 5, 5, "async_work_group_strided_copy"),
    (Ret::Is("void"), 2, 2, "wait_group_events prefetch"),
    (Ret::Space(AddressSpace::Global), 1, 1, "to_global"),
    (Ret::Space(AddressSpace::Local), 1, 1, "to_local"),
    (Ret::Space(AddressSpace::Private), 1, 1, "to_private"),
    (Ret::Is("cl_mem_fence_flags"), 1, 1, "get_fence"),
    // Synchronisation.
    (
        Ret::Is("void"),
        1,
        1,
        "barrier mem_fence read_mem_fence write_mem_fence",
    ),
    (
        Ret::Is("void"),
        1,
        2,
        "work_group_barrier sub_group_barrier",
    ),
    (Ret::Is("void"), 3, 3, "atomic_work_item_fence"),
    (
        Ret::Is("int"),
        1,
        1,
        "work_group_all work_group_any sub_group_all sub_group_any",
    ),
    (Ret::First, 2, 4, "work_group_broadcast"),
    (
        Ret::First,
        2,
        2,
        "sub_group_broadcast intel_sub_group_shuffle intel_sub_group_shuffle_xor \
        sub_group_shuffle sub_group_shuffle_xor",
    ),
    (
        Ret::First,
        3,
        3,
        "intel_sub_group_shuffle_up intel_sub_group_shuffle_down",
    ),
    (
        Ret::First,
        1,
        1,
        "work_group_reduce_add work_group_reduce_min work_group_reduce_max \
        work_group_scan_exclusive_add work_group_scan_exclusive_min work_group_scan_exclusive_max \
        work_group_scan_inclusive_add work_group_scan_inclusive_min work_group_scan_inclusive_max \
        sub_group_reduce_add sub_group_reduce_min sub_group_reduce_max \
        sub_group_scan_exclusive_add sub_group_scan_exclusive_min sub_group_scan_exclusive_max \
        sub_group_scan_inclusive_add sub_group_scan_inclusive_min sub_group_scan_inclusive_max",
    ),
    (Ret::Is("uint4"), 1, 1, "sub_group_ballot"),
    (
        Ret::Is("uint4"),
        0,
        0,
        "get_sub_group_eq_mask get_sub_group_ge_mask get_sub_group_gt_mask \
        get_sub_group_le_mask get_sub_group_lt_mask",
    ),
    (
        Ret::Is("uint"),
        1,
        1,
        "sub_group_ballot_bit_count sub_group_ballot_inclusive_scan \
        sub_group_ballot_exclusive_scan sub_group_ballot_find_lsb sub_group_ballot_find_msb",
    ),
    (
        Ret::Is("int"),
        1,
        1,
        "sub_group_inverse_ballot sub_group_non_uniform_all sub_group_non_uniform_any \
        sub_group_non_uniform_all_equal",
    ),
    (Ret::Is("int"), 0, 0, "sub_group_elect"),
    (Ret::Is("int"), 2, 2, "sub_group_ballot_bit_extract"),
    (
        Ret::First,
        2,
        2,
        "sub_group_non_uniform_broadcast sub_group_shuffle_up sub_group_shuffle_down \
        sub_group_rotate sub_group_clustered_reduce_add sub_group_clustered_reduce_mul \
        sub_group_clustered_reduce_min sub_group_clustered_reduce_max",
    ),
    (Ret::First, 1, 1, "sub_group_broadcast_first"),
    (
        Ret::Is("ulong"),
        0,
        0,
        "clock_read_device clock_read_work_group clock_read_sub_group",
    ),
    (
        Ret::Is("uint2"),
        0,
        0,
        "clock_read_hilo_device clock_read_hilo_work_group clock_read_hilo_sub_group",
    ),
    // Atomics of OpenCL C 1.x.
    (
        Ret::Pointee,
        1,
        1,
        "atomic_inc atomic_dec atom_inc atom_dec",
    ),
    (
        Ret::Pointee,
        2,
        2,
        "atomic_add atomic_sub atomic_xchg atomic_min atomic_max atomic_and \
        atomic_or atomic_xor atom_add atom_sub atom_xchg atom_min atom_max atom_and atom_or atom_xor",
    ),
    (Ret::Pointee, 3, 3, "atomic_cmpxchg atom_cmpxchg"),
    // Atomics of OpenCL C 2.0.
    (Ret::First, 1, 1, "ATOMIC_VAR_INIT"),
    (Ret::Is("void"), 2, 2, "atomic_init atomic_store"),
    (Ret::Is("void"), 3, 4, "atomic_store_explicit"),
    (Ret::AtomicValue, 1, 1, "atomic_load"),
    (Ret::AtomicValue, 2, 3, "atomic_load_explicit"),
    (
        Ret::AtomicValue,
        2,
        2,
        "atomic_exchange atomic_fetch_add atomic_fetch_sub atomic_fetch_or \
        atomic_fetch_xor atomic_fetch_and atomic_fetch_min atomic_fetch_max",
    ),
    (
        Ret::AtomicValue,
        3,
        4,
        "atomic_exchange_explicit atomic_fetch_add_explicit \
        atomic_fetch_sub_explicit atomic_fetch_or_explicit atomic_fetch_xor_explicit \
        atomic_fetch_and_explicit atomic_fetch_min_explicit atomic_fetch_max_explicit",
    ),
    (
        Ret::Is("bool"),
        3,
        3,
        "atomic_compare_exchange_strong atomic_compare_exchange_weak",
    ),
    (
        Ret::Is("bool"),
        5,
        6,
        "atomic_compare_exchange_strong_explicit \
        atomic_compare_exchange_weak_explicit",
    ),
    (Ret::Is("bool"), 1, 1, "atomic_flag_test_and_set"),
    (Ret::Is("bool"), 2, 3, "atomic_flag_test_and_set_explicit"),
    (Ret::Is("void"), 1, 1, "atomic_flag_clear"),
    (Ret::Is("void"), 2, 3, "atomic_flag_clear_explicit"),
    // Output.
    (Ret::Is("int"), 1, usize::MAX, "printf"),
    // Images.
    (Ret::Pixel, 2, 6, "read_imagef"),
    (Ret::Is("int4"), 2, 6, "read_imagei"),
    (Ret::Is("uint4"), 2, 6, "read_imageui"),
    (Ret::Is("half4"), 2, 3, "read_imageh"),
    (
        Ret::Is("void"),
        3,
        4,
        "write_imagef write_imagei write_imageui write_imageh",
    ),
    (
        Ret::Is("int"),
        1,
        1,
        "get_image_width get_image_height get_image_depth \
        get_image_channel_data_type get_image_channel_order get_image_num_mip_levels \
        get_image_num_samples",
    ),
    (Ret::ImageDim, 1, 1, "get_image_dim"),
    (Ret::Is("size_t"), 1, 1, "get_image_array_size"),
    // Pipes.
    (Ret::Is("int"), 2, 4, "read_pipe write_pipe"),
    (
        Ret::Is("int"),
        2,
        2,
        "read_pipe_block write_pipe_block read_pipe_block_nb",
    ),
    (
        Ret::Is("reserve_id_t"),
        2,
        2,
        "reserve_read_pipe reserve_write_pipe \
        work_group_reserve_read_pipe work_group_reserve_write_pipe sub_group_reserve_read_pipe \
        sub_group_reserve_write_pipe",
    ),
    (
        Ret::Is("void"),
        2,
        2,
        "commit_read_pipe commit_write_pipe work_group_commit_read_pipe \
        work_group_commit_write_pipe sub_group_commit_read_pipe sub_group_commit_write_pipe",
    ),
    (Ret::Is("bool"), 1, 1, "is_valid_reserve_id"),
    (
        Ret::Is("uint"),
        1,
        1,
        "get_pipe_num_packets get_pipe_max_packets",
    ),
    // Intel's channels and the rest of the FPGA extensions.
    (
        Ret::ChannelElement,
        1,
        1,
        "read_channel_intel read_channel_altera",
    ),
    (
        Ret::ChannelElement,
        2,
        2,
        "read_channel_nb_intel read_channel_nb_altera",
    ),
    (
        Ret::Is("void"),
        2,
        2,
        "write_channel_intel write_channel_altera",
    ),
    (
        Ret::Is("bool"),
        2,
        2,
        "write_channel_nb_intel write_channel_nb_altera",
    ),
    (Ret::First, 1, 1, "__fpga_reg"),
    (Ret::First, 2, 2, "__builtin_expect"),
    // Queues on the device, without blocks.
    (Ret::Is("queue_t"), 0, 0, "get_default_queue"),
    (
        Ret::Is("ndrange_t"),
        1,
        3,
        "ndrange_1D ndrange_2D ndrange_3D",
    ),
    (Ret::Is("void"), 1, 1, "release_event retain_event"),
    (Ret::Is("void"), 2, 2, "set_user_event_status"),
    (Ret::Is("clk_event_t"), 0, 0, "create_user_event"),
    (Ret::Is("bool"), 1, 1, "is_valid_event"),
];

fn table() -> &'static BTreeMap<&'static str, Builtin> {
    static TABLE: OnceLock<BTreeMap<&'static str, Builtin>> = OnceLock::new();
    TABLE.get_or_init(|| {
        let mut table = BTreeMap::new();
        for &(ret, min_args, max_args, names) in ROWS {
            let builtin = Builtin {
                ret,
                min_args,
                max_args,
            };
            for name in names.split_whitespace() {
                table.insert(name, builtin);
            }
        }
        table
    })
}

/// A function by name. Conversions are asked for with [`conversion`].
pub(crate) fn function(name: &str) -> Option<Builtin> {
    if let Some(&builtin) = table().get(name) {
        return Some(builtin);
    }
    // vstore_half, vstore_half4_rte, vstorea_half16, ..
    let rest = name
        .strip_prefix("vstore_half")
        .or_else(|| name.strip_prefix("vstorea_half"))?;
    let width = without_rounding(rest);
    matches!(width, "" | "2" | "3" | "4" | "8" | "16").then_some(Builtin {
        ret: Ret::Is("void"),
        min_args: 3,
        max_args: 3,
    })
}

/// The result of `convert_int4_sat_rte`, `as_float2` and their kin.
pub(crate) fn conversion(name: &str) -> Option<Type> {
    let type_name = match name.strip_prefix("as_") {
        Some(rest) => rest,
        None => {
            let rest = without_rounding(name.strip_prefix("convert_")?);
            rest.strip_suffix("_sat").unwrap_or(rest)
        }
    };
    match types::builtin_type(type_name)? {
        found @ (Type::Vector(..) | Type::Named(..)) => Some(found),
        Type::Scalar(scalar) if scalar != Scalar::Bool => Some(Type::Scalar(scalar)),
        _ => None,
    }
}

fn without_rounding(name: &str) -> &str {
    ["_rte", "_rtz", "_rtp", "_rtn"]
        .iter()
        .find_map(|mode| name.strip_suffix(mode))
        .unwrap_or(name)
}

/// The function whose name is most like `name`, of OpenCL's own and of `others`.
pub(crate) fn nearest(name: &str, others: &[&str]) -> Option<String> {
    let all = table().keys().copied().chain(others.iter().copied());
    super::nearest(name, all).map(str::to_string)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conversions_have_the_type_in_their_name() {
        let vector = |scalar, width| Some(Type::Vector(scalar, width));
        assert_eq!(conversion("convert_int4_sat_rte"), vector(Scalar::Int, 4));
        assert_eq!(conversion("as_float2"), vector(Scalar::Float, 2));
        assert_eq!(
            conversion("convert_uchar_sat"),
            Some(Type::Scalar(Scalar::UChar))
        );
        assert_eq!(conversion("convert_banana"), None);
        assert_eq!(conversion("as_bool"), None);
    }

    #[test]
    fn names_stand_once_in_the_table() {
        let names: Vec<&str> = ROWS
            .iter()
            .flat_map(|(.., names)| names.split_whitespace())
            .collect();
        assert_eq!(names.len(), table().len());
        for &(ret, ..) in ROWS {
            if let Ret::Is(name) = ret {
                assert!(types::builtin_type(name).is_some(), "{name}");
            }
        }
        assert!(function("vstore_half4_rtz").is_some());
        assert!(function("vstore_half5").is_none());
    }
}
