//! Reads a GLB back as one mesh.
//!
//! The bytes may come from anywhere. The `gltf` crate splits the chunks and types the JSON; every index and every
//! byte range is checked here, since its own validation indexes before it checks.

use std::collections::BTreeMap;

use glam::Vec3;
use gltf::json::accessor::{ComponentType, Type};
use gltf::json::buffer::View;
use gltf::json::mesh::{Mode, Primitive, Semantic};
use gltf::json::validation::Checked::Valid;
use gltf::json::{Accessor, Root};
use serde_json::Value;
use weald_space::WorldPos;

use super::{GlbContents, GlbLimits, GlbMeta, GltfError, MATERIAL_ID, Material, VERTEX_MATERIAL};
use crate::{MaterialId, Mesh};

/// Reads a GLB with one mesh node as one [`Mesh`].
///
/// Primitives over the same accessors share their vertices. A material is known by the id that
/// [`super::write_glb`] gave it, in other files by its place. Where vertices have no material of their own they get
/// the lowest of the primitives that use them. Reads indexed triangles with normals, without sparse accessors,
/// morphing, rotation, scale or hierarchy.
///
/// # Errors
/// If the bytes are no GLB or break the rules of glTF, reach outside the buffer, exceed the limits, or hold what is
/// not read. Positions and normals are taken as they are: [`crate::check()`] says whether they are finite.
pub fn read_glb(bytes: &[u8], limits: &GlbLimits) -> Result<GlbContents, GltfError> {
    let gltf::Glb { json, bin, .. } = split(bytes, limits)?;
    let bin = bin.unwrap_or_default();
    let root: Root = serde_json::from_slice(&json).map_err(malformed)?;
    let raw: Value = serde_json::from_slice(&json).map_err(malformed)?;
    let place = node_of_mesh(&root)?;
    let node = &root.nodes[place];
    let mesh_json = node.mesh.and_then(|mesh| root.meshes.get(mesh.value())).ok_or_else(missing)?;

    let origin = origin_of(&raw["nodes"][place]["translation"])?;
    let source = Source { root: &root, bin: &bin };
    let ids = material_ids(&root)?;
    let mut joined = Joined { mesh: Mesh::new(origin), ..Joined::default() };
    let mut materials = BTreeMap::new();
    for primitive in &mesh_json.primitives {
        let material = primitive.material.map(|material| material.value());
        let id = match material {
            Some(place) => *ids.get(place).ok_or_else(missing)?,
            None => MaterialId::default(),
        };
        materials.insert(id, material.map_or_else(Material::default, |place| material_at(&root, place)));
        joined.add(&source, primitive, id, limits)?;
    }
    let meta = GlbMeta {
        generator: root.asset.generator.clone().unwrap_or_default(),
        name: node.name.clone().unwrap_or_default(),
        extras: raw["asset"]["extras"].clone(),
        vertex_materials: joined.lowest_use.is_empty(),
    };
    Ok(GlbContents { mesh: joined.finish(), materials: materials.into_iter().collect(), meta })
}

fn malformed(error: impl std::fmt::Display) -> GltfError {
    GltfError::Malformed(error.to_string())
}

fn missing() -> GltfError {
    GltfError::Malformed("an index names nothing".into())
}

/// The chunks of the file.
fn split<'a>(bytes: &'a [u8], limits: &GlbLimits) -> Result<gltf::Glb<'a>, GltfError> {
    // The crate subtracts the header from this length before it looks at it.
    let length =
        bytes.get(8..12).and_then(|word| word.try_into().ok()).map_or(0, u32::from_le_bytes) as usize;
    if length < 12 || length > bytes.len() {
        let message = format!("its header says {length} bytes, there are {}", bytes.len());
        return Err(GltfError::Malformed(message));
    }
    let glb = gltf::Glb::from_slice(&bytes[..length]).map_err(malformed)?;
    if glb.json.len() > limits.json_bytes {
        let (count, limit) = (glb.json.len(), limits.json_bytes);
        return Err(GltfError::Limit { what: "bytes of JSON", count, limit });
    }
    Ok(glb)
}

