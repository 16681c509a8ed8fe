//! What can go wrong when the model is judged.

/// Why the model could not be judged.
#[derive(Debug, thiserror::Error)]
pub enum ModelError {
    /// A file cannot be read.
    #[error("{0}: {1}")]
    File(String, std::io::Error),
    /// The table is not as expected.
    #[error("{0}")]
    Table(#[from] csv::Error),
    /// The launches are not as expected.
    #[error("{0}: {1}")]
    Launches(String, serde_yaml::Error),
    /// Published pairs are not as expected.
    #[error("pairs.yaml: {0}")]
    Pairs(#[from] fpgacc_performance_model::BoardError),
    /// There is no such board.
    #[error("no board has the name '{0}'")]
    Board(String),
    /// A kernel cannot be read.
    #[error("{0}: {1}")]
    Kernel(String, String),
    /// A table of designs is not as expected.
    #[error("{0}: {1}")]
    Matrix(String, String),
    /// The preprocessor cannot be run.
    #[error("{0}")]
    Compiler(#[from] fpgacc_aoc_wrappers::cc::CcError),
}
