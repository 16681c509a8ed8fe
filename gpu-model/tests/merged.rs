//! What is seen of kernels whose work-items were merged, as copies of a piece of code or as vectors.

use fpgacc_gpu_model::device::Device;
use fpgacc_gpu_model::geometry::predict;
use fpgacc_gpu_model::geometry::shape::Shape;
use fpgacc_gpu_model::geometry::vectors::rows;
use fpgacc_gpu_model::profile::Profile;

const SIDE: i64 = 512;

fn profile_of(text: &str, global: [u64; 3]) -> Profile {
    crate::common::profile_of(text, global, &[(3, SIDE)])
}

fn seconds(device: &str, profile: &Profile, global: [u64; 3], local: [u64; 3]) -> f64 {
    let device = Device::named(device).expect("a device");
    let predicted = predict(&device, profile, global, Shape(local));
    predicted.expect("a prediction").seconds
}

/// A product of matrices, of which each work-item computes so many rows.
fn product(rows: u64) -> String {
    format!(
        "__kernel void f(__global const float *a, __global const float *b, __global float *c, int n) {{
            int x = get_global_id(0);
            float sum_saved[{rows}];
            #pragma unroll
            for (int lane = 0; lane < {rows}; lane++)
                sum_saved[lane] = 0;
            for (int k = 0; k < n; k++) {{
                #pragma unroll
                for (int lane = 0; lane < {rows}; lane++) {{
                    float sum = sum_saved[lane];
                    sum += a[(get_global_id(1) * {rows} + lane) * n + k] * b[k * n + x];
                    sum_saved[lane] = sum;
                }}
            }}
            #pragma unroll
            for (int lane = 0; lane < {rows}; lane++)
                c[(get_global_id(1) * {rows} + lane) * n + x] = sum_saved[lane];
        }}"
    )
}

#[test]
fn loops_that_are_unrolled_are_copies_of_their_bodies() {
    let profile = profile_of(&product(4), [512, 128, 1]);
    // Outside of all loops, and the loop over k.
    assert_eq!(profile.scopes.len(), 2);
    let writes = profile.accesses.iter().filter(|one| one.write).count();
    assert_eq!((profile.accesses.len() - writes, writes), (1 + 4, 4));
    // Elements of arrays by a number are registers, and no memory.
    assert!(profile.accesses.iter().all(|one| one.root.is_some()));
    let partly = product(4).replace("#pragma unroll\n", "#pragma unroll 2\n");
    assert_eq!(profile_of(&partly, [512, 128, 1]).scopes.len(), 5);
}

#[test]
fn sums_that_are_carried_are_waited_for_unless_there_are_several() {
    let alone = profile_of(&product(1), [512, 512, 1]);
    let four = profile_of(&product(4), [512, 128, 1]);
    assert_eq!(
        (alone.scopes[1].recurrence, four.scopes[1].recurrence),
        (4.0, 4.0)
    );
    let time = |profile, rows: u64| seconds("pocl", profile, [512, 512 / rows, 1], [64, 1, 1]);
    let gain = time(&alone, 1) / time(&four, 4);
    assert!(gain > 1.8, "{gain}");
    // Of short loops the next work-item's is begun meanwhile.
    let text = product(1).replace("k < n", "k < 4");
    let short = profile_of(&text, [512, 512, 1]);
    let long = profile_of(&product(1).replace("k < n", "k < 512"), [512, 512, 1]);
    assert!(time(&long, 1) > 140.0 * time(&short, 1) - 140.0 * 5e-6);
}

