//! What jobs make, and its bytes.
//!
//! An artifact is stored as `version · kind · sections`, each section a count and plain little-endian records. Reading
//! checks every count against the bytes that are there before it allocates, and every index before it is used.

use bytemuck::{AnyBitPattern, NoUninit};
use weald_contour::border::{BorderCell, BorderCrossing, BorderTable, BorderVertex};
use weald_contour::cell::{CellEdge, CellMask};
use weald_contour::chunk::{ChunkCounts, Vertex};
use weald_contour::place::lower_end;
use weald_contour::seam::SeamCounts;
use weald_contour::tables::loops;
use weald_contour::{Chunk, Seam, VertexName};
use weald_mesh::MaterialId;

/// Changes with the layout of these bytes; older artifacts are then made anew.
pub const ARTIFACT_VERSION: u32 = 2;

const _: () =
    assert!(cfg!(target_endian = "little"), "artifacts are stored as they lie in memory: little-endian");

/// What a job makes.
#[derive(Clone, Debug, PartialEq)]
pub enum Artifact {
    /// A chunk's mesh.
    Chunk(ChunkArtifact),
    /// What joins a chunk to its neighbours.
    Seam(SeamArtifact),
    /// The region as one mesh.
    Scene(SceneArtifact),
    /// A picture, as the bytes of a PNG file.
    Picture(Vec<u8>),
    /// The chunks of a bake, as the bytes of a JSON file.
    ChunkList(Vec<u8>),
}

/// A chunk's mesh.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ChunkArtifact {
    /// The mesh.
    pub chunk: Chunk,
    /// The material of each vertex.
    pub materials: Vec<MaterialId>,
}

/// What joins a chunk to its neighbours.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SeamArtifact {
    /// The polygons.
    pub seam: Seam,
    /// The material of each vertex that the seam adds.
    pub materials: Vec<MaterialId>,
}

/// The region as one mesh.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SceneArtifact {
    /// What was joined.
    pub counts: SceneCounts,
    /// The bytes of a GLB file.
    pub glb: Vec<u8>,
}

/// What a scene was joined from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, bytemuck::Pod, bytemuck::Zeroable, serde::Serialize)]
#[repr(C)]
pub struct SceneCounts {
    /// Chunks that hold a surface.
    pub chunks: u64,
    /// Vertices of the scene.
    pub vertices: u64,
    /// Triangles of the scene.
    pub triangles: u64,
    /// Of these, triangles that belong to seams.
    pub seam_triangles: u64,
    /// Cells that the surface crosses.
    pub cells: u64,
    /// Of these, cells with more than one sheet.
    pub complex_cells: u64,
    /// Vertices that took over a corner which a neighbour could not reach.
    #[serde(rename = "adopted_vertices")]
    pub adopted: u64,
    /// Vertices that lie in an empty cell beside their own.
    #[serde(rename = "borrowed_vertices")]
    pub borrowed: u64,
    /// Polygons that were cut as fans, in chunks and seams.
    pub fans: u64,
    /// Pairs with a vertex of their own on a face.
    pub face_vertices: u64,
    /// Cells whose vertices had to be moved apart and could not, so that their triangles may meet.
    pub stuck: u64,
}

impl SceneCounts {
    /// Adds what happened in a chunk.
    pub fn add(&mut self, counts: &ChunkCounts) {
        let ChunkCounts { cells, complex_cells, adopted, borrowed, fans, face_vertices, stuck } = *counts;
        self.chunks += u64::from(cells > 0);
        self.cells += u64::from(cells);
        self.complex_cells += u64::from(complex_cells);
        self.adopted += u64::from(adopted);
        self.borrowed += u64::from(borrowed);
        self.fans += u64::from(fans);
        self.face_vertices += u64::from(face_vertices);
        self.stuck += u64::from(stuck);
    }

