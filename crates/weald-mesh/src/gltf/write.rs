//! Writes a mesh as GLB.

use std::io::Write;

use glam::Vec3;
use serde_json::{Value, json};

use super::json::{print_sorted, short};
use super::{GlbMeta, GltfError, MATERIAL_ID, Material, VERTEX_MATERIAL};
use crate::Mesh;

/// The most bytes that a GLB's 32-bit counts can express, in whole words.
const GLB_LIMIT: u64 = u32::MAX as u64 & !3;

/// The most that a normal's length may differ from 1, well inside what validators of glTF allow (0.0067).
const NORMAL_TOLERANCE: f32 = 1e-3;

/// glTF's numbers for component types and for the uses of buffer views.
const UNSIGNED_BYTE: u32 = 5121;
const UNSIGNED_SHORT: u32 = 5123;
const UNSIGNED_INT: u32 = 5125;
const FLOAT: u32 = 5126;
const ARRAY_BUFFER: u32 = 34962;
const ELEMENT_ARRAY_BUFFER: u32 = 34963;

/// Writes a mesh as GLB into memory.
///
/// A triangle is of the material of most of its corners, or of the lowest if they all differ; a [`crate::MaterialId`]
/// is a place in `materials`. Only the materials that triangles are of enter the file. Indices have 16 bits where
/// those of the primitive fit.
///
/// # Errors
/// If the mesh is empty or breaks its invariants, a position or the origin is not finite, a normal is not of unit
/// length, a material is missing or out of range, the extras are not an object, or the file would reach 4 GiB.
pub fn write_glb(mesh: &Mesh, materials: &[Material], meta: &GlbMeta) -> Result<Vec<u8>, GltfError> {
    let layout = Layout::of(mesh, materials, meta)?;
    let mut out = Vec::with_capacity(layout.file_bytes() as usize);
    layout.write(mesh, &mut out)?;
    Ok(out)
}

/// Writes a mesh as GLB, in many small pieces: give it a buffered writer. Returns the number of bytes.
///
/// Everything is checked before the first byte is written.
///
/// # Errors
/// Those of [`write_glb`], and those of the writer.
pub fn write_glb_to(
    mesh: &Mesh,
    materials: &[Material],
    meta: &GlbMeta,
    out: &mut impl Write,
) -> Result<u64, GltfError> {
    let layout = Layout::of(mesh, materials, meta)?;
    layout.write(mesh, out)?;
    Ok(layout.file_bytes())
}

/// The triangles of one material, in the mesh's order.
struct Primitive {
    material: u8,
    triangles: usize,
    highest: u32,
}

impl Primitive {
    /// The highest 16-bit index is glTF's mark for a restart and cannot name a vertex.
    fn is_short(&self) -> bool {
        self.highest < u32::from(u16::MAX)
    }

    fn bytes(&self) -> u64 {
        3 * self.triangles as u64 * if self.is_short() { 2 } else { 4 }
    }
}

struct Layout {
    /// The material of each triangle.
    of_triangle: Vec<u8>,
    primitives: Vec<Primitive>,
    vertex_materials: bool,
    json: String,
    bin_bytes: u64,
}

impl Layout {
    fn of(mesh: &Mesh, materials: &[Material], meta: &GlbMeta) -> Result<Layout, GltfError> {
        let (low, high) = check_vertices(mesh)?;
        let (of_triangle, primitives) = group_triangles(mesh, materials.len())?;
        for primitive in &primitives {
            check_material(&materials[primitive.material as usize])?;
        }
        if !(meta.extras.is_object() || meta.extras.is_null()) {
            return Err(GltfError::Extras);
        }
        let attributes = if meta.vertex_materials { 28 } else { 24 };
        let indices: u64 = primitives.iter().map(|p| p.bytes().next_multiple_of(4)).sum();
        let bin_bytes = attributes * mesh.positions.len() as u64 + indices;
        let document = describe(mesh, (low, high), &primitives, materials, meta, bin_bytes);
        let mut json = String::new();
        print_sorted(&document, &mut json);
        json.extend(std::iter::repeat_n(' ', json.len().next_multiple_of(4) - json.len()));
        let vertex_materials = meta.vertex_materials;
        let layout = Layout { of_triangle, primitives, vertex_materials, json, bin_bytes };
        let bytes = layout.file_bytes();
        if bytes > GLB_LIMIT {
            return Err(GltfError::TooLarge { bytes, limit: GLB_LIMIT });
        }
        Ok(layout)
    }

    /// A header of three words, and two chunks with one of two words each.
    fn file_bytes(&self) -> u64 {
        28 + self.json.len() as u64 + self.bin_bytes
    }

