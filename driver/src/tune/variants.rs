//! What may be varied of a kernel, as parameters of a space, and the variants that their values mean.

use fpgacc_decision::Family;
use fpgacc_decision::explore::{Explored, Explorer};
use fpgacc_device_passes::passes::{
    COARSEN, FUSE, GEOMETRY, PRIVATISE, SCALAR_REPLACEMENT, TILE, VECTORISE, VECTORISE_LOOPS,
    WINDOW,
};
use fpgacc_launch_facts::{ExecutionModel, Variant};
use fpgacc_tuning::space::{Parameter, Point, Rule, Setting, Space};

/// Work-items that become one.
const MERGED: [u64; 5] = [1, 2, 4, 8, 16];
/// Copies of loops' bodies.
const COPIES: [u64; 5] = [1, 2, 4, 8, 16];
/// SIMD width, and compute units.
const LANES: [u64; 5] = [1, 2, 4, 8, 16];
/// Launches that become one.
const STEPS: [u64; 5] = [1, 3, 5, 9, 15];
/// No more copies of all loops together: more do not fit, and take long to build.
const MOST_COPIES: u64 = 256;
/// No more lanes and units together: so many fill the largest devices.
const MOST_LANES: u64 = 64;
/// Local sizes: of these many work-items, in rows of these widths. Of the largest ones fewer are left where work-items
/// are merged.
const GROUPS: [u64; 6] = [32, 64, 128, 256, 512, 1024];
const WIDTHS: [u64; 6] = [8, 16, 32, 64, 128, 256];
const ROWS: [u64; 5] = [1, 2, 4, 8, 16];
/// Loops of a form that are unrolled, the first ones.
const MOST_LOOPS: usize = 4;

/// Where variants run, as far as that decides what makes a difference.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Pipelines: all that the model prices.
    Fpga,
    /// A processor or GPU: lanes, units and windows do nothing there.
    Other,
}

/// The parameter of seeds: what aoc's placement begins with. `0` is aoc's own.
pub const SEED: &str = "aoc.seed";
/// Seeds that are tried.
const SEEDS: [u64; 5] = [0, 1, 2, 3, 4];

/// What may be varied of a build as a whole.
pub fn of_build(kind: Kind) -> Space {
    let mut space = Space::default();
    if kind == Kind::Fpga {
        space.parameters.push(Parameter::new(SEED, SEEDS));
    }
    space
}

/// The options of aoc that a point means.
pub fn aoc_options(point: &Point) -> Vec<String> {
    match point.get(SEED) {
        Some(Setting::Number(seed @ 1..)) => vec![format!("-seed={seed}")],
        _ => Vec::new(),
    }
}

/// The names of parameters of a kernel.
struct Names<'a>(&'a str);

impl Names<'_> {
    fn of(&self, what: &str) -> String {
        format!("{}.{what}", self.0)
    }

    fn unroll(&self, model: ExecutionModel, number: usize) -> String {
        self.of(&format!("{}.unroll.{number}", model.word()))
    }
}

fn form(model: ExecutionModel) -> Variant {
    Variant {
        form: model,
        ..Variant::default()
    }
}

/// The parameters of a kernel that make a difference: of each pass what it does something with.
pub fn space(kernel: &str, explorer: &Explorer<'_>, kind: Kind) -> Space {
    let make = |variant: Variant| explorer.make(&[variant]).ok()?.pop();
    let names = Names(kernel);
    let mut space = Space::default();
    let mut forms = Vec::new();
    for model in [ExecutionModel::NdRange, ExecutionModel::SingleWorkItem] {
        forms.extend(make(form(model)).map(|made| (model, made)));
    }
    // A kernel that cannot become a single work-item stays an NDRange, whatever is asked.
    forms.dedup_by(|second, first| second.1.family() == first.1.family());
    let words = forms.iter().map(|(model, _)| model.word());
    let parameter = Parameter::new(names.of("form"), words);
    space.parameters.push(parameter);
    for (model, made) in &forms {
        match made.family() {
            Family::NdRange => ndranges(&mut space, &names, *model, explorer, kind),
            Family::SingleWorkItem => {
                single_work_items(&mut space, &names, *model, explorer, kind);
            }
        }
        loops(&mut space, &names, *model, made);
    }
    space
}

/// Adds a parameter that is of one form only.
fn add<T: Into<Setting>>(
    space: &mut Space,
    names: &Names<'_>,
    model: ExecutionModel,
    name: String,
    values: Vec<T>,
) {
    let parameter = Parameter::new(name, values);
    if parameter.values.len() < 2 {
        return;
    }
    space.rules.push(Rule::Needs {
        parameter: parameter.name.clone(),
        unless: parameter.values[0].clone(),
        needs: names.of("form"),
        to_be: vec![model.word().into()],
    });
    space.parameters.push(parameter);
}

