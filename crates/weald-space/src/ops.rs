//! Transcendentals with the same bits on every machine.
//!
//! The platform's own sines and powers differ in the last bit from one machine to the next, and one bit is enough to
//! move a crossing to another cell. Here they come from the `libm` crate, a port of musl's, which is plain arithmetic
//! and so the same everywhere (contract 1). This is the only place of Weald that may call one; the lints forbid
//! the methods of `f32` and `f64`. Square root, floor and the like are exact by IEEE 754 and may be called anywhere.
//!
//! Functions take f64; those for f32 end in `_f32`. Angles are in radians unless a name says degrees.
//!
//! ```
//! use weald_space::ops;
//!
//! assert_eq!(ops::sin_cos_deg(90.0), (1.0, 0.0));
//! assert!((ops::exp(1.0) - std::f64::consts::E).abs() < 1e-15);
//! ```

macro_rules! unary {
    ($($(#[$doc:meta])* $name:ident, $single:ident, $libm:ident, $libm_single:ident;)*) => {$(
        $(#[$doc])*
        #[must_use]
        pub fn $name(x: f64) -> f64 {
            libm::$libm(x)
        }

        #[doc = concat!("[`", stringify!($name), "`] in single precision.")]
        #[must_use]
        pub fn $single(x: f32) -> f32 {
            libm::$libm_single(x)
        }
    )*};
}

macro_rules! binary {
    ($($(#[$doc:meta])* $name:ident, $single:ident, $libm:ident, $libm_single:ident, $a:ident, $b:ident;)*) => {$(
        $(#[$doc])*
        #[must_use]
        pub fn $name($a: f64, $b: f64) -> f64 {
            libm::$libm($a, $b)
        }

        #[doc = concat!("[`", stringify!($name), "`] in single precision.")]
        #[must_use]
        pub fn $single($a: f32, $b: f32) -> f32 {
            libm::$libm_single($a, $b)
        }
    )*};
}

unary! {
    /// The sine of an angle in radians.
    sin, sin_f32, sin, sinf;
    /// The cosine of an angle in radians.
    cos, cos_f32, cos, cosf;
    /// The tangent of an angle in radians.
    tan, tan_f32, tan, tanf;
    /// The angle from -π/2 to π/2 with this sine; not a number outside -1 to 1.
    asin, asin_f32, asin, asinf;
    /// The angle from 0 to π with this cosine; not a number outside -1 to 1.
    acos, acos_f32, acos, acosf;
    /// The angle from -π/2 to π/2 with this tangent.
    atan, atan_f32, atan, atanf;
    /// The hyperbolic sine.
    sinh, sinh_f32, sinh, sinhf;
    /// The hyperbolic cosine.
    cosh, cosh_f32, cosh, coshf;
    /// The hyperbolic tangent.
    tanh, tanh_f32, tanh, tanhf;
    /// The power of e.
    exp, exp_f32, exp, expf;
    /// The power of 2.
    exp2, exp2_f32, exp2, exp2f;
    /// The natural logarithm; not a number below 0.
    ln, ln_f32, log, logf;
    /// The logarithm to base 2; not a number below 0.
    log2, log2_f32, log2, log2f;
    /// The logarithm to base 10; not a number below 0.
    log10, log10_f32, log10, log10f;
    /// The cube root.
    cbrt, cbrt_f32, cbrt, cbrtf;
    /// The square root; not a number below 0.
    sqrt, sqrt_f32, sqrt, sqrtf;
}

binary! {
    /// The angle of the point (`x`, `y`) from the x axis, from -π to π.
    atan2, atan2_f32, atan2, atan2f, y, x;
    /// `base` to the power `exponent`.
    pow, pow_f32, pow, powf, base, exponent;
    /// The length of (`x`, `y`), without overflow on the way.
    hypot, hypot_f32, hypot, hypotf, x, y;
}

/// The sine and the cosine of an angle in radians.
#[must_use]
pub fn sin_cos(x: f64) -> (f64, f64) {
    libm::sincos(x)
}

/// [`sin_cos`] in single precision.
#[must_use]
pub fn sin_cos_f32(x: f32) -> (f32, f32) {
    libm::sincosf(x)
}

/// The sine and the cosine of an angle in degrees; exactly 0, 1 or -1 at multiples of a right angle, so that what is
/// turned by one keeps its faces on the lattice.
#[must_use]
pub fn sin_cos_deg(degrees: f64) -> (f64, f64) {
    let turned = degrees.rem_euclid(360.0);
    match turned {
        0.0 | 360.0 => (0.0, 1.0),
        90.0 => (1.0, 0.0),
        180.0 => (0.0, -1.0),
        270.0 => (-1.0, 0.0),
        _ => sin_cos(turned.to_radians()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f64::consts::PI;

    #[test]
    fn known_values_come_out() {
        assert_eq!(sin(0.0), 0.0);
        assert_eq!(cos(0.0), 1.0);
        assert_eq!(sqrt(2.25), 1.5);
        assert_eq!(cbrt_f32(27.0), 3.0);
        assert_eq!(hypot(3.0, 4.0), 5.0);
        assert_eq!(atan2(1.0, 0.0), PI / 2.0);
        assert_eq!(pow_f32(2.0, 10.0), 1024.0);
        assert_eq!(exp2(-3.0), 0.125);
        assert!((ln(exp(1.5)) - 1.5).abs() < 1e-15);
        assert!((sin(asin(0.3)) - 0.3).abs() < 1e-15);
        assert!((cos(acos(-0.7)) + 0.7).abs() < 1e-15);
    }

    #[test]
    fn right_angles_are_exact_and_others_agree_with_radians() {
        for (quarter, expected) in [(0.0, 1.0), (1.0, 0.0), (0.0, -1.0), (-1.0, 0.0)].into_iter().enumerate()
        {
            for turn in [-720.0, -360.0, 0.0, 360.0, 3600.0] {
                assert_eq!(sin_cos_deg(quarter as f64 * 90.0 + turn), expected);
            }
        }
        let (sine, cosine) = sin_cos_deg(-30.0);
        assert!((sine + 0.5).abs() < 1e-15);
        assert!((cosine - sqrt(0.75)).abs() < 1e-15);
    }

    #[test]
    fn bits_are_those_written_down() {
        let bits =
            [sin(1.0), exp(1.0), ln(10.0), pow(1.1, 7.3), atan2(-1.0, 2.0), tan(1.3)].map(f64::to_bits);
        assert_eq!(
            bits,
            [
                0x3fea_ed54_8f09_0cee,
                0x4005_bf0a_8b14_576a,
                0x4002_6bb1_bbb5_5516,
                0x4000_0abb_db22_bbdf,
                0xbfdd_ac67_0561_bb4f,
                0x400c_d11b_1696_e97e
            ]
        );
    }
}