    /// Adds what happened in a seam.
    pub fn add_seam(&mut self, counts: &SeamCounts) {
        let SeamCounts { polygons: _, fans, face_vertices, stuck } = *counts;
        self.fans += u64::from(fans);
        self.face_vertices += u64::from(face_vertices);
        self.stuck += u64::from(stuck);
    }
}

/// The bytes are no artifact.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ArtifactError {
    /// The bytes end too early.
    #[error("the artifact ends after {found} bytes where {needed} are needed")]
    Short {
        /// Bytes that are there.
        found: usize,
        /// Bytes that are needed.
        needed: usize,
    },
    /// There are bytes behind the end.
    #[error("the artifact has {0} bytes behind its end")]
    Long(usize),
    /// The layout is another one.
    #[error("the artifact has layout {found} and this release reads {known}")]
    Version {
        /// The version found.
        found: u32,
        /// The version known.
        known: u32,
    },
    /// The kind is unknown, or not the one that the job makes.
    #[error("the artifact is of kind {0}")]
    Kind(u32),
    /// A value is out of its range.
    #[error("the artifact's {what} is {value}, must be below {limit}")]
    Range {
        /// What is wrong.
        what: &'static str,
        /// Its value.
        value: u64,
        /// The first value that is too large.
        limit: u64,
    },
    /// A coordinate is not a number.
    #[error("the artifact has a coordinate that is not a finite number")]
    NotFinite,
    /// A border table is not in its order, or lists something twice.
    #[error("the {what} of the artifact's border are out of order")]
    Order {
        /// Which list.
        what: &'static str,
    },
    /// A crossed edge of a border cell has no crossing.
    #[error("the artifact has no crossing for edge {edge} of border cell {cell:?}")]
    NoCrossing {
        /// The cell, counted from the chunk's origin.
        cell: [u8; 3],
        /// The edge, 0 to 11.
        edge: usize,
    },
}

impl Artifact {
    /// The artifact's bytes.
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        let mut out = ARTIFACT_VERSION.to_le_bytes().to_vec();
        match self {
            Artifact::Chunk(ChunkArtifact { chunk, materials }) => {
                let Chunk { vertices, core, border, counts } = chunk;
                out.extend(0_u32.to_le_bytes());
                section(&mut out, std::slice::from_ref(counts));
                section(&mut out, vertices);
                section(&mut out, core);
                section(&mut out, &border.cells);
                section(&mut out, &border.vertices);
                section(&mut out, &border.crossings);
                section(&mut out, &raw_materials(materials));
            }
            Artifact::Seam(SeamArtifact { seam, materials }) => {
                out.extend(1_u32.to_le_bytes());
                section(&mut out, std::slice::from_ref(&seam.counts));
                section(&mut out, &seam.added);
                section(&mut out, &seam.triangles);
                section(&mut out, &raw_materials(materials));
            }
            Artifact::Scene(SceneArtifact { counts, glb }) => {
                out.extend(2_u32.to_le_bytes());
                section(&mut out, std::slice::from_ref(counts));
                section(&mut out, glb);
            }
            Artifact::Picture(png) => {
                out.extend(3_u32.to_le_bytes());
                section(&mut out, png);
            }
            Artifact::ChunkList(json) => {
                out.extend(4_u32.to_le_bytes());
                section(&mut out, json);
            }
        }
        out
    }

    /// The artifact with these bytes.
    ///
    /// # Errors
    /// If the bytes are not what [`Artifact::encode`] made. Any bytes may be given.
    pub fn decode(bytes: &[u8]) -> Result<Self, ArtifactError> {
        let mut rest = bytes;
        let found = read_u32(&mut rest)?;
        if found != ARTIFACT_VERSION {
            return Err(ArtifactError::Version { found, known: ARTIFACT_VERSION });
        }
        let artifact = match read_u32(&mut rest)? {
            0 => Artifact::Chunk(decode_chunk(&mut rest)?),
            1 => Artifact::Seam(decode_seam(&mut rest)?),
            2 => {
                let counts = single(&mut rest)?;
                Artifact::Scene(SceneArtifact { counts, glb: records(&mut rest)? })
            }
            3 => Artifact::Picture(records(&mut rest)?),
            4 => Artifact::ChunkList(records(&mut rest)?),
            kind => return Err(ArtifactError::Kind(kind)),
        };
        if rest.is_empty() { Ok(artifact) } else { Err(ArtifactError::Long(rest.len())) }
    }
}