#[test]
fn operations_of_vectors_take_as_many_registers_as_a_vector_has() {
    let text = |ty: &str| {
        format!(
            "__kernel void f(__global const {ty} *a, __global const {ty} *b, __global {ty} *c, int n) {{
                {ty} sum = 0;
                for (int k = 0; k < n; k++)
                    sum += a[k] * b[k * n + get_global_id(0)];
                c[get_global_id(0)] = sum;
            }}"
        )
    };
    let [one, four, sixteen] =
        ["float", "float4", "float16"].map(|ty| profile_of(&text(ty), [512, 1, 1]));
    let of = |profile: &Profile| profile.scopes[1].instructions(32);
    assert_eq!(of(&one), of(&four));
    assert!(of(&sixteen) > 1.3 * of(&four) && of(&sixteen) < 2.1 * of(&four));
    // A GPU computes component by component.
    assert!(sixteen.scopes[1].operations > 4.0 * one.scopes[1].operations);
}

#[test]
fn functions_of_the_library_keep_work_items_one_by_one() {
    let text = "__kernel void f(__global const float *a, __global const float *b, __global float *c, int n) {
        c[get_global_id(0)] = CALL(a[get_global_id(0)]) + b[get_global_id(0)];
    }";
    let lanes = |call: &str| {
        let profile = profile_of(&text.replace("CALL", call), [65536, 1, 1]);
        let cores = Device::named("pocl").unwrap().cores.unwrap();
        rows(&cores, &profile, Shape([1024, 1, 1])).lanes
    };
    assert_eq!(
        (
            lanes("exp"),
            lanes("native_exp"),
            lanes("sqrt"),
            lanes("fabs")
        ),
        (1, 1, 8, 8)
    );
}

#[test]
fn indices_in_vectors_are_followed_component_by_component() {
    let text = "__kernel void f(__global const float *a, __global const float *b, __global float *c, int n) {
        uint tid = get_global_id(0) * 2;
        uint2 pair = (uint)(2 * n) * (((uint2)(tid) + (uint2)(0, 1)) / (uint)n)
            + convert_uint2(convert_int2((uint2)(tid) + (uint2)(0, 1))) % (uint)n;
        c[pair.s0] = a[pair.s1];
    }";
    let profile = profile_of(text, [8192, 1, 1]);
    // The work-item in the middle, 4096, does the work of 8192 and 8193.
    let bytes = |index: i64| Some(4 * index);
    let first: Vec<Option<i64>> = (profile.accesses.iter())
        .map(|one| Some(one.at?[0]))
        .collect();
    assert_eq!(first, [bytes(16 * 1024 + 1), bytes(16 * 1024)]);
    let strides: Vec<_> = (profile.accesses.iter()).map(|one| one.stride(1)).collect();
    assert_eq!(strides, [Some(8), Some(8)]);
}

#[test]
fn counters_that_are_halved_end_after_few_iterations() {
    let text =
        "__kernel void f(__global float *a, __global const float *b, __local float *c, int n) {
        for (uint s = n >> 1; s > 0; s >>= 1) {
            c[get_local_id(0)] += c[get_local_id(0) + s];
            barrier(CLK_LOCAL_MEM_FENCE);
        }
        a[get_group_id(0)] = c[0];
    }";
    let profile = profile_of(text, [512, 1, 1]);
    assert_eq!((profile.scopes[1].trips, profile.barriers), (9.0, 9.0));
    // Behind each of them work-items take up what they had.
    let without = text.replace("barrier(CLK_LOCAL_MEM_FENCE);", "");
    let without = profile_of(&without, [512, 1, 1]);
    let time = |profile| seconds("pocl", profile, [512, 1, 1], [64, 1, 1]);
    assert!(time(&profile) > time(&without) + 1e-7);
}

#[test]
fn wide_vectors_of_many_rows_do_not_find_registers() {
    let wide = |rows| {
        let text = product(rows).replace("float sum", "float16 sum");
        text.replace("global float *c", "global float16 *c")
    };
    let registers = |text: &str| profile_of(text, [512, 512, 1]).scopes[1].registers;
    let (few, many) = (registers(&wide(1)), registers(&wide(16)));
    assert!(few < 64.0 && many > 256.0, "{few} {many}");
    let warps = |text: &str| {
        let profile = profile_of(text, [65536, 64, 1]);
        let device = Device::named("h100").expect("a device");
        predict(&device, &profile, [65536, 64, 1], Shape([64, 1, 1]))
            .expect("a prediction")
            .warps
    };
    assert!(warps(&product(1)) >= 60.0);
    assert!(warps(&wide(16)) <= 8.0);
}