fn ndranges(
    space: &mut Space,
    names: &Names<'_>,
    model: ExecutionModel,
    explorer: &Explorer<'_>,
    kind: Kind,
) {
    merged(space, names, model, explorer);
    let does = |pass: &str, variant: Variant| {
        let made = explorer.make(&[variant]).ok();
        made.is_some_and(|made| made[0].did(pass))
    };
    if let Some(made) = explorer
        .make(&[form(model)])
        .ok()
        .and_then(|mut made| made.pop())
    {
        let mut sizes = vec![0];
        sizes.extend(made.promotable());
        sizes.truncate(1 + MOST_LOOPS);
        add(space, names, model, names.of("promote"), sizes);
        let loops = made.lockstep().into_iter().take(MOST_LOOPS);
        for number in loops.filter(|_| kind == Kind::Fpga) {
            let name = names.of(&format!("lockstep.{number}"));
            add(space, names, model, name, vec!["off", "on"]);
        }
    }
    let passes = [(TILE.to_string(), true)].into();
    if does(
        TILE,
        Variant {
            passes,
            ..form(model)
        },
    ) {
        add(space, names, model, names.of(TILE), vec!["off", "on"]);
    }
    if kind == Kind::Fpga {
        let lanes = [names.of("simd"), names.of("compute_units")];
        for name in &lanes {
            add(space, names, model, name.clone(), LANES.to_vec());
        }
        space.rules.push(Rule::Product {
            product_of: lanes.to_vec(),
            at_most: MOST_LANES,
        });
    }
}

/// Work-items and iterations that become one, and the sizes of their work-groups.
fn merged(space: &mut Space, names: &Names<'_>, model: ExecutionModel, explorer: &Explorer<'_>) {
    let sizes = local_sizes(model, explorer);
    let merging = Merging {
        explorer,
        model,
        sizes: &sizes,
    };
    coarsening(space, names, &merging);
    let vectors = MERGED.into_iter().filter(|&lanes| {
        let variant = Variant {
            vectorise: Some(lanes),
            ..form(model)
        };
        lanes == 1 || merging.does(VECTORISE, &variant, (0, lanes))
    });
    let vectors = vectors.collect();
    add(space, names, model, names.of("vectorise"), vectors);
    let vectors = MERGED.into_iter().filter(|&lanes| {
        let variant = Variant {
            vectorise_loops: Some(lanes),
            ..form(model)
        };
        let made = explorer.make(&[variant]).ok();
        lanes == 1 || made.is_some_and(|made| made[0].did(VECTORISE_LOOPS))
    });
    let vectors = vectors.collect();
    add(space, names, model, names.of(VECTORISE_LOOPS), vectors);
    let mut locals: Vec<Setting> = vec!["host".into()];
    locals.extend(sizes.iter().map(|size| Setting::Word(local_text(*size))));
    add(space, names, model, names.of("local"), locals);
}

/// What merges work-items, in work-groups of the host's size or another one.
struct Merging<'a, 'e> {
    explorer: &'a Explorer<'e>,
    model: ExecutionModel,
    sizes: &'a [[u64; 2]],
}

impl Merging<'_, '_> {
    /// Whether a pass merges so many work-items in a dimension, in work-groups of some size.
    fn does(&self, pass: &str, variant: &Variant, (dim, factor): (usize, u64)) -> bool {
        let mut sizes = self.sizes.iter();
        let divides = sizes.find(|size| {
            size.get(dim)
                .is_some_and(|size| size.is_multiple_of(factor))
        });
        let other = divides.map(|size| Variant {
            local: Some(local_text(*size)),
            ..variant.clone()
        });
        let variants: Vec<Variant> = [variant.clone()].into_iter().chain(other).collect();
        let made = self.explorer.make(&variants).ok();
        made.is_some_and(|made| made.iter().any(|one| one.did(pass)))
    }

    fn coarsens(&self, dim: u64, factor: u64, stride: &str) -> bool {
        let variant = Variant {
            coarsen: Some(format!("{dim}:{factor}{stride}")),
            ..form(self.model)
        };
        self.does(COARSEN, &variant, (dim as usize, factor))
    }
}

