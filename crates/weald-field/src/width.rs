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
                best.as_sse2().map(Level::Sse2),
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
