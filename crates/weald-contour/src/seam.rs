//! Polygons that touch one of a chunk's two outermost layers of leaves, made from border tables.
//!
//! The seam of a chunk holds every polygon that the chunk owns and of which a leaf lies in the two outermost layers of
//! its chunk. It depends on the chunks around, at whatever level the present cut has them; their border tables are all
//! that is read. Where the leaves of a polygon are equal and simple it is cut as in the core; the others are embedded
//! as a patch.

use glam::{DVec3, I64Vec3, Vec3};
use weald_space::{CHUNK_CELLS, ChunkKey, Lod, VoxelPos};

use crate::border::{SEAM_LAYERS, layer};
use crate::cell::CellMask;
use crate::chunk::Vertex;
use crate::cut::{Cut, CutLeaves, Near};
use crate::dual::{best_diagonal, point_on_edge};
use crate::error::ContourError;
use crate::name::{VertexKind, VertexName};
use crate::patch::{EdgeId, LeafId, Patch, PatchCorner, PatchError, Source};
use crate::tables::is_simple;

const SIDE: i32 = CHUNK_CELLS as i32;

/// The polygons that a chunk owns and that depend on the chunks around it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Seam {
    /// Vertices that no chunk has, or has elsewhere: those of leaves beside other levels, those that had to move, and
    /// points on faces and edges. Ordered by name; positions count in the chunk's cells from its origin.
    pub added: Vec<Vertex>,
    /// Triangles over vertices named from the chunk that owns the seam, counter-clockwise from outside. A vertex is the
    /// one in `added`, or else that of the chunk that owns its leaf.
    pub triangles: Vec<[VertexName; 3]>,
    /// What happened.
    pub counts: SeamCounts,
}

/// What happened while a seam was made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
pub struct SeamCounts {
    /// Polygons.
    pub polygons: u32,
    /// Of these, those that were cut as fans from their edge's crossing.
    pub fans: u32,
    /// Pairs with a vertex of their own on a face.
    pub face_vertices: u32,
    /// Leaves whose vertices had to be moved apart and could not: their triangles may meet.
    pub stuck: u32,
}

/// What making seams keeps between them.
#[derive(Debug, Default)]
pub struct SeamScratch {
    patch: Patch,
    wanted: Vec<EdgeId>,
}

/// Makes the seam of a chunk in a cut.
///
/// `cut` tells for each of the world's finest cells which chunk holds it, and that chunk's border table (an empty one
/// where it has no surface); `None` beyond the world. Polygons that would need a leaf beyond the world are left out.
///
/// # Errors
/// If the cut does not have the chunk, or one that its polygons look at is more than
/// [`MOST_LEVELS_APART`](crate::cut::MOST_LEVELS_APART) levels coarser or finer; or if tables disagree on what is crossed:
/// they were made from different fields.
pub fn seam<'a>(cut: &'a Cut<'a>, key: ChunkKey, scratch: &mut SeamScratch) -> Result<Seam, ContourError> {
    let leaves = CutLeaves::new(cut, key).ok_or(ContourError::NotInCut { key })?;
    let mut sewing = Sewing { leaves, key, seam: Seam::default() };
    scratch.wanted.clear();
    sewing.take_own(&mut scratch.wanted)?;
    sewing.find_finer(&mut scratch.wanted);
    if !scratch.wanted.is_empty() {
        scratch.wanted.sort_unstable();
        scratch.wanted.dedup();
        let made = sewing.take_patch(&scratch.wanted, &mut scratch.patch);
        sewing.check_levels()?;
        made?;
    }
    sewing.check_levels()?;
    let Seam { added, triangles, .. } = &mut sewing.seam;
    added.sort_by_key(|vertex| vertex.name);
    added.dedup_by_key(|vertex| vertex.name);
    debug_assert!(triangles.iter().all(|[a, b, c]| a != b && b != c && a != c));
    Ok(sewing.seam)
}

struct Sewing<'a> {
    leaves: CutLeaves<'a>,
    key: ChunkKey,
    seam: Seam,
}

