//! The program that is tuned: its kernels, what may be varied of them, and what the model says of each variant.

use std::collections::BTreeMap;

use fpgacc_decision::Request;
use fpgacc_decision::explore::{self, Explored, Explorer, Timer};
use fpgacc_frontend::diag::Diagnostic;
use fpgacc_gpu_model::device::Device;
use fpgacc_gpu_model::launched;
use fpgacc_launch_facts::{Facts, Variant};
use fpgacc_performance_model::Board;
use fpgacc_tuning::pool::Pool;
use fpgacc_tuning::space::{Point, Space};
use fpgacc_tuning::space_file::{self, Fault, SpaceFile};
use fpgacc_tuning::strategy::Candidate;

use super::variants::{self, Kind};
use crate::compiled::Compiled;
use crate::session::{Session, Step};
use crate::{board, facts, gather, rewriting};

/// The most points of a kernel that are all made and priced. Of a larger space some are drawn, and the search goes on
/// beside the best of them.
const MOST_POINTS: usize = 20_000;
/// Points that are drawn of a larger space.
const DRAWN: usize = 1_000;
/// Rounds in which the points beside those that are predicted to be the fastest are looked at before anything is
/// measured, and how many of these.
const CLIMBS: usize = 4;
const CLIMBERS: usize = 4;

/// A kernel and its variants.
pub struct Track {
    /// Its name.
    pub kernel: String,
    /// What may be varied.
    pub space: Space,
    /// Points that make different kernels.
    pub points: Vec<Point>,
    /// Of each, what strategies look at.
    pub candidates: Vec<Candidate>,
    /// Of each, whether floating-point operations change their order.
    pub reassociates: Vec<bool>,
    /// The program, by number, that the kernel is of.
    program: usize,
    /// What was looked at of a space that is too large to be looked at whole.
    pool: Option<Pool>,
    /// What was made of the points.
    made: Vec<Explored>,
}

/// See the head of this file.
pub struct Program {
    /// Its kernels.
    pub tracks: Vec<Track>,
    /// Its programs, as they are without tuning.
    pub compiled: Vec<Compiled>,
    /// What may be varied of a build as a whole.
    pub build: Space,
    facts: Facts,
    board: Board,
    kind: Kind,
    /// The GPU or processor that it runs on, if that is described.
    device: Option<Device>,
}

impl Program {
    /// Reads the inputs. Where a space is too large to be looked at whole, `seed` decides what is drawn of it.
    ///
    /// # Errors
    /// The space that the user gives is not one of these kernels: the fault, with its position.
    pub fn read(
        session: &mut Session,
        (kind, device): (Kind, Option<Device>),
        given: Option<&SpaceFile>,
        seed: u64,
    ) -> Step<Result<Program, Fault>> {
        let gathered = gather::read_sources(session)?;
        let hosts = facts::of(session, &gathered)?;
        let compiled = rewriting::to_look_at(session, &gathered, &hosts)?;
        let mut program = Program {
            tracks: Vec::new(),
            compiled,
            build: variants::of_build(kind),
            facts: hosts.facts,
            board: board::of(session)?,
            kind,
            device,
        };
        let parameters = program.build.parameters.iter();
        let mut names: Vec<String> = parameters.map(|one| one.name.clone()).collect();
        if let Some(given) = given {
            match space_file::restricted(&program.build, &of_space(given, &program.build)) {
                Ok(left) => program.build = left,
                Err(fault) => return Ok(Err(fault)),
            }
        }
        for at in 0..program.compiled.len() {
            let looked = program.explore(session, at, |kernel, explorer| {
                Track::of(kernel, explorer, kind, given, (at, seed))
            });
            for one in looked {
                match one {
                    Ok((track, all)) => {
                        program.tracks.push(track);
                        names.extend(all);
                    }
                    Err(fault) => return Ok(Err(fault)),
                }
            }
        }
        if let Some(fault) = given.and_then(|given| unknown(given, &names)) {
            return Ok(Err(fault));
        }
        for track in program.tracks.iter().filter(|track| !track.is_whole()) {
            session.report(too_large(track));
        }
        Ok(Ok(program))
    }