/// The place of the one node with a mesh.
fn node_of_mesh(root: &Root) -> Result<usize, GltfError> {
    let unsupported = |what| Err(GltfError::Unsupported { what });
    if !root.extensions_required.is_empty() {
        return unsupported("required extensions");
    }
    if root.nodes.iter().any(|node| node.children.is_some()) {
        return unsupported("a hierarchy of nodes");
    }
    let mut with_mesh = root.nodes.iter().enumerate().filter(|(_, node)| node.mesh.is_some());
    let (place, node) = match (with_mesh.next(), with_mesh.next()) {
        (Some(one), None) => one,
        (None, _) => return unsupported("no mesh"),
        _ => return unsupported("more than one mesh"),
    };
    let turned = node.rotation.is_some_and(|rotation| rotation.0 != [0.0, 0.0, 0.0, 1.0]);
    let scaled = node.scale.is_some_and(|scale| scale != [1.0; 3]);
    if node.matrix.is_some() || turned || scaled {
        return unsupported("a rotated or scaled node");
    }
    Ok(place)
}

/// The origin in the world's frame, from a node's translation.
fn origin_of(translation: &Value) -> Result<WorldPos, GltfError> {
    if translation.is_null() {
        return Ok(WorldPos::default());
    }
    let coordinate = |axis: usize| translation[axis].as_f64();
    match (coordinate(0), coordinate(1), coordinate(2)) {
        (Some(x), Some(y), Some(z)) => Ok(WorldPos::new(x, 0.0 - z, y)),
        _ => Err(GltfError::Malformed("a translation is not three numbers".into())),
    }
}

/// The id of each material of the file.
fn material_ids(root: &Root) -> Result<Vec<MaterialId>, GltfError> {
    let mut taken = [false; 256];
    let mut ids = Vec::new();
    for (place, material) in root.materials.iter().enumerate() {
        let own = material.extras.as_ref().and_then(|extras| {
            let extras: Value = serde_json::from_str(extras.get()).ok()?;
            extras[MATERIAL_ID].as_u64()
        });
        let id = u8::try_from(own.unwrap_or(place as u64));
        let id = id.map_err(|_| GltfError::Unsupported { what: "more than 256 materials" })?;
        if std::mem::replace(&mut taken[id as usize], true) {
            return Err(GltfError::Malformed(format!("two materials have the id {id}")));
        }
        ids.push(MaterialId(id));
    }
    Ok(ids)
}

fn material_at(root: &Root, place: usize) -> Material {
    let material = &root.materials[place];
    let look = &material.pbr_metallic_roughness;
    Material {
        name: material.name.clone().unwrap_or_default(),
        base_color: look.base_color_factor.0,
        roughness: look.roughness_factor.0,
        metallic: look.metallic_factor.0,
    }
}

/// The mesh as far as it is joined.
#[derive(Default)]
struct Joined {
    mesh: Mesh,
    /// The first vertex and the number of vertices read from each set of attribute accessors.
    sets: BTreeMap<[Option<usize>; 3], (usize, usize)>,
    /// The lowest material of the primitives that use each vertex; empty where vertices have their own.
    lowest_use: Vec<Option<MaterialId>>,
}