#[test]
fn copies_touch_as_much_memory_together_as_the_work_items_did() {
    let text = |copies: u64| {
        format!(
            "__kernel void f(__global const float *a, __global const float *b, __global float *c, int n) {{
                #pragma unroll
                for (int lane = 0; lane < {copies}; lane++)
                    c[get_global_id(0) * {copies} + lane] = a[get_global_id(0) * {copies} + lane];
            }}"
        )
    };
    let bytes = |copies: u64| {
        let global = [(1 << 24) / copies, 1, 1];
        let profile = profile_of(&text(copies), global);
        let device = Device::named("h100").expect("a device");
        fpgacc_gpu_model::geometry::model::footprint(&device, &profile, global)
    };
    assert_eq!(
        (bytes(1), bytes(8)),
        (f64::from(2 << 26), f64::from(2 << 26))
    );
    // On a processor they are beside each other, and fetched ahead.
    let time = |copies: u64| {
        let global = [65536 / copies, 1, 1];
        seconds(
            "pocl",
            &profile_of(&text(copies), global),
            global,
            [64, 1, 1],
        )
    };
    assert!(time(16) < 4.0 * time(1), "{} {}", time(16), time(1));
}

#[test]
fn integers_are_divided_one_by_one() {
    let text = "__kernel void f(__global const float *a, __global const float *b, __global float *c, int n) {
        int x = get_global_id(0);
        c[x] = a[x BY n] + b[x];
    }";
    let [divided, plain] = ["/", "-"].map(|by| {
        let profile = profile_of(&text.replace("BY", by), [65536, 1, 1]);
        (profile.scopes[0].serial, profile.scopes[0].instructions(32))
    });
    assert_eq!((divided.0, plain.0), (10.0, 0.0));
    assert!(divided.1 > plain.1 + 9.0);
}

/// What the first copy of a body reads, the others find in the unit's cache.
#[test]
fn copies_beside_each_other_read_sectors_once() {
    let text = |stride: &str| {
        format!(
            "__kernel void f(__global const float *a, __global const float *b, __global float *c, int n) {{
                float sum = 0;
                #pragma unroll
                for (int lane = 0; lane < 4; lane++)
                    sum += a[{stride}];
                c[get_global_id(0)] = sum;
            }}"
        )
    };
    let global = [1 << 22, 1, 1];
    let shared = |stride: &str| {
        let profile = profile_of(&text(stride), global);
        let device = Device::named("h100").expect("a device");
        let predicted = predict(&device, &profile, global, Shape([256, 1, 1]));
        predicted.expect("a prediction").parts[3]
    };
    let beside = shared("get_global_id(0) * 4 + lane");
    let apart = shared("lane * (1 << 22) + get_global_id(0)");
    assert!(beside < 1.1 * apart, "{beside} {apart}");
}

/// Rows a power of two apart fall into few sets of the cache: 16 of 12 lines too many.
#[test]
fn rows_that_share_sets_of_the_cache_are_read_again() {
    let text = |apart: u64| {
        format!(
            "__kernel void f(__global const float *a, __global const float *b, __global float *c, int n) {{
                float sum = 0;
                for (int k = 0; k < n; k++) {{
                    #pragma unroll
                    for (int lane = 0; lane < 16; lane++)
                        sum += a[(get_global_id(0) * 16 + lane) * {apart} + k];
                }}
                c[get_global_id(0)] = sum;
            }}"
        )
    };
    let time = |apart: u64| {
        let global = [4096, 1, 1];
        seconds(
            "pocl",
            &profile_of(&text(apart), global),
            global,
            [64, 1, 1],
        )
    };
    assert!(
        time(1024) > 1.2 * time(1024 + 16),
        "{} {}",
        time(1024),
        time(1040)
    );
}
