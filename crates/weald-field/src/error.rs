//! What can be wrong with an expression.

/// Why an expression or its payload cannot be used.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum FieldError {
    /// A parameter is out of its range.
    #[error("{name} of {op} is {value}, but must be {limit}")]
    Parameter {
        /// The op, as in the world file.
        op: &'static str,
        /// The parameter.
        name: &'static str,
        /// Its value.
        value: f64,
        /// What it must be.
        limit: &'static str,
    },
    /// A number in one part of many is out of its range.
    #[error("{name} of part {index} of {op} is {value}, but must be {limit}")]
    Part {
        /// The op, as in the world file.
        op: &'static str,
        /// The part, counted from 0.
        index: usize,
        /// The number.
        name: &'static str,
        /// Its value.
        value: f64,
        /// What it must be.
        limit: &'static str,
    },
    /// The outline of a prism crosses or touches itself.
    #[error(
        "edges {first} and {second} of prism meet (each counted by the point that it starts from), but its outline \
         must not touch itself"
    )]
    OutlineMeets {
        /// One edge, counted from 0.
        first: usize,
        /// The other, counted from 0.
        second: usize,
    },
    /// The height under a height surface reads z.
    #[error("the height of a height surface depends on z, but may depend on x and y only")]
    HeightDependsOnZ,
    /// The height under a height surface holds a height surface.
    #[error("the height of a height surface holds another height surface")]
    HeightInHeight,
    /// More terms than a tape may have.
    #[error("expression has more than {limit} distinct terms")]
    TooManyTerms {
        /// The cap.
        limit: usize,
    },
    /// Transforms within transforms read their parts at too many places.
    #[error("transforms of the expression read its parts {limit} times and more")]
    TooManyReadings {
        /// The cap.
        limit: usize,
    },
    /// The posts do not fill the stated size.
    #[error("heightfield of {width} by {height} posts has {count} posts, but must have {expected}")]
    PostCount {
        /// Posts from west to east.
        width: usize,
        /// Posts from south to north.
        height: usize,
        /// Posts given.
        count: usize,
        /// Posts needed.
        expected: usize,
    },
    /// A post is not a number or infinite.
    #[error("post at column {column}, row {row} (row 0 is the southernmost) is {value}, but must be finite")]
    PostNotFinite {
        /// Counted from the west.
        column: usize,
        /// Counted from the south.
        row: usize,
        /// The post.
        value: f32,
    },
}
