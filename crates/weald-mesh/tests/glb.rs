//! Meshes as files: what is written reads back, passes the Khronos validator, and nothing else gets in.

mod shapes;

use std::path::{Path, PathBuf};
use std::process::Command;

use glam::Vec3;
use proptest::prelude::*;
use serde_json::{Value, json};
use shapes::{both, cube, mesh_of, moved, ring, sphere};
use weald_mesh::gltf::{GlbLimits, GlbMeta, GltfError, Material, read_glb, write_glb, write_glb_to};
use weald_mesh::{MaterialId, Mesh, check};
use weald_space::WorldPos;

fn palette(count: u8) -> Vec<Material> {
    (0..count)
        .map(|i| Material {
            name: format!("material \"{i}\" \u{fc}"),
            base_color: [f32::from(i) / 255.0, 0.8, 0.1, 1.0],
            roughness: 0.7,
            metallic: f32::from(i % 2),
        })
        .collect()
}

fn written(mesh: &Mesh) -> Vec<u8> {
    write_glb(mesh, &palette(8), &GlbMeta::default()).expect("the mesh can be written")
}

fn read(bytes: &[u8]) -> Mesh {
    read_glb(bytes, &GlbLimits::default()).expect("the file can be read").mesh
}

/// The material of a triangle, by definition.
fn material_of(mesh: &Mesh, triangle: [u32; 3]) -> MaterialId {
    let ids = triangle.map(|v| mesh.materials[v as usize]);
    let most = ids.iter().find(|&id| ids.iter().filter(|other| *other == id).count() > 1);
    most.copied().unwrap_or(ids[0].min(ids[1]).min(ids[2]))
}

fn any_mesh() -> impl Strategy<Value = Mesh> {
    let number = prop_oneof![-1e4f32..1e4, -1e-3f32..1e-3, Just(0.0), Just(-0.0), -1e30f32..1e30];
    let vertex = (prop::array::uniform3(number), prop::array::uniform3(-1.0f32..1.0), 0u8..8);
    let origin = prop::array::uniform3(prop_oneof![-1e7f64..1e7, Just(0.0), -1e-9f64..1e-9]);
    (prop::collection::vec(vertex, 3..40), origin).prop_flat_map(|(vertices, origin)| {
        let corner = 0..vertices.len() as u32;
        prop::collection::vec(prop::array::uniform3(corner), 1..60).prop_map(move |triangles| {
            let mut mesh = Mesh::new(WorldPos::new(origin[0], origin[1], origin[2]));
            for &(position, normal, material) in &vertices {
                let normal = Vec3::from_array(normal).try_normalize().unwrap_or(Vec3::Z);
                mesh.push_vertex(Vec3::from_array(position), normal, MaterialId(material));
            }
            mesh.triangles = triangles;
            mesh
        })
    })
}

fn bits(mesh: &Mesh) -> Vec<u32> {
    mesh.positions.iter().chain(&mesh.normals).flat_map(|v| v.to_array().map(f32::to_bits)).collect()
}

proptest! {
    #[test]
    fn a_mesh_survives_its_file(mesh in any_mesh()) {
        let contents = read_glb(&written(&mesh), &GlbLimits::default()).unwrap();
        let mut grouped = mesh.clone();
        grouped.triangles.sort_by_key(|&t| material_of(&mesh, t));
        prop_assert_eq!(bits(&contents.mesh), bits(&mesh));
        prop_assert_eq!(&contents.mesh, &grouped);
        prop_assert!(contents.meta == GlbMeta::default());
        for (id, material) in &contents.materials {
            prop_assert_eq!(material, &palette(8)[id.0 as usize]);
        }
        prop_assert_eq!(written(&contents.mesh), written(&mesh), "the file of the file is the file");
    }

    #[test]
    fn bytes_from_anywhere_are_refused_without_a_panic(
        mesh in any_mesh(), at in any::<prop::sample::Index>(), to in any::<u8>(), cut in any::<prop::sample::Index>(),
    ) {
        let mut bytes = written(&mesh);
        let at = at.index(bytes.len());
        bytes[at] = to;
        let _ = read_glb(&bytes, &GlbLimits::default());
        bytes.truncate(cut.index(bytes.len()));
        prop_assert!(read_glb(&bytes, &GlbLimits::default()).is_err());
    }
}