impl Sewing<'_> {
    /// A chunk too many levels away was met: what was made without it is of no use.
    fn check_levels(&self) -> Result<(), ContourError> {
        match self.leaves.too_far() {
            Some(other) => Err(ContourError::LevelsTooFarApart { key: self.key, other }),
            None => Ok(()),
        }
    }

    /// Makes the simple polygons among those of the chunk's own edges, and lists the others.
    fn take_own(&mut self, wanted: &mut Vec<EdgeId>) -> Result<(), ContourError> {
        let own = self.leaves.near()[0];
        for crossing in &own.table.crossings {
            let axis = crossing.axis();
            let (u, v) = axis.across();
            if crossing.local[u.index()] == 0 || crossing.local[v.index()] == 0 {
                continue;
            }
            let edge = EdgeId::new(own.point(crossing.local), axis, own.cell);
            self.take(edge, wanted)?;
        }
        Ok(())
    }

    /// Lists the polygons on edges of finer chunks beyond the max side.
    fn find_finer(&mut self, wanted: &mut Vec<EdgeId>) {
        let own = self.leaves.near()[0];
        let finer: Vec<Near> =
            self.leaves.near().iter().filter(|near| near.cell < own.cell).copied().collect();
        for near in finer {
            if (0..3).all(|axis| near.min[axis] < own.min[axis] + SIDE * own.cell) {
                continue;
            }
            for crossing in &near.table.crossings {
                let axis = crossing.axis();
                let low = near.point(crossing.local);
                let (u, v) = axis.across();
                let mut owner = low;
                owner[u.index()] -= 1;
                owner[v.index()] -= 1;
                if self.leaves.chunk_at(owner) != Some(0) {
                    continue;
                }
                let edge = EdgeId::new(low, axis, near.cell);
                if self.is_minimal(edge) && self.is_whole(edge) {
                    wanted.push(edge);
                }
            }
        }
    }

    /// Whether no smaller leaf lies around an edge.
    fn is_minimal(&mut self, edge: EdgeId) -> bool {
        self.leaves.around(edge).iter().all(|leaf| leaf.size() >= edge.size())
    }

    /// Whether no quadrant around an edge lies beyond the world.
    fn is_whole(&mut self, edge: EdgeId) -> bool {
        self.leaves.around(edge).iter().all(|&leaf| !self.leaves.is_outside(leaf))
    }

    fn take(&mut self, edge: EdgeId, wanted: &mut Vec<EdgeId>) -> Result<(), ContourError> {
        let around = self.leaves.around(edge);
        let mut cells = [(0, [0; 3]); 4];
        for (cell, &leaf) in cells.iter_mut().zip(&around) {
            if leaf.size() < edge.size() {
                return Ok(());
            }
            let Some(found) = self.leaves.cell_of(leaf) else { return Ok(()) };
            *cell = found;
        }
        if cells.iter().all(|&(_, local)| layer(local) >= SEAM_LAYERS) {
            return Ok(());
        }
        let mut corners = [(VertexName::new(Lod::FINEST, [0; 3], VertexKind::Loop(0)), DVec3::ZERO); 4];
        for k in 0..4 {
            match self.plain_corner(edge, around[k], cells[k])? {
                Some(corner) => corners[k] = corner,
                None => {
                    wanted.push(edge);
                    return Ok(());
                }
            }
        }
        self.take_plain(edge, corners)
    }

    /// The vertex of a leaf at an edge, its place counted from the edge's lower end in its length, if the leaf is plain: of
    /// the edge's size, with equals around it, one loop that meets every face once, and a vertex that does no harm.
    fn plain_corner(
        &mut self,
        edge: EdgeId,
        leaf: LeafId,
        (chunk, local): (usize, [u8; 3]),
    ) -> Result<Option<(VertexName, DVec3)>, ContourError> {
        if leaf.size() != edge.size() || self.leaves.is_beside_others(leaf) {
            return Ok(None);
        }
        let near = self.leaves.near()[chunk];
        let cell = near.table.cell(local).ok_or_else(|| self.disagreement(leaf))?;
        if !is_simple(CellMask(cell.mask)) {
            return Ok(None);
        }
        let vertex = near.table.vertices.get(cell.first_vertex as usize);
        let vertex = vertex.ok_or_else(|| self.disagreement(leaf))?;
        if vertex.is_borrowed() && !self.leaves.is_calm(leaf, local, vertex) {
            return Ok(None);
        }
        let from_low = std::array::from_fn(|axis| f64::from(near.min[axis] - edge.low()[axis]));
        let place = DVec3::from_array(from_low) / f64::from(edge.size())
            + Vec3::from_array(vertex.position).as_dvec3();
        Ok(Some((self.name(leaf.size(), leaf.min(), VertexKind::Loop(0)), place)))
    }

    fn disagreement(&self, leaf: LeafId) -> ContourError {
        let cell = self.leaves.finest_from_patch(leaf.min()) >> self.leaves.lod_of(leaf.size()).index();
        ContourError::BordersDisagree { cell: VoxelPos(cell) }
    }

    /// Makes the polygon of an edge between four plain leaves.
    fn take_plain(&mut self, edge: EdgeId, corners: [(VertexName, DVec3); 4]) -> Result<(), ContourError> {
        let leaf = LeafId::new(edge.low(), edge.size());
        let hermite = self.leaves.hermite(edge).ok_or_else(|| self.disagreement(leaf))?;
        let (names, places) = (corners.map(|(name, _)| name), corners.map(|(_, place)| place));
        self.seam.counts.polygons += 1;
        if let Some(d) = best_diagonal(edge.axis(), f64::from(hermite.t), places) {
            let [a, b, c, e] = std::array::from_fn(|i| names[(d + i) % 4]);
            self.emit(hermite.inside_low, [a, b, c]);
            self.emit(hermite.inside_low, [a, c, e]);
            return Ok(());
        }
        let centre = self.name(edge.size(), edge.low(), VertexKind::Edge { axis: edge.axis() });
        for k in 0..4 {
            self.emit(hermite.inside_low, [centre, names[k], names[(k + 1) % 4]]);
        }
        let low = DVec3::from_array(edge.low().map(f64::from));
        let place = low + point_on_edge(edge.axis(), hermite.t) * f64::from(edge.size());
        self.seam.counts.fans += 1;
        self.add(centre, place, hermite.normal);
        Ok(())
    }

    fn emit(&mut self, inside_low: bool, [a, b, c]: [VertexName; 3]) {
        self.seam.triangles.push(if inside_low { [a, b, c] } else { [a, c, b] });
    }

    fn take_patch(&mut self, wanted: &[EdgeId], patch: &mut Patch) -> Result<(), ContourError> {
        let at = self.key.origin();
        let broken = |source: PatchError| ContourError::Patch { at, source };
        patch.rebuild(&mut self.leaves, wanted).map_err(broken)?;
        if patch.unsettled() > 0 {
            return Err(ContourError::Unsettled { at, polygons: patch.unsettled() });
        }
        for &triangle in patch.triangles() {
            let corners = triangle.map(|corner| patch.corner(corner));
            let names = corners.map(|(corner, ..)| self.name_of(corner));
            for (name, (corner, place, normal)) in names.iter().zip(corners) {
                if !matches!(corner, PatchCorner::Loop { new: false, .. }) || self.is_elsewhere(corner, place)
                {
                    self.add(*name, place, normal);
                }
            }
            self.seam.triangles.push(names);
        }
        let counts = patch.counts();
        self.seam.counts.polygons += wanted.len() as u32;
        self.seam.counts.fans += counts.fans;
        self.seam.counts.face_vertices += counts.face_points;
        self.seam.counts.stuck += counts.stuck;
        Ok(())
    }

    /// Whether the chunk of a leaf has its vertex at another place.
    fn is_elsewhere(&mut self, corner: PatchCorner, place: DVec3) -> bool {
        let PatchCorner::Loop { leaf, index, .. } = corner else { return true };
        let Some((chunk, local)) = self.leaves.cell_of(leaf) else { return true };
        let near = self.leaves.near()[chunk];
        let Some(cell) = near.table.cell(local) else { return true };
        let Some(vertex) = near.table.vertices.get(cell.first_vertex as usize + usize::from(index)) else {
            return true;
        };
        let base = DVec3::from_array(near.min.map(f64::from));
        base + Vec3::from_array(vertex.position).as_dvec3() * f64::from(near.cell) != place
    }

    fn name_of(&self, corner: PatchCorner) -> VertexName {
        match corner {
            PatchCorner::Loop { leaf, index, .. } => {
                self.name(leaf.size(), leaf.min(), VertexKind::Loop(index))
            }
            PatchCorner::Edge(edge) => {
                self.name(edge.size(), edge.low(), VertexKind::Edge { axis: edge.axis() })
            }
            PatchCorner::Face(edge, side) => {
                self.name(edge.size(), edge.low(), VertexKind::Face { axis: edge.axis(), side })
            }
        }
    }

    fn name(&self, size: i32, at: [i32; 3], kind: VertexKind) -> VertexName {
        let at: I64Vec3 = self.leaves.finest_from_patch(at) - self.key.finest_origin().0;
        VertexName::new(self.leaves.lod_of(size), at.to_array().map(|c| c as i32), kind)
    }

    fn add(&mut self, name: VertexName, place: DVec3, normal: Vec3) {
        let own = self.leaves.near()[0];
        let from_own = (place - DVec3::from_array(own.min.map(f64::from))) / f64::from(own.cell);
        self.seam.added.push(Vertex {
            name,
            position: from_own.as_vec3().to_array(),
            normal: normal.to_array(),
        });
    }
}
