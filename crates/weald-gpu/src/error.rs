//! What can go wrong on the way to a card and back.

use weald_field::wgsl::WgslError;

/// Why a card cannot be used, or did not give values.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum GpuError {
    /// No adapter is of the wanted kind.
    #[error("no graphics adapter is {wanted}; there {}", Found(found))]
    NoAdapter {
        /// What was asked for.
        wanted: String,
        /// The adapters that there are, by name.
        found: Vec<String>,
    },
    /// The adapter does not open a device.
    #[error("{adapter} refused to open: {reason}")]
    Refused {
        /// The adapter.
        adapter: String,
        /// What the driver says.
        reason: String,
    },
    /// The device is lost, and so is everything on it.
    #[error("{adapter} was lost: {reason}")]
    Lost {
        /// The adapter.
        adapter: String,
        /// What the driver says.
        reason: String,
    },
    /// The device did not answer in time.
    #[error("{adapter} did not answer within {seconds} s")]
    Silent {
        /// The adapter.
        adapter: String,
        /// How long it was waited for.
        seconds: f64,
    },
    /// The module is no WGSL, or breaks a rule of it.
    #[error("line {line} of the module, `{text}`: {message}")]
    Module {
        /// Counted from 1.
        line: u32,
        /// The line itself.
        text: String,
        /// What is wrong with it.
        message: String,
    },
    /// The device refused what it was told to do.
    #[error("{adapter} refused: {message}")]
    Invalid {
        /// The adapter.
        adapter: String,
        /// What the validation says.
        message: String,
    },
    /// The memory of the device does not suffice.
    #[error("{adapter} has no memory left for {bytes} bytes")]
    OutOfMemory {
        /// The adapter.
        adapter: String,
        /// What was needed at once.
        bytes: u64,
    },
    /// A buffer is larger than the device binds.
    #[error("{what} take {bytes} bytes, but the card binds at most {limit}")]
    AboveLimit {
        /// `values`, `floats` or `ints`.
        what: &'static str,
        /// Their size.
        bytes: u64,
        /// The limit of the device.
        limit: u64,
    },
    /// The room for values does not fit the grid.
    #[error("grid has {points} points, but there is room for {room} values")]
    Room {
        /// Points of the grid.
        points: u64,
        /// Values in the slice.
        room: u64,
    },
    /// The tape cannot be printed.
    #[error(transparent)]
    Unprintable(#[from] WgslError),
}

struct Found<'a>(&'a [String]);

impl std::fmt::Display for Found<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.0 {
            [] => f.write_str("is none at all"),
            [one] => write!(f, "is {one}"),
            several => write!(f, "are {}", several.join(", ")),
        }
    }
}