    fn write(&self, mesh: &Mesh, out: &mut impl Write) -> Result<(), GltfError> {
        let word = |value: u64| (value as u32).to_le_bytes();
        out.write_all(b"glTF")?;
        out.write_all(&word(2))?;
        out.write_all(&word(self.file_bytes()))?;
        out.write_all(&word(self.json.len() as u64))?;
        out.write_all(b"JSON")?;
        out.write_all(self.json.as_bytes())?;
        out.write_all(&word(self.bin_bytes))?;
        out.write_all(b"BIN\0")?;
        for vectors in [&mesh.positions, &mesh.normals] {
            for &vector in vectors {
                let words = y_up(vector).to_array().map(f32::to_le_bytes);
                out.write_all(words.as_flattened())?;
            }
        }
        if self.vertex_materials {
            for material in &mesh.materials {
                out.write_all(&[material.0, 0, 0, 0])?;
            }
        }
        for primitive in &self.primitives {
            self.write_indices(mesh, primitive, out)?;
        }
        Ok(())
    }

    fn write_indices(
        &self,
        mesh: &Mesh,
        primitive: &Primitive,
        out: &mut impl Write,
    ) -> Result<(), GltfError> {
        let of_material = self.of_triangle.iter().zip(&mesh.triangles).filter(|p| *p.0 == primitive.material);
        for (_, &triangle) in of_material {
            if primitive.is_short() {
                out.write_all(triangle.map(|i| (i as u16).to_le_bytes()).as_flattened())?;
            } else {
                out.write_all(triangle.map(u32::to_le_bytes).as_flattened())?;
            }
        }
        let padding = primitive.bytes().next_multiple_of(4) - primitive.bytes();
        out.write_all(&[0; 3][..padding as usize])?;
        Ok(())
    }
}

/// Checks what is said of each vertex, and finds the box of the positions in glTF's frame.
fn check_vertices(mesh: &Mesh) -> Result<(Vec3, Vec3), GltfError> {
    let Mesh { origin, positions, normals, materials, triangles } = mesh;
    if triangles.is_empty() {
        return Err(GltfError::Empty);
    }
    if positions.len() != normals.len() || positions.len() != materials.len() {
        let (positions, normals, materials) = (positions.len(), normals.len(), materials.len());
        return Err(GltfError::UnequalAttributes { positions, normals, materials });
    }
    if let Some(index) = origin.to_array().iter().position(|x| !x.is_finite()) {
        return Err(GltfError::NotFinite { what: "coordinate of the origin", index });
    }
    let (mut low, mut high) = (Vec3::INFINITY, Vec3::NEG_INFINITY);
    for (vertex, (&position, normal)) in positions.iter().zip(normals).enumerate() {
        if !position.is_finite() {
            return Err(GltfError::NotFinite { what: "position", index: vertex });
        }
        let length = normal.length();
        if !((1.0 - NORMAL_TOLERANCE)..=(1.0 + NORMAL_TOLERANCE)).contains(&length) {
            return Err(GltfError::NormalLength { vertex, length });
        }
        low = low.min(y_up(position));
        high = high.max(y_up(position));
    }
    Ok((low, high))
}

/// Finds each triangle's material, and the primitives by ascending material.
fn group_triangles(mesh: &Mesh, materials: usize) -> Result<(Vec<u8>, Vec<Primitive>), GltfError> {
    let vertices = mesh.positions.len();
    let mut groups = [(0, 0); 256];
    let mut of_triangle = Vec::with_capacity(mesh.triangles.len());
    for (triangle, &corners) in mesh.triangles.iter().enumerate() {
        if let Some(&index) = corners.iter().find(|&&i| i as usize >= vertices) {
            return Err(GltfError::IndexOutOfRange { triangle, index, vertices });
        }
        let id = majority(corners.map(|i| mesh.materials[i as usize].0));
        if id as usize >= materials {
            return Err(GltfError::UnknownMaterial { triangle, id, materials });
        }
        of_triangle.push(id);
        let (count, highest) = &mut groups[id as usize];
        *count += 1;
        *highest = corners.into_iter().fold(*highest, u32::max);
    }
    let primitives = (0..=u8::MAX).zip(groups).filter(|(_, (count, _))| *count > 0);
    let primitives =
        primitives.map(|(material, (triangles, highest))| Primitive { material, triangles, highest });
    Ok((of_triangle, primitives.collect()))
}

/// The value that at least two share, else the lowest.
fn majority([a, b, c]: [u8; 3]) -> u8 {
    if b == c {
        b
    } else if a == b || a == c {
        a
    } else {
        a.min(b).min(c)
    }
}

fn check_material(material: &Material) -> Result<(), GltfError> {
    let Material { name, base_color: [r, g, b, a], roughness, metallic } = material;
    let numbers = [
        ("red", r),
        ("green", g),
        ("blue", b),
        ("opacity", a),
        ("roughness", roughness),
        ("metallic", metallic),
    ];
    match numbers.into_iter().find(|(_, value)| !(0.0..=1.0).contains(*value)) {
        Some((what, &value)) => Err(GltfError::MaterialRange { name: name.clone(), what, value }),
        None => Ok(()),
    }
}

