//! Whether two triangles meet elsewhere than in the vertices they share.
//!
//! Contact counts: a vertex that touches the other triangle's inside, or two vertices at one place, is a meeting.
//! Excused is only what is shared by index. Of triangles that share one vertex, whatever else they have in common
//! ends at the opposite edge of one of them, so these two edges are tested. Triangles that share an edge meet
//! elsewhere only if one is folded onto the other in their common plane.
//!
//! Neighbours in a smooth surface are nearly in one plane, where determinants of order three are costly to tell from
//! zero. So each pair is first looked at along the axis that the first triangle faces most: if its shadows are apart
//! there, by signs of order two, so are the triangles.

use glam::DVec3;

use super::exact::{axis_across, side, turn};

/// Whether two sound triangles, given by indices and places, meet beyond the vertices they share: those of one index,
/// which must have one place.
///
/// Exact for all finite places that come from f32, or from whole numbers below 2⁵⁰ times one power of two near 1. Two
/// triangles without area that share an edge without length are taken not to meet. Triangles that share all three
/// vertices meet.
#[must_use]
pub fn triangles_meet(s: [u32; 3], s_at: [DVec3; 3], t: [u32; 3], t_at: [DVec3; 3]) -> bool {
    let in_t = s.map(|vertex| t.iter().position(|&other| other == vertex));
    let axis = axis_faced(s_at);
    match in_t {
        [None, None, None] => {
            !shadows_apart(axis, s_at, t_at)
                && !shadows_apart(axis, t_at, s_at)
                && (0..3).any(|i| side_meets(s_at, i, t_at) || side_meets(t_at, i, s_at))
        }
        [Some(_), Some(_), Some(_)] => true,
        _ => {
            if let Some((i, j)) = only_shared(in_t) {
                let (v, [a, b]) = (s_at[i], opposite(s_at, i));
                let [c, d] = opposite(t_at, j);
                return !wedges_apart(axis, v, [a, b], [c, d])
                    && (segment_meets_triangle(a, b, t_at) || segment_meets_triangle(c, d, s_at));
            }
            let apex = (0..3).find(|&i| in_t[i].is_none()).unwrap_or(0);
            let other = (0..3).find(|&j| !in_t.contains(&Some(j))).unwrap_or(0);
            let [e, g] = opposite(s_at, apex);
            folded(axis, e, g, s_at[apex], t_at[other])
        }
    }
}

/// The axis along which a triangle casts its largest shadow, but for rounding.
fn axis_faced([a, b, c]: [DVec3; 3]) -> usize {
    let [x, y, z] = (b - a).cross(c - a).abs().to_array();
    if z >= x && z >= y { 2 } else { usize::from(y > x) }
}

/// The ends of the side across from corner `i`.
fn opposite(triangle: [DVec3; 3], i: usize) -> [DVec3; 2] {
    [triangle[(i + 1) % 3], triangle[(i + 2) % 3]]
}

/// Whether the line along a side of `s` keeps the shadow of `t` strictly on its other side.
fn shadows_apart(axis: usize, s: [DVec3; 3], t: [DVec3; 3]) -> bool {
    (0..3).any(|i| {
        let (a, [b, c]) = (s[i], opposite(s, i));
        let within = turn(axis, a, b, c);
        within != 0 && t.iter().all(|&p| turn(axis, a, b, p) == -within)
    })
}

/// Whether the shadows of two wedges with the tip `v` have only the tip in common, because the line along a leg of
/// one has the wedges on its two sides.
fn wedges_apart(axis: usize, v: DVec3, s: [DVec3; 2], t: [DVec3; 2]) -> bool {
    let parts = |leg: DVec3, within: DVec3, other: [DVec3; 2]| {
        let inner = turn(axis, v, leg, within);
        let [c, d] = other.map(|p| inner * turn(axis, v, leg, p));
        // A leg of the other wedge may lie on the line, if it points away from this one.
        let beyond = |sign: i32, p: DVec3| sign < 0 || points_away(axis, v, leg, p);
        inner != 0 && c <= 0 && d <= 0 && c + d < 0 && beyond(c, other[0]) && beyond(d, other[1])
    };
    parts(s[0], s[1], t) || parts(s[1], s[0], t) || parts(t[0], t[1], s) || parts(t[1], t[0], s)
}