/// Work-items that are merged: how many, along which dimension, and how far apart.
fn coarsening(space: &mut Space, names: &Names<'_>, merging: &Merging<'_, '_>) {
    let does = |dim, factor| merging.coarsens(dim, factor, "");
    let dims: Vec<u64> = (0..3).filter(|&dim| does(dim, 2)).collect();
    // The first value is what is done where nothing is coarsened.
    let Some(&first) = dims.first() else { return };
    let factors = MERGED
        .into_iter()
        .filter(|&factor| factor == 1 || dims.iter().any(|&dim| does(dim, factor)));
    let model = merging.model;
    add(space, names, model, names.of("coarsen"), factors.collect());
    let mut add_where_merged = |parameter: Parameter, unless: Setting| {
        space.rules.push(Rule::Needs {
            parameter: parameter.name.clone(),
            unless,
            needs: names.of("coarsen"),
            to_be: MERGED[1..].iter().map(|&factor| factor.into()).collect(),
        });
        space.parameters.push(parameter);
    };
    let is_strided = dims.iter().any(|&dim| merging.coarsens(dim, 2, ":local"));
    if dims.len() > 1 {
        let parameter = Parameter::new(names.of("coarsen.dim"), dims);
        add_where_merged(parameter, first.into());
    }
    if is_strided {
        let strides: [Setting; 2] = [1.into(), "local".into()];
        let parameter = Parameter::new(names.of("coarsen.stride"), strides);
        add_where_merged(parameter, 1.into());
    }
}

/// A local size as variants have it.
fn local_text([x, y]: [u64; 2]) -> String {
    format!("{x}x{y}")
}

/// Local sizes that all launches can have, if the kernel sees nothing of its groups.
fn local_sizes(model: ExecutionModel, explorer: &Explorer<'_>) -> Vec<[u64; 2]> {
    let globals = explorer.globals();
    let fits = |size: &[u64; 2]| {
        let divides = |global: &[u64; 3]| {
            global[0].is_multiple_of(size[0]) && global[1].is_multiple_of(size[1])
        };
        GROUPS.contains(&(size[0] * size[1])) && globals.iter().all(divides)
    };
    let each = ROWS.into_iter().flat_map(|y| WIDTHS.map(|x| [x, y]));
    let sizes = each.filter(fits);
    let does = |size: &[u64; 2]| {
        let variant = Variant {
            local: Some(local_text(*size)),
            ..form(model)
        };
        let made = explorer.make(&[variant]).ok();
        made.is_some_and(|made| made[0].did(GEOMETRY))
    };
    match globals.is_empty() {
        true => Vec::new(),
        false => sizes.filter(does).collect(),
    }
}

/// A parameter of windows: 1 where there are none.
fn add_to_windows(space: &mut Space, names: &Names<'_>, what: &str, values: [u64; 5]) {
    let name = names.of(what);
    space.rules.push(Rule::Needs {
        parameter: name.clone(),
        unless: 1.into(),
        needs: names.of(WINDOW),
        to_be: vec!["on".into()],
    });
    space.parameters.push(Parameter::new(name, values));
}

fn single_work_items(
    space: &mut Space,
    names: &Names<'_>,
    model: ExecutionModel,
    explorer: &Explorer<'_>,
    kind: Kind,
) {
    let does = |pass: &str| {
        let variant = Variant {
            passes: [(pass.to_string(), true)].into(),
            ..form(model)
        };
        let made = explorer.make(&[variant]).ok();
        made.is_some_and(|made| made[0].did(pass))
    };
    let switches = [
        (PRIVATISE, ["off", "on"]),
        (WINDOW, ["off", "on"]),
        (FUSE, ["off", "on"]),
        (SCALAR_REPLACEMENT, ["on", "off"]),
    ];
    for (pass, values) in switches {
        if does(pass) {
            add(space, names, model, names.of(pass), values.to_vec());
        }
    }
    if kind == Kind::Fpga && does(WINDOW) {
        add_to_windows(space, names, "window.lanes", LANES);
        let in_a_row = Variant {
            passes: [(WINDOW.to_string(), true)].into(),
            time_steps: Some(STEPS[1]),
            ..form(model)
        };
        let made = explorer.make(&[in_a_row]).ok();
        if made.is_some_and(|made| made[0].does_rows()) {
            add_to_windows(space, names, "window.steps", STEPS);
        }
    }
    let made = explorer
        .make(&[form(model)])
        .ok()
        .and_then(|mut made| made.pop());
    for nest in made
        .map(|made| made.nests())
        .unwrap_or_default()
        .into_iter()
        .take(MOST_LOOPS)
    {
        if kind == Kind::Fpga {
            add(
                space,
                names,
                model,
                names.of(&format!("coalesce.{nest}")),
                vec!["off", "on"],
            );
        }
    }
}