/// East, north, up becomes glTF's right, up, back.
fn y_up(v: Vec3) -> Vec3 {
    Vec3::new(v.x, v.z, -v.y)
}

/// The JSON chunk.
fn describe(
    mesh: &Mesh,
    (low, high): (Vec3, Vec3),
    primitives: &[Primitive],
    materials: &[Material],
    meta: &GlbMeta,
    bin_bytes: u64,
) -> Value {
    let GlbMeta { generator, name, extras, vertex_materials } = meta;
    let count = mesh.positions.len();
    let mut parts = Parts::default();
    let exact = |v: Vec3| json!(v.to_array().map(|x| f64::from(x) + 0.0));
    let mut attributes = json!({});
    let position = parts.attribute(12, count, json!({ "componentType": FLOAT, "type": "VEC3" }));
    parts.accessors[position]["min"] = exact(low);
    parts.accessors[position]["max"] = exact(high);
    attributes["POSITION"] = position.into();
    attributes["NORMAL"] =
        parts.attribute(12, count, json!({ "componentType": FLOAT, "type": "VEC3" })).into();
    if *vertex_materials {
        let scalar = json!({ "componentType": UNSIGNED_BYTE, "type": "SCALAR" });
        attributes[VERTEX_MATERIAL] = parts.attribute(4, count, scalar).into();
    }
    let primitives_json: Vec<Value> = (0usize..)
        .zip(primitives)
        .map(|(place, primitive)| {
            let indices = parts.indices(primitive);
            json!({ "attributes": attributes, "indices": indices, "material": place })
        })
        .collect();
    let materials_json: Vec<Value> =
        primitives.iter().map(|p| describe_material(p.material, &materials[p.material as usize])).collect();
    let mut asset = json!({ "version": "2.0", "generator": generator });
    if !extras.is_null() {
        asset["extras"] = extras.clone();
    }
    let [x, y, z] = mesh.origin.to_array();
    json!({
        "asset": asset,
        "scene": 0,
        "scenes": [{ "nodes": [0] }],
        "nodes": [{ "mesh": 0, "name": name, "translation": [x + 0.0, z + 0.0, 0.0 - y] }],
        "meshes": [{ "name": name, "primitives": primitives_json }],
        "materials": materials_json,
        "accessors": parts.accessors,
        "bufferViews": parts.views,
        "buffers": [{ "byteLength": bin_bytes }],
    })
}

fn describe_material(id: u8, material: &Material) -> Value {
    let Material { name, base_color, roughness, metallic } = material;
    let mut described = json!({
        "name": name,
        "pbrMetallicRoughness": {
            "baseColorFactor": base_color.map(short),
            "roughnessFactor": short(*roughness),
            "metallicFactor": short(*metallic),
        },
        "extras": { MATERIAL_ID: id },
    });
    if base_color[3] < 1.0 {
        described["alphaMode"] = "BLEND".into();
    }
    described
}

/// Buffer views, one after the other, each with one accessor.
#[derive(Default)]
struct Parts {
    views: Vec<Value>,
    accessors: Vec<Value>,
    bytes: u64,
}

impl Parts {
    /// Adds a vertex attribute and returns its accessor.
    fn attribute(&mut self, stride: u64, count: usize, accessor: Value) -> usize {
        let bytes = stride * count as u64;
        self.add(bytes, count, accessor, json!({ "byteStride": stride, "target": ARRAY_BUFFER }))
    }

    fn indices(&mut self, primitive: &Primitive) -> usize {
        let component = if primitive.is_short() { UNSIGNED_SHORT } else { UNSIGNED_INT };
        let accessor = json!({ "componentType": component, "type": "SCALAR" });
        let view = json!({ "target": ELEMENT_ARRAY_BUFFER });
        self.add(primitive.bytes(), 3 * primitive.triangles, accessor, view)
    }

    fn add(&mut self, bytes: u64, count: usize, mut accessor: Value, mut view: Value) -> usize {
        accessor["bufferView"] = self.views.len().into();
        accessor["count"] = count.into();
        view["buffer"] = 0.into();
        view["byteOffset"] = self.bytes.into();
        view["byteLength"] = bytes.into();
        self.views.push(view);
        self.accessors.push(accessor);
        self.bytes += bytes.next_multiple_of(4);
        self.accessors.len() - 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_majority_of_corners_gives_the_material() {
        for (corners, expected) in
            [([3, 3, 1], 3), ([1, 3, 3], 3), ([3, 1, 3], 3), ([2, 2, 2], 2), ([7, 5, 6], 5), ([0, 9, 4], 0)]
        {
            assert_eq!(majority(corners), expected, "{corners:?}");
        }
    }
}
