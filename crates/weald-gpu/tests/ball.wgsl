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
    let at = vec3<u32>(point % dims.x, point / dims.x % dims.y, point / (dims.x * dims.y));
    let place = vec3<f32>(floats[1], floats[2], floats[3]) + floats[0] * vec3<f32>(at);
    out[point] = length(place) - 5.0;
}
