//! The thesis's three rewrites together: NDRange kernels become loops, their parameters restrict,
//! their reductions shift registers, and what they compute stays.

mod reduce_support;

use fpgacc_device_passes::options::PassOptions;
use fpgacc_runtime::guard::Guard;
use fpgacc_tests::compare::{Bound, certify, same};
use fpgacc_tests::job::{Arg, Fill, Geometry, Job};
use fpgacc_tests::rewrite::{Rewrites, Told, rewrite};
use fpgacc_tests::run::Platform;
use reduce_support::{reduced, small_integers};

const KERNELS: &str = "
__kernel void matvec(__global const float *a, __global const float *x, __global float *y, int rows,
                     int n)
{
    int row = get_global_id(0);
    if (row >= rows)
        return;
    for (int k = 0; k < n; k++)
        y[row] += a[row * n + k] * x[k];
}

__kernel void product(__global const float *a, __global const float *b, __global float *c, int n)
{
    int i = get_global_id(1), j = get_global_id(0);
    float sum = 0.0f;
    for (int k = 0; k < n; k++)
        sum += a[i * n + k] * b[k * n + j];
    c[i * n + j] = sum;
}

__kernel void nearest(__global const float *points, __global const float *centres,
                      __global int *member, int features, int clusters)
{
    int p = get_global_id(0);
    float least = 3.0e38f;
    int index = 0;
    for (int c = 0; c < clusters; c++) {
        float distance = 0.0f;
        for (int f = 0; f < features; f++)
            distance += (points[f * 32 + p] - centres[c * features + f]) *
                        (points[f * 32 + p] - centres[c * features + f]);
        if (distance < least) {
            least = distance;
            index = c;
        }
    }
    member[p] = index;
}

__kernel void group_sum(__global const float *a, __global float *sums, __local float *part, int n)
{
    int l = get_local_id(0);
    float own = 0.0f;
    for (int i = get_global_id(0); i < n; i += get_global_size(0))
        own += a[i];
    part[l] = own;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l == 0) {
        float all = 0.0f, most = part[0];
        for (int i = 0; i < get_local_size(0); i++) {
            all += part[i];
            most = fmax(most, part[i]);
        }
        sums[2 * get_group_id(0)] = all;
        sums[2 * get_group_id(0) + 1] = most;
    }
}
";

fn floats(seed: u32, count: usize) -> (usize, Fill) {
    let values: Vec<f32> = small_integers(seed).take(count).map(|v| v as f32).collect();
    (count * 4, Fill::of_floats(&values))
}

fn job() -> Job {
    let mut job = Job::new(KERNELS);
    let mut buffer = |seed, count| {
        let (bytes, fill) = floats(seed, count);
        job.buffer(bytes, fill)
    };
    let (a, b) = (buffer(1, 1024), buffer(2, 1024));
    let (y, c, sums) = (buffer(3, 32), buffer(4, 256), buffer(5, 8));
    let member = buffer(6, 32);
    let ints = |values: &[i32]| values.iter().map(|v| Arg::int(*v)).collect::<Vec<_>>();
    let three = |x: &Arg, y: &Arg, z: &Arg| vec![x.clone(), y.clone(), z.clone()];
    let range = Geometry::range;
    let args = [three(&a, &b, &y), ints(&[30, 20])].concat();
    job.launch("matvec", range(&[32], &[8]), args);
    let args = [three(&a, &b, &y), ints(&[30, 0])].concat();
    job.launch("matvec", range(&[32], &[8]), args);
    let args = [three(&a, &b, &c), ints(&[16])].concat();
    job.launch("product", range(&[16, 16], &[4, 2]), args);
    let args = [three(&a, &b, &member), ints(&[12, 5])].concat();
    job.launch("nearest", range(&[32], &[16]), args);
    let args = [three(&a, &sums, &Arg::Local(64)), ints(&[1000])].concat();
    job.launch("group_sum", range(&[64], &[16]), args);
    job
}

/// The text of one kernel.
fn kernel<'t>(text: &'t str, name: &str) -> &'t str {
    let from = text
        .find(&format!("void {name}("))
        .expect("the kernel is there");
    let rest = &text[from..];
    &rest[..rest.find("\n}\n").map_or(rest.len(), |end| end + 3)]
}

#[test]
fn together_they_compute_the_same_bytes() {
    let original = job();
    let options = PassOptions::default();
    let made = rewrite(&original, |_| Told::Local, &Rewrites::All, &options);
    let made = made.unwrap_or_else(|error| panic!("{error}"));
    let (rewritten, remarks) = (&made.job, &made.remarks);
    let text = &rewritten.source;
    for launch in &rewritten.launches {
        let name = &launch.kernel;
        assert_eq!(launch.geometry, Geometry::Task, "{name}: {remarks:?}");
        let body = kernel(text, name);
        assert!(body.contains("shift_reg"), "{name}: {remarks:?}");
        assert!(body.contains("restrict"), "{name}: {remarks:?}");
        let distinct = |guard: &Guard| matches!(guard, Guard::Distinct(..));
        assert!(made.contracts[name].guards.iter().any(distinct));
    }
    let result = certify(&original)
        .and_then(|()| certify(rewritten))
        .and_then(|()| same(&original, rewritten, &Platform::EMULATORS, &Bound::Exact));
    if let Err(difference) = result {
        panic!("{difference}\n{text}");
    }
}

#[test]
fn without_loops_over_work_items_there_are_no_registers() {
    assert!(!reduced(&job()).source.contains("shift_reg"));
}
