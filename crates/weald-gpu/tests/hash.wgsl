@group(0) @binding(0) var<uniform> dims: vec4<u32>;
@group(0) @binding(1) var<storage, read> floats: array<f32>;
@group(0) @binding(2) var<storage, read> ints: array<u32>;
@group(0) @binding(3) var<storage, read_write> out: array<f32>;

@compute @workgroup_size(64)
fn sample(@builtin(global_invocation_id) gid: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
    let point = gid.x + gid.y * (groups.x * 64u);
    if point >= dims.x * dims.y * dims.z {
        return;
    }
    let at = vec3<u32>(point % dims.x, point / dims.x % dims.y, point / (dims.x * dims.y))
        + vec3<u32>(ints[0], ints[1], ints[2]);
    var hash = at.x * 0x9e3779b1u ^ at.y * 0x85ebca77u ^ at.z * 0xc2b2ae3du;
    hash = (hash ^ hash >> 15u) * 0x2c1b3c6du;
    hash = (hash ^ hash >> 12u) * 0x297a2d39u;
    out[point] = f32((hash ^ hash >> 15u) >> 8u);
}