fn raw_materials(materials: &[MaterialId]) -> Vec<u8> {
    materials.iter().map(|material| material.0).collect()
}

fn section<T: NoUninit>(out: &mut Vec<u8>, records: &[T]) {
    out.extend((records.len() as u64).to_le_bytes());
    out.extend(bytemuck::cast_slice::<T, u8>(records));
}

fn decode_chunk(rest: &mut &[u8]) -> Result<ChunkArtifact, ArtifactError> {
    let counts = single(rest)?;
    let vertices: Vec<Vertex> = records(rest)?;
    let core: Vec<[u32; 3]> = records(rest)?;
    let cells: Vec<BorderCell> = records(rest)?;
    let border_vertices: Vec<BorderVertex> = records(rest)?;
    let crossings: Vec<BorderCrossing> = records(rest)?;
    let materials = material_ids(rest, vertices.len())?;
    for &index in core.iter().flatten() {
        in_range("vertex", index.into(), vertices.len() as u64)?;
    }
    all_finite(&vertices)?;
    let border = BorderTable { cells, vertices: border_vertices, crossings };
    check_border(&border)?;
    Ok(ChunkArtifact { chunk: Chunk { vertices, core, border, counts }, materials })
}

/// A border table that passes can be made a seam of: tables are in order, cells have the vertices of all their loops
/// and the crossings of all their edges.
fn check_border(BorderTable { cells, vertices, crossings }: &BorderTable) -> Result<(), ArtifactError> {
    for vertex in vertices {
        finite(&vertex.position)?;
        finite(&vertex.own_position)?;
        finite(&vertex.normal)?;
    }
    for crossing in crossings {
        in_range("edge", crossing.edge.into(), 7)?;
        in_range("axis", (crossing.edge & 3).into(), 3)?;
        crossing.local.iter().try_for_each(|&c| in_range("border edge", c.into(), 33))?;
        finite(&[crossing.t])?;
        finite(&crossing.normal)?;
    }
    ascending("crossings", crossings.iter().map(|c| edge_order(c.local, c.edge & 3)))?;
    ascending("cells", cells.iter().map(|cell| edge_order(cell.local, 0)))?;
    for cell in cells {
        cell.local.iter().try_for_each(|&c| in_range("border cell", c.into(), 32))?;
        let mask = CellMask(cell.mask);
        let end = u64::from(cell.first_vertex) + u64::from(loops(mask).count);
        in_range("end of a border cell's vertices", end, vertices.len() as u64 + 1)?;
        for edge in (0..12).map(CellEdge::from_index).filter(|&edge| mask.crosses(edge)) {
            let end = lower_end(cell.local.map(usize::from), edge).map(|c| c as u8);
            let wanted = edge_order(end, edge.axis() as u8);
            let found = crossings.binary_search_by_key(&wanted, |c| edge_order(c.local, c.edge & 3));
            found.map_err(|_| ArtifactError::NoCrossing { cell: cell.local, edge: edge.index() })?;
        }
    }
    Ok(())
}

/// The order of a border table: z, y, x, axis.
fn edge_order([x, y, z]: [u8; 3], axis: u8) -> [u8; 4] {
    [z, y, x, axis]
}

fn ascending(what: &'static str, order: impl Iterator<Item = [u8; 4]>) -> Result<(), ArtifactError> {
    if order.is_sorted_by(|a, b| a < b) { Ok(()) } else { Err(ArtifactError::Order { what }) }
}

