//! What an expression expands to when it becomes terms.
//!
//! A part that is shared is one part, but each place at which a transform reads it is another: ten levels of two moved
//! copies each are a thousand readings of the innermost part, though ten formulas write them. They are counted here
//! before anything is made of them.

use std::collections::HashSet;

use crate::expr::{Expr, Kind, Node};

/// The number of pairs of a part of the expression and a row of transforms under which it is read; not counted further
/// than to a little more than `limit`.
pub(super) fn readings(expr: &Expr, limit: usize) -> usize {
    type Under = usize;
    let mut rows: HashSet<(*const Node, Under)> = HashSet::new();
    let mut open: Vec<(&Expr, Under)> = vec![(expr, 0)];
    let mut next_row = 1;
    while let Some((expr, under)) = open.pop() {
        let node = expr.node();
        if rows.len() > limit || !rows.insert((std::ptr::from_ref(node), under)) {
            continue;
        }
        let is_transform = matches!(node.kind, Kind::Transform(_));
        for (i, arg) in node.args().enumerate() {
            // Each transform is entered once from each row, since it is one pair itself.
            let inner = is_transform && i == 0;
            open.push((arg, if inner { next_row } else { under }));
        }
        next_row += usize::from(is_transform);
    }
    rows.len()
}