impl Joined {
    fn add(
        &mut self,
        source: &Source,
        primitive: &Primitive,
        id: MaterialId,
        limits: &GlbLimits,
    ) -> Result<(), GltfError> {
        if !matches!(primitive.mode, Valid(Mode::Triangles)) {
            return Err(GltfError::Unsupported { what: "primitives that are not triangles" });
        }
        if primitive.targets.is_some() {
            return Err(GltfError::Unsupported { what: "morph targets" });
        }
        let accessor = |semantic: Semantic| primitive.attributes.get(&Valid(semantic)).map(|i| i.value());
        let own_material = Semantic::Extras(VERTEX_MATERIAL[1..].into());
        let set = [accessor(Semantic::Positions), accessor(Semantic::Normals), accessor(own_material)];
        let (first, count) = match self.sets.get(&set) {
            Some(&known) => known,
            None => self.add_vertices(source, set, limits)?,
        };
        let Some(indices) = primitive.indices else {
            return Err(GltfError::Unsupported { what: "primitives without indices" });
        };
        let triangles = source.triangles(indices.value())?;
        let total = self.mesh.triangles.len() + triangles.count / 3;
        within(total, "triangles", limits.triangles)?;
        self.mesh.triangles.reserve_exact(triangles.count / 3);
        for corners in triangles.read_triangles() {
            if let Some(&index) = corners.iter().find(|&&i| i as usize >= count) {
                let triangle = self.mesh.triangles.len();
                return Err(GltfError::IndexOutOfRange { triangle, index, vertices: count });
            }
            let corners = corners.map(|i| first as u32 + i);
            self.mesh.triangles.push(corners);
            for vertex in corners {
                if let Some(lowest) = self.lowest_use.get_mut(vertex as usize) {
                    *lowest = Some(lowest.map_or(id, |known| known.min(id)));
                }
            }
        }
        Ok(())
    }

    fn add_vertices(
        &mut self,
        source: &Source,
        set: [Option<usize>; 3],
        limits: &GlbLimits,
    ) -> Result<(usize, usize), GltfError> {
        let [Some(positions), Some(normals), materials] = set else {
            return Err(GltfError::Unsupported { what: "primitives without positions or normals" });
        };
        let first = self.mesh.positions.len();
        if !self.sets.is_empty() && materials.is_some() != self.lowest_use.is_empty() {
            return Err(GltfError::Unsupported { what: "materials on some of the vertices" });
        }
        let positions = source.elements(positions, Type::Vec3, ComponentType::F32)?;
        let normals = source.elements(normals, Type::Vec3, ComponentType::F32)?;
        let count = positions.count;
        within(first + count, "vertices", limits.vertices)?;
        if normals.count != count {
            return Err(GltfError::Malformed("attributes of one primitive differ in count".into()));
        }
        self.mesh.positions.extend(positions.read_vectors());
        self.mesh.normals.extend(normals.read_vectors());
        match materials {
            Some(accessor) => {
                let ids = source.elements(accessor, Type::Scalar, ComponentType::U8)?;
                if ids.count != count {
                    return Err(GltfError::Malformed("attributes of one primitive differ in count".into()));
                }
                self.mesh.materials.extend(ids.iter().map(|id: [u8; 1]| MaterialId(id[0])));
            }
            None => {
                self.mesh.materials.resize(first + count, MaterialId::default());
                self.lowest_use.resize(first + count, None);
            }
        }
        self.sets.insert(set, (first, count));
        Ok((first, count))
    }

    fn finish(mut self) -> Mesh {
        for (material, lowest) in self.mesh.materials.iter_mut().zip(&self.lowest_use) {
            *material = lowest.unwrap_or_default();
        }
        self.mesh
    }
}

fn within(count: usize, what: &'static str, limit: usize) -> Result<(), GltfError> {
    if count > limit {
        return Err(GltfError::Limit { what, count, limit });
    }
    Ok(())
}

struct Source<'a> {
    root: &'a Root,
    bin: &'a [u8],
}

/// Elements of an accessor whose bytes are all there.
struct Elements<'a> {
    bytes: &'a [u8],
    stride: usize,
    count: usize,
    component: ComponentType,
}