fn decode_seam(rest: &mut &[u8]) -> Result<SeamArtifact, ArtifactError> {
    let counts: SeamCounts = single(rest)?;
    let added: Vec<Vertex> = records(rest)?;
    let triangles: Vec<[VertexName; 3]> = records(rest)?;
    let materials = material_ids(rest, added.len())?;
    all_finite(&added)?;
    Ok(SeamArtifact { seam: Seam { added, triangles, counts }, materials })
}

fn material_ids(rest: &mut &[u8], vertices: usize) -> Result<Vec<MaterialId>, ArtifactError> {
    let ids: Vec<u8> = records(rest)?;
    if ids.len() != vertices {
        return Err(ArtifactError::Short { found: ids.len(), needed: vertices });
    }
    Ok(ids.into_iter().map(MaterialId).collect())
}

fn records<T: NoUninit + AnyBitPattern>(rest: &mut &[u8]) -> Result<Vec<T>, ArtifactError> {
    let count = u64::from_le_bytes(*take::<8>(rest)?);
    let short = |needed| ArtifactError::Short { found: rest.len(), needed };
    let bytes = usize::try_from(count).ok().and_then(|count| count.checked_mul(size_of::<T>()));
    let bytes = bytes.ok_or_else(|| short(usize::MAX))?;
    let (records, behind) = rest.split_at_checked(bytes).ok_or_else(|| short(bytes))?;
    *rest = behind;
    let mut found = vec![T::zeroed(); records.len() / size_of::<T>()];
    bytemuck::cast_slice_mut::<T, u8>(&mut found).copy_from_slice(records);
    Ok(found)
}

fn single<T: NoUninit + AnyBitPattern>(rest: &mut &[u8]) -> Result<T, ArtifactError> {
    let all: Vec<T> = records(rest)?;
    match all.as_slice() {
        [one] => Ok(*one),
        other => Err(ArtifactError::Range { what: "record count", value: other.len() as u64, limit: 2 }),
    }
}

fn read_u32(rest: &mut &[u8]) -> Result<u32, ArtifactError> {
    take::<4>(rest).map(|bytes| u32::from_le_bytes(*bytes))
}

fn take<'a, const N: usize>(rest: &mut &'a [u8]) -> Result<&'a [u8; N], ArtifactError> {
    let short = ArtifactError::Short { found: rest.len(), needed: N };
    let (head, behind) = rest.split_first_chunk::<N>().ok_or(short)?;
    *rest = behind;
    Ok(head)
}

fn in_range(what: &'static str, value: u64, limit: u64) -> Result<(), ArtifactError> {
    if value < limit { Ok(()) } else { Err(ArtifactError::Range { what, value, limit }) }
}

fn finite(values: &[f32]) -> Result<(), ArtifactError> {
    if values.iter().all(|v| v.is_finite()) { Ok(()) } else { Err(ArtifactError::NotFinite) }
}