    /// Has a look at each kernel of a program.
    fn explore<R>(
        &self,
        session: &Session,
        program: usize,
        look: impl FnMut(&str, &Explorer<'_>) -> R,
    ) -> Vec<R> {
        let Some(module) = &self.compiled[program].rewritten.parsed else {
            return Vec::new();
        };
        let options = &session.options;
        let request = Request {
            board: &self.board,
            requested: &options.requested,
            fp_relaxed: options.is_fp_relaxed(),
            emulated: false,
            on_gpu: false,
            search_time: options.search_time,
            explain: false,
            sources: &session.sources,
            measured: None,
            times: &[],
        };
        let timer = |module: &_, kernel, contract: &_, launch: &_| {
            let device = self.device.as_ref()?;
            launched::seconds(device, module, kernel, contract, launch)
        };
        let timer = self.device.is_some().then_some(&timer as &Timer<'_>);
        explore::each(
            module,
            &self.facts,
            &options.pipeline,
            (&request, timer),
            look,
        )
    }

    /// Adds the points beside one to what is looked at of a kernel's space, if that is not the whole space.
    pub fn widen(&mut self, session: &Session, track: usize, beside: usize) {
        let wide = &mut self.tracks[track];
        let Some(pool) = &mut wide.pool else {
            return;
        };
        let points = pool.around(&wide.space, &wide.points[beside]);
        if points.is_empty() {
            return;
        }
        let (kernel, program) = (wide.kernel.clone(), wide.program);
        let variants = variants_at(&kernel, &points);
        let make = |name: &str, explorer: &Explorer<'_>| {
            (name == kernel).then(|| explorer.make(&variants))
        };
        // Points of a space have only values that there are.
        let made = self.explore(session, program, make).into_iter().flatten();
        if let Some(Ok(made)) = { made }.next() {
            self.tracks[track].add(points, made, self.kind);
        }
    }

    /// The whole space.
    pub fn space(&self) -> Space {
        let mut all = self.build.clone();
        for track in &self.tracks {
            all.parameters
                .extend(track.space.parameters.iter().cloned());
            all.rules.extend(track.space.rules.iter().cloned());
        }
        all
    }
}

impl Track {
    /// With the names of all parameters, also of those that the user leaves out.
    fn of(
        kernel: &str,
        explorer: &Explorer<'_>,
        kind: Kind,
        given: Option<&SpaceFile>,
        (program, seed): (usize, u64),
    ) -> Result<(Track, Vec<String>), Fault> {
        let mut space = variants::space(kernel, explorer, kind);
        let names = space
            .parameters
            .iter()
            .map(|one| one.name.clone())
            .collect();
        if let Some(given) = given {
            let own = of_space(given, &space);
            space = space_file::restricted(&space, &own)?;
        }
        let mut points = space.points(MOST_POINTS + 1);
        let mut pool = None;
        if points.len() > MOST_POINTS {
            let mut drawn = Pool::default();
            points = drawn.draw(&space, DRAWN, seed);
            pool = Some(drawn);
        }
        let mut track = Track {
            kernel: kernel.to_string(),
            space,
            points: Vec::new(),
            candidates: Vec::new(),
            reassociates: Vec::new(),
            program,
            pool,
            made: Vec::new(),
        };
        track.look(explorer, points, kind)?;
        track.climb(explorer, kind)?;
        Ok((track, names))
    }

    /// Whether all of its space is looked at.
    pub fn is_whole(&self) -> bool {
        self.pool.is_none()
    }

    /// Makes points and adds those that are other kernels.
    fn look(
        &mut self,
        explorer: &Explorer<'_>,
        points: Vec<Point>,
        kind: Kind,
    ) -> Result<(), Fault> {
        let made = explorer.make(&variants_at(&self.kernel, &points));
        let made = made.map_err(|error| Fault::of(error.to_string()))?;
        self.add(points, made, kind);
        Ok(())
    }

