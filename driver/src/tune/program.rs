//! The program that is tuned: its kernels, what may be varied of them, and what the model says of each variant.

use std::collections::BTreeMap;

use fpgacc_decision::Request;
use fpgacc_decision::explore::{self, Explored, Explorer};
use fpgacc_launch_facts::Variant;
use fpgacc_tuning::space::{Point, Space};
use fpgacc_tuning::space_file::{self, Fault, SpaceFile};
use fpgacc_tuning::strategy::Candidate;

use super::variants::{self, Kind};
use crate::compiled::Compiled;
use crate::session::{Session, Step};
use crate::{board, facts, gather, rewriting};

/// The most points of a kernel that are made and priced.
const MOST_POINTS: usize = 20_000;

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
}

/// See the head of this file.
pub struct Program {
    /// Its kernels.
    pub tracks: Vec<Track>,
    /// Its programs, as they are without tuning.
    pub compiled: Vec<Compiled>,
}

impl Program {
    /// Reads the inputs.
    ///
    /// # Errors
    /// The space that the user gives is not one of these kernels: the fault, for its place.
    pub fn read(
        session: &mut Session,
        kind: Kind,
        given: Option<&SpaceFile>,
    ) -> Step<Result<Program, Fault>> {
        let gathered = gather::read_sources(session)?;
        let hosts = facts::of(session, &gathered)?;
        let compiled = rewriting::with(session, &gathered, &hosts)?.compiled;
        let board = board::of(session)?;
        let options = &session.options;
        let request = Request {
            board: &board,
            requested: &options.requested,
            fp_relaxed: options.is_fp_relaxed(),
            search_time: options.search_time,
            explain: false,
            sources: &session.sources,
            measured: None,
        };
        let mut looked = Vec::new();
        for one in &compiled {
            let Some(module) = &one.rewritten.parsed else {
                continue;
            };
            let look =
                |kernel: &str, explorer: &Explorer<'_>| Track::of(kernel, explorer, kind, given);
            looked.extend(explore::each(
                module,
                &hosts.facts,
                &options.pipeline,
                &request,
                look,
            ));
        }
        let mut tracks = Vec::new();
        let mut names = Vec::new();
        for looked in looked {
            match looked {
                Ok((track, all)) => {
                    tracks.push(track);
                    names.extend(all);
                }
                Err(fault) => return Ok(Err(fault)),
            }
        }
        if let Some(fault) = given.and_then(|given| unknown(given, &names)) {
            return Ok(Err(fault));
        }
        Ok(Ok(Program { tracks, compiled }))
    }

    /// The whole space.
    pub fn space(&self) -> Space {
        let mut all = Space::default();
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
    ) -> Result<(Track, Vec<String>), Fault> {
        let mut space = variants::space(kernel, explorer, kind);
        let names = space
            .parameters
            .iter()
            .map(|one| one.name.clone())
            .collect();
        if let Some(given) = given {
            let own = of_kernel(given, &space);
            space = space_file::restricted(&space, &own)?;
        }
        let all = space.points(MOST_POINTS);
        let of: Vec<Variant> = all
            .iter()
            .map(|point| variants::variant(kernel, point))
            .collect();
        let made = explorer
            .make(&of)
            .map_err(|error| Fault::of(error.to_string()))?;
        let mut points = Vec::new();
        let mut kept: Vec<Explored> = Vec::new();
        for (point, made) in all.into_iter().zip(made) {
            if kept.iter().all(|known| !known.is_same(&made)) {
                points.push(point);
                kept.push(made);
            }
        }
        let candidates = points.iter().zip(&kept).map(|(point, made)| Candidate {
            features: space.features(point),
            // The model knows FPGAs only: a processor is learned from what is measured.
            predicted: (kind == Kind::Fpga && made.seconds() > 0.0).then_some(made.seconds()),
            // What a device holds is of no account where there is none.
            area: (kind == Kind::Fpga).then_some(made.area),
            occupancy: (kind == Kind::Fpga).then_some(made.area.min(1.0)),
        });
        let track = Track {
            kernel: kernel.to_string(),
            candidates: candidates.collect(),
            reassociates: kept.iter().map(|made| made.did("reduction")).collect(),
            points,
            space,
        };
        Ok((track, names))
    }
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
        place: None,
    })
}

/// What a file says of a kernel.
fn of_kernel(given: &SpaceFile, space: &Space) -> SpaceFile {
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