fn all_finite(vertices: &[Vertex]) -> Result<(), ArtifactError> {
    vertices.iter().try_for_each(|v| finite(&v.position).and_then(|()| finite(&v.normal)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use weald_contour::VertexKind;
    use weald_space::Lod;

    fn vertex() -> impl Strategy<Value = Vertex> {
        (prop::array::uniform3(-9..133_i32), 0..40_u16, prop::array::uniform3(-1.0..33_f32)).prop_map(
            |(cell, i, position)| Vertex {
                name: VertexName::new(Lod::FINEST, cell, VertexKind::Loop(i)),
                position,
                normal: [0.0, 0.0, 1.0],
            },
        )
    }

    /// A border of one cell, of which one corner lies inside.
    fn border() -> BorderTable {
        let crossing = |local, edge| BorderCrossing { local, edge, t: 0.25, normal: [1.0, 0.0, 0.0] };
        let vertex =
            BorderVertex { position: [1.5; 3], own_position: [1.25; 3], normal: [0.0, 0.0, 1.0], calm: 0 };
        BorderTable {
            cells: vec![BorderCell { local: [1, 2, 31], mask: 1, first_vertex: 1 }],
            vertices: vec![vertex; 2],
            crossings: [4, 5, 6].map(|edge| crossing([1, 2, 31], edge)).to_vec(),
        }
    }

    fn with_border(change: impl FnOnce(&mut BorderTable)) -> Result<Artifact, ArtifactError> {
        let mut border = border();
        change(&mut border);
        let chunk = Chunk { border, ..Chunk::default() };
        Artifact::decode(&Artifact::Chunk(ChunkArtifact { chunk, materials: vec![] }).encode())
    }

    #[test]
    fn a_border_that_no_seam_can_be_made_of_is_refused() {
        assert!(with_border(|_| ()).is_ok());
        let range =
            |change: fn(&mut BorderTable)| matches!(with_border(change), Err(ArtifactError::Range { .. }));
        assert!(range(|border| border.cells[0].first_vertex = 2));
        assert!(range(|border| border.cells[0].first_vertex = u32::MAX));
        let order =
            |change: fn(&mut BorderTable)| matches!(with_border(change), Err(ArtifactError::Order { .. }));
        assert!(order(|border| border.crossings.swap(0, 2)));
        assert!(order(|border| border.cells.push(border.cells[0])));
        let missing = Err(ArtifactError::NoCrossing { cell: [1, 2, 31], edge: 4 });
        assert_eq!(with_border(|border| border.crossings.retain(|crossing| crossing.edge != 5)), missing);
    }

    fn artifact() -> impl Strategy<Value = Artifact> {
        let chunk = (
            prop::collection::vec(vertex(), 3..9),
            prop::collection::vec(prop::array::uniform3(0..3_u32), 0..9),
        );
        let seam = prop::collection::vec(vertex(), 0..9);
        prop_oneof![
            chunk.prop_map(|(vertices, core)| {
                let border = border();
                let materials = (0..vertices.len()).map(|i| MaterialId(i as u8)).collect();
                let counts = ChunkCounts { cells: 5, ..ChunkCounts::default() };
                Artifact::Chunk(ChunkArtifact { chunk: Chunk { vertices, core, border, counts }, materials })
            }),
            seam.prop_map(|added| {
                let triangles = added.iter().map(|v| [v.name; 3]).collect();
                let materials = vec![MaterialId(3); added.len()];
                let counts = SeamCounts { polygons: 4, ..SeamCounts::default() };
                Artifact::Seam(SeamArtifact { seam: Seam { added, triangles, counts }, materials })
            }),
            prop::collection::vec(any::<u8>(), 0..40).prop_map(|glb| {
                Artifact::Scene(SceneArtifact {
                    counts: SceneCounts { chunks: 3, ..SceneCounts::default() },
                    glb,
                })
            }),
            prop::collection::vec(any::<u8>(), 0..40).prop_map(Artifact::Picture),
            prop::collection::vec(any::<u8>(), 0..40).prop_map(Artifact::ChunkList),
        ]
    }

    proptest! {
        #[test]
        fn artifacts_come_back_from_their_bytes(artifact in artifact()) {
            prop_assert_eq!(Artifact::decode(&artifact.encode()), Ok(artifact));
        }

        #[test]
        fn a_shortened_artifact_is_refused(artifact in artifact(), cut in 1..200_usize) {
            let bytes = artifact.encode();
            let end = bytes.len().saturating_sub(cut);
            prop_assert!(Artifact::decode(&bytes[..end]).is_err());
        }

        #[test]
        fn no_bytes_make_the_reader_panic(artifact in artifact(), at in any::<prop::sample::Index>(), byte in any::<u8>()) {
            let mut bytes = artifact.encode();
            let at = at.index(bytes.len());
            bytes[at] = byte;
            let _ = Artifact::decode(&bytes);
        }

        #[test]
        fn noise_is_refused_or_read(bytes in prop::collection::vec(any::<u8>(), 0..64), kind in 0..6_u32) {
            let mut framed = ARTIFACT_VERSION.to_le_bytes().to_vec();
            framed.extend(kind.to_le_bytes());
            framed.extend(bytes);
            let _ = Artifact::decode(&framed);
        }
    }
}