#[test]
fn a_streamed_file_is_the_file() {
    let mesh = ring(30, 20, false);
    let mut out = Vec::new();
    let length = write_glb_to(&mesh, &palette(1), &GlbMeta::default(), &mut out).unwrap();
    assert_eq!(length, out.len() as u64);
    assert_eq!(out, write_glb(&mesh, &palette(1), &GlbMeta::default()).unwrap());
}

#[test]
fn the_union_of_the_primitives_is_closed_and_a_primitive_is_not() {
    let mut mesh = sphere(3);
    for (material, position) in mesh.materials.iter_mut().zip(&mesh.positions) {
        *material = MaterialId(if position.z > 0.2 { 5 } else { 2 });
    }
    let contents = read_glb(&written(&mesh), &GlbLimits::default()).unwrap();
    assert_eq!(contents.materials.iter().map(|m| m.0.0).collect::<Vec<_>>(), [2, 5]);
    let findings = check(&contents.mesh);
    assert!(findings.is_closed() && findings.is_clean() && findings.components.count == 1, "{findings}");
    let mut half = contents.mesh.clone();
    half.triangles.retain(|&t| material_of(&mesh, t) == MaterialId(5));
    assert!(!check(&half).is_closed());
}

#[test]
fn without_vertex_materials_the_lowest_primitive_that_uses_a_vertex_gives_its_material() {
    let mut mesh = mesh_of(&[Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::ONE, Vec3::Z], &[[0, 1, 2], [1, 3, 2]]);
    mesh.materials = [3, 3, 1, 1, 6].map(MaterialId).to_vec();
    let meta = GlbMeta { vertex_materials: false, ..GlbMeta::default() };
    let contents = read_glb(&write_glb(&mesh, &palette(8), &meta).unwrap(), &GlbLimits::default()).unwrap();
    assert_eq!(contents.mesh.materials, [3, 1, 1, 1, 0].map(MaterialId));
    assert_eq!(contents.mesh.positions, mesh.positions);
    assert!(!contents.meta.vertex_materials);
}