    /// Of a space that is not looked at whole: goes on beside those that are predicted to be the fastest.
    fn climb(&mut self, explorer: &Explorer<'_>, kind: Kind) -> Result<(), Fault> {
        for _ in 0..CLIMBS {
            let predicted = self
                .candidates
                .iter()
                .enumerate()
                .filter(|(_, one)| one.fits());
            let predicted = predicted.filter_map(|(at, one)| Some((at, one.predicted?)));
            let mut predicted: Vec<(usize, f64)> = predicted.collect();
            predicted.sort_by(|a, b| a.1.total_cmp(&b.1));
            let Some(pool) = &mut self.pool else {
                return Ok(());
            };
            let best = predicted.iter().take(CLIMBERS);
            let beside = best.flat_map(|(at, _)| pool.around(&self.space, &self.points[*at]));
            let points: Vec<Point> = beside.collect();
            if points.is_empty() {
                return Ok(());
            }
            self.look(explorer, points, kind)?;
        }
        Ok(())
    }

    fn add(&mut self, points: Vec<Point>, made: Vec<Explored>, kind: Kind) {
        for (point, made) in points.into_iter().zip(made) {
            if self.made.iter().any(|known| known.is_same(&made)) {
                continue;
            }
            let seconds = match kind {
                Kind::Fpga => Some(made.seconds()),
                Kind::Other => made.elsewhere,
            };
            self.candidates.push(Candidate {
                features: self.space.features(&point),
                indices: self.space.indices(&point),
                predicted: seconds.filter(|seconds| *seconds > 0.0),
                // What a device holds is of no account where there is none.
                area: (kind == Kind::Fpga).then_some(made.area),
                occupancy: (kind == Kind::Fpga).then_some(made.area.min(1.0)),
            });
            self.reassociates.push(made.did("reduction"));
            self.points.push(point);
            self.made.push(made);
        }
    }
}

fn variants_at(kernel: &str, points: &[Point]) -> Vec<Variant> {
    let variant = |point| variants::variant(kernel, point);
    points.iter().map(variant).collect()
}

fn too_large(track: &Track) -> Diagnostic {
    let (kernel, looked) = (&track.kernel, track.points.len());
    Diagnostic::warning(format!(
        "'{kernel}' has more than {MOST_POINTS} combinations: {looked} variants are looked at, and those beside the best"
    ))
    .help("leave out values with --space FILE to have all of them looked at")
}

/// A parameter that a file names and no kernel has.
fn unknown(given: &SpaceFile, names: &[String]) -> Option<Fault> {
    let given = given.parameters.iter().map(|one| &one.name);
    let unknown = given.clone().find(|name| !names.contains(name))?;
    let nearest = names
        .iter()
        .min_by_key(|name| strsim::levenshtein(name, unknown));
    Some(Fault {
        what: format!("there is no parameter '{unknown}'"),
        help: nearest
            .map(|name| format!("did you mean '{name}'? fpgacc tune --show-space lists all")),
        word: unknown.clone(),
        position: None,
    })
}

/// What a file says of the parameters of a space.
fn of_space(given: &SpaceFile, space: &Space) -> SpaceFile {
    let is_own = |name: &String| space.parameters.iter().any(|own| own.name == *name);
    SpaceFile {
        version: given.version,
        parameters: given
            .parameters
            .iter()
            .filter(|one| is_own(&one.name))
            .cloned()
            .collect(),
        rules: given
            .rules
            .iter()
            .filter(|rule| rule.names().iter().all(|name| is_own(name)))
            .cloned()
            .collect(),
    }
}

/// The variants of all kernels that a point of the whole space means.
pub fn variants_of(tracks: &[Track], point: &Point) -> BTreeMap<String, Variant> {
    let variant = |track: &Track| {
        let own = variants::variant(&track.kernel, point);
        (track.kernel.clone(), own)
    };
    tracks.iter().map(variant).collect()
}