/// Copies of the loops of a form.
fn loops(space: &mut Space, names: &Names<'_>, model: ExecutionModel, made: &Explored) {
    let mut all = Vec::new();
    for (number, trips) in made.loops().into_iter().take(MOST_LOOPS) {
        let most = trips.unwrap_or(u64::MAX);
        let copies: Vec<u64> = COPIES
            .into_iter()
            .filter(|copies| *copies <= most.max(1))
            .collect();
        let name = names.unroll(model, number);
        all.push(name.clone());
        add(space, names, model, name, copies);
    }
    if all.len() > 1 {
        space.rules.push(Rule::Product {
            product_of: all,
            at_most: MOST_COPIES,
        });
    }
}

/// The variant of a kernel that a point means.
pub fn variant(kernel: &str, point: &Point) -> Variant {
    let names = Names(kernel);
    let number = |what: &str| match point.get(&names.of(what)) {
        Some(Setting::Number(number)) => Some(*number),
        _ => None,
    };
    let text = |what: &str| match point.get(&names.of(what)) {
        Some(Setting::Word(word)) => Some(word.as_str()),
        _ => None,
    };
    let model = text("form")
        .and_then(ExecutionModel::named)
        .unwrap_or_default();
    let more_than = |least: u64| move |number: &u64| *number > least;
    let mut variant = Variant {
        form: model,
        vectorise: number("vectorise").filter(more_than(1)),
        vectorise_loops: number(VECTORISE_LOOPS).filter(more_than(1)),
        local: text("local")
            .filter(|size| *size != "host")
            .map(str::to_string),
        promote: number("promote").filter(more_than(0)),
        simd: number("simd").filter(more_than(1)),
        compute_units: number("compute_units").filter(more_than(1)),
        window_lanes: number("window.lanes").filter(more_than(1)),
        time_steps: number("window.steps").filter(more_than(1)),
        ..Variant::default()
    };
    if let Some(factor) = number("coarsen").filter(more_than(1)) {
        let dim = number("coarsen.dim").unwrap_or(0);
        let stride = text("coarsen.stride").unwrap_or("1");
        variant.coarsen = Some(format!("{dim}:{factor}:{stride}"));
    }
    for pass in [PRIVATISE, WINDOW, FUSE, SCALAR_REPLACEMENT, TILE] {
        let is_on = text(pass).map(|word| word == "on");
        variant
            .passes
            .extend(is_on.map(|is_on| (pass.to_string(), is_on)));
    }
    let unroll = names.of(&format!("{}.unroll.", model.word()));
    for (name, value) in point {
        if let (Some(Ok(loop_number)), Setting::Number(copies @ 2..)) =
            (name.strip_prefix(&unroll).map(str::parse), value)
        {
            variant.unroll.insert(loop_number, *copies);
        }
    }
    variant.lockstep = turned_on(point, &names.of("lockstep."));
    variant.coalesce = turned_on(point, &names.of("coalesce."));
    variant
}

/// The numbers of loops that parameters with a prefix turn on.
fn turned_on(point: &Point, prefix: &str) -> Vec<usize> {
    let is_on = |value: &Setting| matches!(value, Setting::Word(word) if word == "on");
    let on = point.iter().filter(|(_, value)| is_on(value));
    on.filter_map(|(name, _)| name.strip_prefix(prefix)?.parse().ok())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seeds_are_options_of_aoc() {
        let space = of_build(Kind::Fpga);
        assert!(aoc_options(&space.first()).is_empty());
        let last = space.points(9).pop().unwrap();
        assert_eq!(aoc_options(&last), ["-seed=4"]);
        assert!(of_build(Kind::Other).parameters.is_empty());
    }

    #[test]
    fn points_mean_variants() {
        let settings: [(&str, Setting); 6] = [
            ("k.form", "ndrange".into()),
            ("k.coarsen", 4.into()),
            ("k.coarsen.stride", "local".into()),
            ("k.local", "host".into()),
            ("k.ndrange.unroll.2", 8.into()),
            ("k.swi.unroll.1", 2.into()),
        ];
        let point: Point = settings
            .into_iter()
            .map(|(name, value)| (name.to_string(), value))
            .collect();
        let made = variant("k", &point);
        assert_eq!(made.form, ExecutionModel::NdRange);
        assert_eq!(made.coarsen.as_deref(), Some("0:4:local"));
        assert_eq!(made.unroll, [(2, 8)].into());
        assert_eq!(variant("other", &point), Variant::default());
    }
}