#[test]
fn extras_and_names_are_kept_and_sorted() {
    let extras = json!({ "zeta": 1, "alpha": { "y": [1, 2.5, null], "b": "\u{1F332} \"" } });
    let meta = GlbMeta { name: "valley".into(), extras, ..GlbMeta::default() };
    let bytes = write_glb(&cube(), &palette(1), &meta).unwrap();
    assert_eq!(read_glb(&bytes, &GlbLimits::default()).unwrap().meta, meta);
    let text = String::from_utf8_lossy(&bytes);
    assert!(text.contains(r#""extras":{"alpha":{"b":"#) && text.contains(r#","zeta":1}"#));
    assert!(text.contains(r#""baseColorFactor":[0.0,0.8,0.1,1.0]"#), "{text}");
}

#[test]
fn what_cannot_be_written_says_why() {
    let whole = cube();
    let attempt = |change: &dyn Fn(&mut Mesh)| {
        let mut mesh = whole.clone();
        change(&mut mesh);
        write_glb(&mesh, &palette(1), &GlbMeta::default()).unwrap_err().to_string()
    };
    assert!(attempt(&|m| m.triangles.clear()).contains("no triangles"));
    assert!(attempt(&|m| m.triangles[3][1] = 8).contains("triangle 3 names vertex 8, but there are 8"));
    assert!(attempt(&|m| m.positions[2].y = f32::NAN).contains("position 2 is not finite"));
    assert!(
        attempt(&|m| m.origin = WorldPos::new(0.0, f64::INFINITY, 0.0)).contains("origin 1 is not finite")
    );
    assert!(attempt(&|m| m.normals[5] = Vec3::ZERO).contains("vertex 5 has length 0"));
    assert!(attempt(&|m| m.normals[5] = Vec3::NAN).contains("vertex 5 has length NaN"));
    assert!(attempt(&|m| m.materials.fill(MaterialId(4))).contains("material 4, but only 1 materials"));
    assert!(
        attempt(&|m| {
            m.normals.pop();
        })
        .contains("7 normals")
    );

    let loud = [Material { roughness: 1.5, name: "loud".into(), ..Material::default() }];
    let error = write_glb(&whole, &loud, &GlbMeta::default()).unwrap_err();
    assert_eq!(error.to_string(), "roughness of material \"loud\" is 1.5, outside 0 to 1");
    let meta = GlbMeta { extras: json!([1]), ..GlbMeta::default() };
    assert!(matches!(write_glb(&whole, &palette(1), &meta), Err(GltfError::Extras)));
}

/// The file of a cube with its JSON changed; padded like any other.
fn doctored(change: impl Fn(&mut Value)) -> Vec<u8> {
    let bytes = written(&cube());
    let json_length = u32::from_le_bytes([bytes[12], bytes[13], bytes[14], bytes[15]]) as usize;
    let mut document: Value =
        serde_json::from_slice(&bytes[20..20 + json_length]).expect("the chunk is JSON");
    change(&mut document);
    let mut json = document.to_string().into_bytes();
    json.resize(json.len().next_multiple_of(4), b' ');
    let mut out = bytes[..12].to_vec();
    out.extend((json.len() as u32).to_le_bytes());
    out.extend(b"JSON");
    out.extend(json);
    out.extend(&bytes[20 + json_length..]);
    let length = (out.len() as u32).to_le_bytes();
    out[8..12].copy_from_slice(&length);
    out
}

#[test]
fn lies_in_a_file_are_refused() {
    assert_eq!(read(&doctored(|_| {})), cube());
    let huge = json!(u64::MAX);
    let lies: Vec<(&str, Value)> = vec![
        ("/meshes/0/primitives/0/attributes/POSITION", json!(99)),
        ("/meshes/0/primitives/0/indices", json!(99)),
        ("/meshes/0/primitives/0/indices", json!(0)),
        ("/meshes/0/primitives/0/material", json!(7)),
        ("/meshes/0/primitives/0/mode", json!(5)),
        ("/nodes/0/mesh", json!(3)),
        ("/nodes/0/translation", json!(["a", 0, 0])),
        ("/nodes/0/rotation", json!([1.0, 0.0, 0.0, 0.0])),
        ("/nodes/0/children", json!([0])),
        ("/extensionsRequired", json!(["KHR_draco_mesh_compression"])),
        ("/accessors/0/count", huge.clone()),
        ("/accessors/0/count", json!(7)),
        ("/accessors/0/count", json!(9)),
        ("/accessors/0/type", json!("VEC2")),
        ("/accessors/0/componentType", json!(5125)),
        ("/accessors/0/byteOffset", huge.clone()),
        ("/accessors/3/count", json!(35)),
        ("/accessors/3/componentType", json!(5126)),
        ("/accessors/0/bufferView", json!(12)),
        ("/bufferViews/0/byteOffset", huge.clone()),
        ("/bufferViews/0/byteLength", huge),
        ("/bufferViews/0/byteStride", json!(0)),
        ("/bufferViews/0/buffer", json!(1)),
        ("/buffers/0/uri", json!("elsewhere.bin")),
    ];
    for (pointer, lie) in lies {
        let bytes = doctored(|document| {
            let (parent, key) = pointer.rsplit_once('/').unwrap();
            match document.pointer_mut(parent).unwrap() {
                Value::Object(fields) => drop(fields.insert(key.into(), lie.clone())),
                other => panic!("{parent} is {other}"),
            }
        });
        assert!(read_glb(&bytes, &GlbLimits::default()).is_err(), "{pointer} = {lie} was taken");
    }
}

#[test]
fn indices_out_of_range_are_refused() {
    let mut bytes = written(&cube());
    let last = bytes.len() - 1;
    bytes[last] = 1;
    let error = read_glb(&bytes, &GlbLimits::default()).unwrap_err();
    assert_eq!(error.to_string(), "triangle 11 names vertex 261, but there are 8");
}

#[test]
fn limits_hold() {
    let bytes = written(&cube());
    let with = |limits: GlbLimits| read_glb(&bytes, &limits).map_err(|error| error.to_string());
    let whole = GlbLimits { vertices: 8, triangles: 12, ..GlbLimits::default() };
    assert!(with(whole).is_ok());
    let error = with(GlbLimits { vertices: 7, ..whole }).unwrap_err();
    assert_eq!(error, "the file has 8 vertices, more than the limit of 7");
    let error = with(GlbLimits { triangles: 11, ..whole }).unwrap_err();
    assert_eq!(error, "the file has 12 triangles, more than the limit of 11");
    assert!(with(GlbLimits { json_bytes: 100, ..whole }).unwrap_err().contains("more than the limit of 100"));
}

fn several_materials(mut mesh: Mesh) -> Mesh {
    for (material, index) in mesh.materials.iter_mut().zip(0u8..=255) {
        *material = MaterialId(index / 16 % 7);
    }
    mesh
}

#[test]
fn files_pass_the_khronos_validator() {
    let tool = Path::new("../../tools/gltf-validate");
    if !tool.join("node_modules/gltf-validator").exists() {
        let required =
            std::env::var("WEALD_REQUIRE").is_ok_and(|all| all.split(',').any(|one| one == "node"));
        assert!(!required, "run npm ci in tools/gltf-validate");
        eprintln!("SKIPPED: the Khronos validator is not installed; run npm ci in tools/gltf-validate");
        return;
    }
    let far = {
        let mut mesh = several_materials(ring(40, 30, false));
        mesh.origin = WorldPos::new(500_000.123_456_789, 4_600_000.25, -12.5);
        mesh
    };
    let wide = both(moved(sphere(7), Vec3::X * 9.0), &ring(20, 10, false));
    assert!(wide.positions.len() > 65_536);
    let unused = {
        let mut mesh = several_materials(sphere(2));
        mesh.triangles.truncate(30);
        mesh
    };
    let glass = Material { base_color: [0.9, 0.95, 1.0, 0.25], ..Material::default() };
    let bare =
        GlbMeta { vertex_materials: false, extras: json!({ "region": [0, 0, 1, 1] }), ..GlbMeta::default() };
    let files = [
        ("cube", written(&cube())),
        ("far", written(&far)),
        ("wide", written(&wide)),
        ("unused", written(&unused)),
        ("bare", write_glb(&several_materials(sphere(3)), &palette(8), &bare).unwrap()),
        ("glass", write_glb(&cube(), &[glass], &GlbMeta::default()).unwrap()),
    ];
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
    let mut paths = Vec::new();
    for (name, bytes) in files {
        let path = folder.join(format!("{name}.glb"));
        std::fs::write(&path, bytes).unwrap();
        paths.push(path);
    }
    let validate = |paths: &[PathBuf]| {
        let output = Command::new("node").arg(tool.join("validate.mjs")).args(paths).output().unwrap();
        let said =
            String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
        (output.status.code(), said)
    };
    let (code, said) = validate(&paths);
    assert_eq!(code, Some(0), "{said}");
    assert_eq!(said.matches("errors 0 warnings 0 infos 0 hints 0").count(), paths.len(), "{said}");

    let broken = folder.join("broken.glb");
    std::fs::write(&broken, doctored(|document| document["accessors"][0]["max"][0] = json!(0.5))).unwrap();
    let (code, said) = validate(&[broken]);
    assert_eq!(code, Some(1), "the validator sees a wrong maximum: {said}");
}
