//! How the designs of Spector are made of its sources, and how their hosts launch them.

use std::collections::BTreeMap;
use std::ops::Range;

use crate::model::launches::{Application, Branch, Trips};

/// All designs of an application.
pub struct Space {
    /// Its name here.
    pub name: &'static str,
    /// Its table, without the suffix.
    pub table: &'static str,
    /// What the times of the table are to be multiplied with to be seconds.
    pub seconds: f64,
    /// Whether the device's own clock was read, which does not see what starting a kernel takes.
    pub is_profiled: bool,
    /// Whether it was built with `--fp-relaxed`, which lets aoc reassociate sums.
    pub fp_relaxed: bool,
    /// The folder of its sources.
    pub folder: &'static str,
    /// The design of a row of knobs.
    pub design: fn(&[u64]) -> Design,
}

impl Space {
    /// The program that it is a space of: both spaces of spmv are the same designs.
    pub fn application(&self) -> &'static str {
        self.table.split('_').next().unwrap_or_default()
    }
}

/// A design: a kernel file, what is defined in it, and its launches.
#[derive(Default)]
pub struct Design {
    /// The kernel file.
    pub file: String,
    /// Macros.
    pub defines: Vec<String>,
    /// A header that is made of a template.
    pub header: Option<Header>,
    /// The launches that were timed.
    pub launches: Vec<(&'static str, Application)>,
}

/// A header, made of a template by putting values in the places of `%1`, `%2`, and so on.
pub struct Header {
    /// The template.
    pub template: &'static str,
    /// The header's name in the kernel.
    pub name: &'static str,
    /// The values.
    pub values: Vec<String>,
}

/// The spaces that are read. Left out is BFS of a dense graph, which is not published.
pub const SPACES: &[Space] = &[
    Space {
        name: "mm",
        table: "mm",
        seconds: 1e-3,
        is_profiled: false,
        fp_relaxed: false,
        folder: "mm/src",
        design: matrix_multiplication,
    },
    Space {
        name: "sobel",
        table: "sobel",
        seconds: 1e-3,
        is_profiled: false,
        fp_relaxed: false,
        folder: "sobel/src",
        design: sobel,
    },
    Space {
        name: "dct",
        table: "dct",
        seconds: 1e-3,
        is_profiled: false,
        fp_relaxed: false,
        folder: "dct/src",
        design: dct,
    },
    Space {
        name: "fir",
        table: "fir",
        seconds: 1.0,
        is_profiled: true,
        fp_relaxed: true,
        folder: "fir/src/device",
        design: fir,
    },
    Space {
        name: "normals",
        table: "normals",
        seconds: 1e-3,
        is_profiled: true,
        fp_relaxed: false,
        folder: "normals/src",
        design: normals,
    },
    Space {
        name: "histogram",
        table: "hist",
        seconds: 1e-3,
        is_profiled: true,
        fp_relaxed: false,
        folder: "histogram/src",
        design: histogram,
    },
    Space {
        name: "spmv 0.6%",
        table: "spmv_5000",
        seconds: 1e-3,
        is_profiled: false,
        fp_relaxed: false,
        folder: "spmv/src",
        design: |knobs| spmv(knobs, 3.0),
    },
    Space {
        name: "spmv 50%",
        table: "spmv_500000",
        seconds: 1e-3,
        is_profiled: false,
        fp_relaxed: false,
        folder: "spmv/src",
        design: |knobs| spmv(knobs, 256.0),
    },
    Space {
        name: "merge sort",
        table: "mergesort",
        seconds: 1e-3,
        is_profiled: true,
        fp_relaxed: false,
        folder: "mergesort/src",
        design: merge_sort,
    },
    Space {
        name: "bfs sparse",
        table: "bfs_sparse",
        seconds: 1e-3,
        is_profiled: true,
        fp_relaxed: false,
        folder: "bfs/src",
        design: breadth_first_search,
    },
];

fn define(name: &str, value: u64) -> String {
    format!("{name}={value}")
}

/// What the generators write before the kernel: a macro is not expanded within itself.
fn attributes(simd: u64, compute_units: u64) -> String {
    format!(
        "__kernel=__attribute__((num_simd_work_items({simd}))) \
         __attribute__((num_compute_units({compute_units}))) __kernel"
    )
}

fn launch<const N: usize>(global: &[u64], local: &[u64], args: [(&str, u64); N]) -> Application {
    let args = args.map(|(name, value)| (name.to_string(), value));
    Application {
        global: global.to_vec(),
        local: local.to_vec(),
        args: BTreeMap::from(args),
        ..Application::default()
    }
}

fn trips(cond: &str, trips: f64) -> Trips {
    Trips {
        cond: cond.to_string(),
        function: None,
        trips,
        most: None,
    }
}

fn taken(cond: &str, taken: f64) -> Branch {
    Branch {
        cond: cond.to_string(),
        taken,
    }
}

/// Matrices of 1024 x 1024.
fn matrix_multiplication(knobs: &[u64]) -> Design {
    let &[
        block,
        sub_x,
        sub_y,
        simd_x,
        simd_y,
        simd,
        units,
        position,
        unroll,
    ] = knobs
    else {
        return Design::default();
    };
    let which = if position == 0 { "unrollb" } else { "unrollp" };
    let file = match sub_x > 1 || simd_y > 1 {
        true => format!("mm_subdimx_simdy{simd_y}_{which}_base.cl"),
        false => format!("mm_subdimy_simdx{simd_x}_{which}_base.cl"),
    };
    let width = 1024;
    let global = [width / sub_x / simd_x, width / sub_y / simd_y];
    Design {
        file,
        defines: vec![
            define("BLOCKDIM", block),
            define("SUBDIM_X", sub_x),
            define("SUBDIM_Y", sub_y),
            define("SIMD_X", simd_x),
            define("SIMD_Y", simd_y),
            define("UNROLL_F", unroll),
            attributes(simd, units),
        ],
        launches: vec![(
            "matrixMult",
            launch(&global, &[block, block], [("M", width)]),
        )],
        ..Design::default()
    }
}

/// An image of 1920 x 1080.
fn sobel(knobs: &[u64]) -> Design {
    let &[block_x, block_y, sub_x, sub_y, simd_x, simd_y, simd, units] = knobs else {
        return Design::default();
    };
    let file = match sub_x > 1 || simd_y > 1 {
        true => format!("sobel_subdimx_simdy{simd_y}_base.cl"),
        false => format!("sobel_subdimy_simdx{simd_x}_base.cl"),
    };
    let (width, height) = (1920, 1080);
    let items = [width / sub_x / simd_x, height / sub_y / simd_y];
    let global = [
        items[0].next_multiple_of(block_x),
        items[1].next_multiple_of(block_y),
    ];
    Design {
        file,
        defines: vec![
            define("WIDTH", width),
            define("HEIGHT", height),
            define("BLOCKDIM_X", block_x),
            define("BLOCKDIM_Y", block_y),
            define("SUBDIM_X", sub_x),
            define("SUBDIM_Y", sub_y),
            define("SIMD_X", simd_x),
            define("SIMD_Y", simd_y),
            attributes(simd, units),
        ],
        launches: vec![("sobel_filter", launch(&global, &[block_x, block_y], []))],
        ..Design::default()
    }
}

/// Blocks of an image of 2048 x 2048.
fn dct(knobs: &[u64]) -> Design {
    let &[x, y, kind, width, rows, block_unroll, unroll, simd, units] = knobs else {
        return Design::default();
    };
    let size = 2048;
    let local = match kind {
        0 => [x / width, y / (8 * rows)],
        _ => [x, y / (8 * rows) / width],
    };
    let global = [size / x * local[0], size / y * local[1]];
    Design {
        file: "dct_base.cl".to_string(),
        defines: vec![
            define("COMP_U", units),
            define("SIMD_WI", simd),
            define("BLOCK_SIZE_F", rows),
            define("BLOCKDIM_X", x),
            define("BLOCKDIM_Y", y),
            define("SIMD_TYPE", kind),
            define("SIMD_LOC", width),
            define("BLOCK_UNROLL", block_unroll),
            define("DCT_UNROLL", unroll),
        ],
        launches: vec![(
            "DCT8x8",
            launch(
                &global,
                &local,
                [("stride", size), ("imageH", size), ("imageW", size)],
            ),
        )],
        ..Design::default()
    }
}

/// 64 filters of 32 complex coefficients, each for 4096 points.
fn fir(knobs: &[u64]) -> Design {
    let &[shift, parallel, inner, outer, items, groups, simd, units] = knobs else {
        return Design::default();
    };
    let (length, filters, points) = (32_u64, 64, 4096_u64);
    let total = items * groups;
    let end = (length - 1 + points).next_multiple_of(parallel) - points;
    let padded = points + length / shift * parallel + end;
    let input = padded * (filters / total);
    let full = String::new;
    let value = |value: u64| value.to_string();
    Design {
        file: "tdfir.cl".to_string(),
        defines: vec!["ALTERA_CL".to_string()],
        header: Some(Header {
            template: "fir/src/parameters.h.template",
            name: "parameters.h",
            values: vec![
                value(shift),
                value(parallel),
                full(),
                full(),
                value(inner),
                full(),
                full(),
                value(outer),
                full(),
                full(),
                full(),
                value(items),
                value(groups),
                value(simd),
                value(units),
            ],
        }),
        launches: vec![(
            "tdfir",
            launch(
                &[total],
                &[items],
                [
                    ("totalInputLength", input),
                    ("numIterations", input / parallel),
                    ("paddedSingleInputLength", padded - parallel),
                    ("totalFiltersLength", length * (filters / total)),
                ],
            ),
        )],
    }
}

/// A map of 640 x 480 points.
fn normals(knobs: &[u64]) -> Design {
    let &[items, groups, _, _, _, window, _] = knobs else {
        return Design::default();
    };
    let (cols, rows) = (640, 480);
    let points = rows / (items * groups) * cols;
    let mut sizes = launch(
        &[items * groups],
        &[items],
        [("cols", cols), ("rows", rows)],
    );
    sizes.trips = vec![
        trips("i < end", points as f64 / window as f64),
        trips("i < 3*rows*cols", cols as f64 / (items * groups) as f64),
    ];
    Design {
        file: "normals.cl".to_string(),
        defines: vec!["ALTERA_CL".to_string()],
        header: Some(Header {
            template: "normals/src/knobs.h.template",
            name: "knobs.h",
            values: knobs.iter().map(u64::to_string).collect(),
        }),
        launches: vec![("computeNmap_v3", sizes)],
    }
}

/// 2^20 values.
fn histogram(knobs: &[u64]) -> Design {
    let &[number, size, items, groups, units, shared, unroll] = knobs else {
        return Design::default();
    };
    let total = items * groups;
    let values = [number, size, items, groups, 1, units, shared, unroll];
    let mut launches = vec![(
        "calculateHistogram",
        launch(&[total], &[items], [("numData", (1 << 20) / total)]),
    )];
    if total > 1 && shared == 0 {
        launches.push(("accumulateHistograms", launch(&[1], &[1], [])));
    }
    Design {
        file: "histogram.cl".to_string(),
        defines: vec!["ALTERA_CL".to_string()],
        header: Some(Header {
            template: "histogram/src/params.h.template",
            name: "params.h",
            values: values.iter().map(u64::to_string).collect(),
        }),
        launches,
    }
}

/// A matrix of 512 rows with so many numbers in each, on average.
fn spmv(knobs: &[u64], numbers: f64) -> Design {
    let &[block, units, unroll, width] = knobs else {
        return Design::default();
    };
    let rows = 512;
    let at_once = (unroll * width) as f64;
    let mut sizes = launch(&[rows], &[block], [("num_rows", rows)]);
    sizes.bytes = BTreeMap::from([("x".to_string(), 4 * rows), ("y".to_string(), 4 * rows)]);
    // What is left of a row is taken number by number, once. A branch is taken to be entered in half of the iterations, so
    // that this can only be known of rows of one iteration: two for one.
    let iterations = (numbers / at_once).ceil();
    let left = match iterations {
        1.0 => numbers.min((at_once - 1.0) / 2.0),
        _ => 0.0,
    };
    sizes.trips = vec![
        trips("jj < row_end", iterations),
        trips("kk<row_end", 2.0 * left),
    ];
    Design {
        file: "spmv_base.cl".to_string(),
        defines: vec![
            define("BLOCKDIM", block),
            define("COMP_U", units),
            define("UNROLL_F", unroll),
            define("VECT_WIDTH", width),
        ],
        launches: vec![("csr", sizes)],
        ..Design::default()
    }
}

/// 2048 numbers in random order, as the script that ran the designs asks for; every design's groups and local parts divide them.
/// Where there are several groups, a second launch merges what they have sorted.
fn merge_sort(knobs: &[u64]) -> Design {
    let &[items, local, _, pairs, groups, _, _] = knobs else {
        return Design::default();
    };
    // Merging pairs first has a loop of its own, of the same text as another in the same function.
    if pairs == 1 && local == 0 {
        return Design::default();
    }
    let numbers = 2048_u64;
    let of_group = numbers / groups;
    let mut launches = vec![sorting(items, groups, of_group, (local, local))];
    if groups > 1 {
        launches.push(sorting(items, 1, numbers, (local, of_group.ilog2().into())));
    }
    Design {
        file: "mergesort.cl".to_string(),
        defines: vec!["ALTERA_CL".to_string()],
        header: Some(Header {
            template: "mergesort/src/knobs.h.template",
            name: "knobs.h",
            values: knobs.iter().map(u64::to_string).collect(),
        }),
        launches: launches.into_iter().map(|one| ("sort_data", one)).collect(),
    }
}

/// Merges chunks of `2^start` numbers and more, after chunks of `2^local` were sorted in local memory.
fn sorting(items: u64, groups: u64, numbers: u64, (local, start): (u64, u64)) -> Application {
    let begins = if start > local { 1 << start } else { 1 };
    let mut sizes = launch(
        &[items * groups],
        &[items],
        [("num_data", numbers), ("start_chunk_size", begins)],
    );
    let levels = start..numbers.ilog2().into();
    let loops = [
        "chunk_size <= num_data-1",
        "(1 << log_chunk_size) <= num_data-1",
    ];
    let count = (levels.end - levels.start) as f64;
    sizes.trips = loops.map(|cond| trips(cond, count)).to_vec();
    sizes.trips.extend(merging(
        ["sort_data", "global_merge_sort"],
        numbers,
        levels,
        items,
    ));
    let local_functions = ["local_merge_sort"; 2];
    sizes
        .trips
        .extend(merging(local_functions, 1 << local, 0..local, items));
    sizes
}

/// The trips of the loops over chunks, and of those that merge two: on average over work-items, and of the one that has the
/// most to do. Of two chunks of n numbers in random order, n / (n + 1) of each are left on average when the other one is at
/// its end.
fn merging(functions: [&str; 2], numbers: u64, levels: Range<u64>, items: u64) -> Vec<Trips> {
    let merges = |level: u64| numbers >> (level + 1);
    let mean = Merges::of(levels.clone(), |level| merges(level) as f64 / items as f64);
    let most = Merges::of(levels.clone(), |level| {
        merges(level).div_euclid(items).max(1) as f64
    });
    let levels = levels.count() as f64;
    let each = |cond: &str, function: &str, part: fn(&Merges, f64) -> f64| Trips {
        function: Some(function.to_string()),
        most: Some(part(&most, levels)),
        ..trips(cond, part(&mean, levels))
    };
    let [chunks, merge] = functions;
    let rest = |of: &Merges, _: f64| ratio(of.rest, of.all);
    vec![
        each("left < loopend", chunks, |of, levels| ratio(of.all, levels)),
        each("i < size_left && j < size_right", merge, |of, _| {
            ratio(of.both, of.all)
        }),
        each("i < size_left", merge, rest),
        each("j < size_right", merge, rest),
    ]
}

fn ratio(all: f64, of: f64) -> f64 {
    if of > 0.0 { all / of } else { 0.0 }
}

/// What a work-item merges at all levels.
#[derive(Default)]
struct Merges {
    /// Pairs of chunks.
    all: f64,
    /// Numbers that are taken while both chunks have some.
    both: f64,
    /// Numbers of one chunk that are left then.
    rest: f64,
}

impl Merges {
    /// Of so many pairs at each level.
    fn of(levels: Range<u64>, pairs: impl Fn(u64) -> f64) -> Self {
        let mut merges = Merges::default();
        for level in levels {
            let (chunk, pairs) = ((1_u64 << level) as f64, pairs(level));
            let left = chunk / (chunk + 1.0);
            merges.all += pairs;
            merges.both += pairs * 2.0 * (chunk - left);
            merges.rest += pairs * left;
        }
        merges
    }
}

/// 100,000 nodes of three neighbours each, in 20 rounds: each node is processed in one of them, and of the 300,000 nodes that
/// are looked at 124,423 were not visited before.
fn breadth_first_search(knobs: &[u64]) -> Design {
    let &[unroll, _, _, _, _, _] = knobs else {
        return Design::default();
    };
    let (nodes, rounds) = (100_000_u64, 20.0);
    let group = 256;
    let now = nodes as f64 / (rounds * nodes as f64);
    let mut sizes = launch(
        &[nodes.next_multiple_of(group)],
        &[group],
        [("no_of_nodes", nodes)],
    );
    sizes.repeat = Some(rounds);
    // With four and more at a time a node's neighbours are what is left.
    let (whole, left) = if unroll == 1 { (3.0, 0.0) } else { (1.0, 3.0) };
    sizes.trips = vec![trips("i < end", whole), trips("ii < end", left)];
    let new = 124_423.0 / 300_000.0;
    sizes.branches = vec![
        taken("tid < no_of_nodes && g_graph_mask[tid] != 0", now),
        taken("tid < no_of_nodes && g_updating_graph_mask[tid] == 1", now),
        taken(
            &format!("i + {unroll} - 1 < end"),
            if unroll == 1 { 1.0 } else { 0.0 },
        ),
        taken("!g_graph_visited[id[ii]]", new),
        taken("!g_graph_visited[id_]", new),
    ];
    Design {
        file: "bfs_fpga.cl".to_string(),
        defines: vec!["ALTERA_CL".to_string()],
        header: Some(Header {
            template: "bfs/src/knobs.h.template",
            name: "knobs.h",
            values: knobs.iter().map(u64::to_string).collect(),
        }),
        launches: ["kernel1", "kernel2"]
            .map(|kernel| (kernel, sizes.clone()))
            .to_vec(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The trips of a design's first launch of loops with this condition.
    fn loops(made: &Design, launch: usize, cond: &str) -> Vec<f64> {
        let of = &made.launches[launch].1.trips;
        of.iter()
            .filter(|t| t.cond == cond)
            .map(|t| t.trips)
            .collect()
    }

    #[test]
    fn merges_are_counted_on_average_and_for_the_busiest_work_item() {
        // Eleven levels of 1024, 512, .., 1 merges, of which four work-items share all but the last two.
        let made = design("merge sort", &[4, 0, 0, 0, 1, 1, 1]);
        let chunks = &made.launches[0].1.trips;
        let chunks = chunks.iter().find(|t| t.cond == "left < loopend").unwrap();
        let most = (256 + 128 + 64 + 32 + 16 + 8 + 4 + 2 + 1 + 1 + 1) as f64 / 11.0;
        assert_eq!(chunks.most, Some(most));
        assert_eq!(chunks.trips, (2047.0 / 4.0) / 11.0);
        // A merge of two numbers compares once and copies the other one.
        let one = merging(["a", "b"], 2, 0..1, 1);
        assert_eq!([one[1].trips, one[2].trips, one[3].trips], [1.0, 0.5, 0.5]);
        let groups = design("merge sort", &[1, 3, 0, 0, 2, 1, 1]);
        assert_eq!(groups.launches.len(), 2);
        assert_eq!(loops(&groups, 0, "chunk_size <= num_data-1"), [7.0]);
        assert_eq!(loops(&groups, 1, "chunk_size <= num_data-1"), [1.0]);
    }

    #[test]
    fn parts_of_a_merge_sort_are_of_the_numbers_that_were_sorted() {
        for (groups, local) in [(1, 0), (2, 3), (8, 8)] {
            let made = design("merge sort", &[4, local, 0, 0, groups, 1, 1]);
            let of = &made.launches[0].1;
            assert_eq!(of.args["num_data"] * groups, 2048);
            assert_eq!(of.global, [4 * groups]);
        }
    }

    fn design(name: &str, knobs: &[u64]) -> Design {
        let space = SPACES.iter().find(|space| space.name == name).unwrap();
        (space.design)(knobs)
    }

    /// Global and local size of the first launch.
    fn sizes(design: &Design) -> [&[u64]; 2] {
        let first = &design.launches[0].1;
        [&first.global, &first.local]
    }

    #[test]
    fn tiles_cover_the_matrix_once() {
        let made = design("mm", &[16, 4, 1, 1, 2, 2, 1, 1, 2]);
        assert_eq!(made.file, "mm_subdimx_simdy2_unrollp_base.cl");
        assert_eq!(sizes(&made), [[256, 512], [16, 16]]);
        let rows = design("mm", &[16, 1, 8, 2, 1, 1, 1, 0, 4]);
        assert_eq!(rows.file, "mm_subdimy_simdx2_unrollb_base.cl");
        assert_eq!(rows.launches[0].1.global, [512, 128]);
    }

    #[test]
    fn images_that_groups_do_not_divide_are_rounded_up() {
        let made = design("sobel", &[32, 8, 1, 4, 4, 1, 1, 1]);
        // 1920 / 4 columns in groups of 32, and 1080 / 4 rows in groups of 8.
        assert_eq!(made.launches[0].1.global, [480, 272]);
    }

    #[test]
    fn filters_are_divided_among_work_items_and_padded() {
        let made = design("fir", &[8, 2, 4, 1, 16, 2, 1, 1]);
        assert_eq!(sizes(&made), [[32], [16]]);
        // 4096 points, 4 loads of 8 coefficients for 2 points each, and 32 points after; 2 filters each.
        let args = &made.launches[0].1.args;
        assert_eq!(args["totalInputLength"], 2 * (4096 + 8 + 32));
        assert_eq!(args["numIterations"], 4136);
        let header = made.header.unwrap();
        assert_eq!(header.values.len(), 15);
        assert_eq!(header.values[4], "4");
    }

    #[test]
    fn histograms_of_several_work_items_are_added_by_a_second_kernel() {
        let names = |knobs: &[u64]| -> Vec<&str> {
            let made = design("histogram", knobs);
            made.launches.iter().map(|(name, _)| *name).collect()
        };
        let two = ["calculateHistogram", "accumulateHistograms"];
        assert_eq!(names(&[1, 257, 8, 4, 1, 0, 1]), two);
        assert_eq!(names(&[1, 257, 8, 1, 1, 1, 1]), two[..1]);
        assert_eq!(names(&[1, 257, 1, 1, 1, 0, 1]), two[..1]);
    }

    #[test]
    fn rows_of_unknown_knobs_make_no_design() {
        for space in SPACES {
            assert!((space.design)(&[1]).launches.is_empty(), "{}", space.name);
        }
    }
}