/// Whether two points that look collinear with `v` along the axis lie on different sides of it.
fn points_away(axis: usize, v: DVec3, a: DVec3, b: DVec3) -> bool {
    (0..3).any(|k| k != axis && ((a[k] < v[k] && v[k] < b[k]) || (b[k] < v[k] && v[k] < a[k])))
}

/// The places in both triangles of the one vertex they share, if it is one.
fn only_shared(in_t: [Option<usize>; 3]) -> Option<(usize, usize)> {
    let mut shared = (0..3).filter_map(|i| in_t[i].map(|j| (i, j)));
    shared.next().filter(|_| shared.next().is_none())
}

/// Whether the side of `s` that starts at corner `i` meets `t`.
fn side_meets(s: [DVec3; 3], i: usize, t: [DVec3; 3]) -> bool {
    segment_meets_triangle(s[i], s[(i + 1) % 3], t)
}

/// Whether the triangles over the edge from `e` to `g` with apexes `a` and `b` lie on the same side in one plane.
///
/// If they do, they also look so along any axis that shows them as more than a line.
fn folded(axis: usize, e: DVec3, g: DVec3, a: DVec3, b: DVec3) -> bool {
    turn(axis, e, g, a) * turn(axis, e, g, b) >= 0
        && side(e, g, a, b) == 0
        && axis_across(e, g, a).is_some_and(|axis| turn(axis, e, g, a) * turn(axis, e, g, b) > 0)
}

fn segment_meets_triangle(p: DVec3, q: DVec3, [a, b, c]: [DVec3; 3]) -> bool {
    let (of_p, of_q) = (side(a, b, c, p), side(a, b, c, q));
    if of_p * of_q > 0 {
        return false;
    }
    if of_p == 0 && of_q == 0 {
        let sides = [(a, b), (b, c), (c, a)];
        return match axis_across(a, b, c) {
            Some(axis) => {
                inside(axis, p, [a, b, c])
                    || inside(axis, q, [a, b, c])
                    || sides.iter().any(|&(x, y)| cross_in_plane(axis, p, q, x, y))
            }
            None => sides.iter().any(|&(x, y)| segments_meet(p, q, x, y)),
        };
    }
    agree([side(p, q, a, b), side(p, q, b, c), side(p, q, c, a)])
}

/// Whether a point of the triangle's plane lies in the triangle or on its border.
fn inside(axis: usize, p: DVec3, [a, b, c]: [DVec3; 3]) -> bool {
    agree([turn(axis, a, b, p), turn(axis, b, c, p), turn(axis, c, a, p)])
}

/// Whether no two signs contradict each other.
fn agree(signs: [i32; 3]) -> bool {
    signs.iter().all(|&s| s >= 0) || signs.iter().all(|&s| s <= 0)
}

/// Whether two segments have a point in common, wherever they lie.
fn segments_meet(p: DVec3, q: DVec3, x: DVec3, y: DVec3) -> bool {
    if side(p, q, x, y) != 0 {
        return false;
    }
    let axis = axis_across(p, q, x).or_else(|| axis_across(p, q, y)).or_else(|| axis_across(x, y, p));
    match axis.or_else(|| axis_across(x, y, q)) {
        Some(axis) => cross_in_plane(axis, p, q, x, y),
        None => (0..3).all(|k| spans_overlap(p[k], q[k], x[k], y[k])),
    }
}

/// Whether two segments of one plane have a point in common, where `axis` is not parallel to the plane.
fn cross_in_plane(axis: usize, p: DVec3, q: DVec3, x: DVec3, y: DVec3) -> bool {
    let (of_x, of_y) = (turn(axis, p, q, x), turn(axis, p, q, y));
    let (of_p, of_q) = (turn(axis, x, y, p), turn(axis, x, y, q));
    if of_x * of_y > 0 || of_p * of_q > 0 {
        return false;
    }
    let collinear = of_x == 0 && of_y == 0 && of_p == 0 && of_q == 0;
    !collinear || (0..3).all(|k| k == axis || spans_overlap(p[k], q[k], x[k], y[k]))
}

fn spans_overlap(p: f64, q: f64, x: f64, y: f64) -> bool {
    p.min(q) <= x.max(y) && x.min(y) <= p.max(q)
}
