//! How many points are evaluated at once.

use fearless_simd::Level;

/// How many points are evaluated at once. The values have the same bits at each width.
#[derive(Clone, Copy, Debug)]
pub enum Width {
    /// One point at a time: the reference.
    Scalar,
    /// As many as a level of the machine's instructions takes.
    Lanes(Level),
}

impl Default for Width {
    /// The widest that this machine has.
    fn default() -> Self {
        Width::Lanes(Level::new())
    }
}

impl Width {
    /// All widths that this machine has, the scalar first.
    #[must_use]
    pub fn all() -> Vec<Width> {
        let mut widths = vec![Width::Scalar];
        let best = Level::new();
        #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
        widths.extend(
            [
                best.as_sse4_2().map(Level::Sse4_2),
                best.as_avx2().map(Level::Avx2),
                best.as_avx512().map(Level::Avx512),
            ]
            .into_iter()
            .flatten()
            .map(Width::Lanes),
        );
        #[cfg(not(any(target_arch = "x86", target_arch = "x86_64")))]
        widths.push(Width::Lanes(best));
        widths
    }
}

/// Runs an expression with the token of a level, or `else` what is given where the level has no lanes: on x86 without
/// SSE4.2, which no machine since 2008 lacks, points are evaluated one at a time.
///
/// All that a tape can do is compiled for each level, so there are no more of them than are worth it, and the widest is
/// left to optimized builds.
macro_rules! in_lanes {
    ($level:expr, $simd:ident => $run:expr, else $otherwise:block) => {
        match $level {
            #[cfg(all(any(target_arch = "x86", target_arch = "x86_64"), not(debug_assertions)))]
            fearless_simd::Level::Avx512($simd) => $run,
            #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
            fearless_simd::Level::Sse4_2($simd) => $run,
            level => $crate::width::in_wide_lanes!(level, $simd => $run, else $otherwise),
        }
    };
}

/// The same for what needs four numbers a point: only at the most common of the wide levels.
macro_rules! in_wide_lanes {
    ($level:expr, $simd:ident => $run:expr, else $otherwise:block) => {{
        #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
        {
            match $level.as_avx2() {
                Some($simd) => $run,
                None => $otherwise,
            }
        }
        #[cfg(target_arch = "aarch64")]
        {
            match $level.as_neon() {
                Some($simd) => $run,
                None => $otherwise,
            }
        }
        #[cfg(not(any(target_arch = "x86", target_arch = "x86_64", target_arch = "aarch64")))]
        {
            let _ = $level;
            $otherwise
        }
    }};
}

pub(crate) use {in_lanes, in_wide_lanes};