impl<'a> Source<'a> {
    /// An accessor of this type; of indices the component may be any.
    fn elements(
        &self,
        place: usize,
        shape: Type,
        component: ComponentType,
    ) -> Result<Elements<'a>, GltfError> {
        let accessor = self.root.accessors.get(place).ok_or_else(missing)?;
        let found = self.bytes_of(place, accessor)?;
        if !matches!(accessor.type_, Valid(s) if s == shape) || found.component != component {
            return Err(GltfError::Unsupported { what: "vertex attributes of unusual types" });
        }
        Ok(found)
    }

    fn triangles(&self, place: usize) -> Result<Elements<'a>, GltfError> {
        let accessor = self.root.accessors.get(place).ok_or_else(missing)?;
        let found = self.bytes_of(place, accessor)?;
        let counts = matches!(found.component, ComponentType::U8 | ComponentType::U16 | ComponentType::U32);
        if !matches!(accessor.type_, Valid(Type::Scalar)) || !counts || found.count % 3 != 0 {
            return Err(GltfError::Malformed("the indices of a primitive are not triangles".into()));
        }
        Ok(found)
    }

    fn bytes_of(&self, place: usize, accessor: &Accessor) -> Result<Elements<'a>, GltfError> {
        if accessor.sparse.is_some() || accessor.normalized {
            return Err(GltfError::Unsupported { what: "sparse or normalized accessors" });
        }
        let (Valid(component), Valid(shape)) = (accessor.component_type, accessor.type_) else {
            return Err(GltfError::Malformed(format!("accessor {place} has no known type")));
        };
        let view = accessor.buffer_view.and_then(|view| self.root.buffer_views.get(view.value()));
        let view = view.ok_or_else(missing)?;
        let in_chunk = view.buffer.value() == 0 && self.root.buffers.first().is_some_and(|b| b.uri.is_none());
        if !in_chunk {
            return Err(GltfError::Unsupported { what: "buffers outside the file" });
        }
        let size = component.0.size() * shape.multiplicity();
        let stride = view.byte_stride.map_or(size, |stride| stride.0);
        let bytes =
            self.range(view, accessor, size, stride).ok_or(GltfError::OutsideBuffer { accessor: place })?;
        let count = if bytes.is_empty() { 0 } else { (bytes.len() - size) / stride + 1 };
        Ok(Elements { bytes, stride, count, component: component.0 })
    }

    /// The bytes from an accessor's first element to its last, if they lie in the view and the view in the chunk.
    fn range(&self, view: &View, accessor: &Accessor, size: usize, stride: usize) -> Option<&'a [u8]> {
        let offset = |offset: Option<gltf::json::validation::USize64>| offset.map_or(0, |o| o.0 as usize);
        let start = offset(view.byte_offset);
        let view = self.bin.get(start..start.checked_add(view.byte_length.0 as usize)?)?;
        let count = accessor.count.0 as usize;
        if stride < size {
            return None;
        }
        let length = match count.checked_sub(1) {
            Some(before_last) => before_last.checked_mul(stride)?.checked_add(size)?,
            None => 0,
        };
        let start = offset(accessor.byte_offset);
        view.get(start..start.checked_add(length)?)
    }
}

impl Elements<'_> {
    fn iter<const N: usize>(&self) -> impl Iterator<Item = [u8; N]> {
        (0..self.count).map(|i| {
            let start = i * self.stride;
            let mut element = [0; N];
            element.copy_from_slice(&self.bytes[start..start + N]);
            element
        })
    }

    /// Vectors of three f32, from glTF's frame into the world's.
    fn read_vectors(&self) -> impl Iterator<Item = Vec3> {
        self.iter().map(|bytes: [u8; 12]| {
            let [x, y, z]: [f32; 3] = bytemuck::pod_read_unaligned(&bytes);
            Vec3::new(x, -z, y)
        })
    }

    fn read_triangles(&self) -> impl Iterator<Item = [u32; 3]> {
        (0..self.count / 3).map(|triangle| [0, 1, 2].map(|corner| self.index(3 * triangle + corner)))
    }

    fn index(&self, place: usize) -> u32 {
        let bytes = &self.bytes[place * self.stride..];
        match self.component {
            ComponentType::U8 => bytes[0].into(),
            ComponentType::U16 => u16::from_le_bytes([bytes[0], bytes[1]]).into(),
            _ => u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]),
        }
    }
}
