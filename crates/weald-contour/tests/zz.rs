//! Scratch.
mod region;
use glam::DVec3;
use weald_field::{EvalScratch, Tape};
use weald_space::{ChunkKey, Lattice};
use weald_testkit::shape::half_spaces;
#[test]
fn zz() {
    let (angles, half) = ([17.0, 31.0, 5.0], DVec3::splat(11.3));
    let centre = DVec3::new(32.137, 32.271, 31.807);
    let tape = Tape::new(&half_spaces(centre, angles, half)).unwrap();
    let r = region::contour(&tape, Lattice::new(1.0).unwrap(), ChunkKey::new(0, 0, 0), 2).unwrap();
    for (k, c) in &r.chunks {
        let mut used = vec![false; c.vertices.len()];
        c.core.iter().flatten().for_each(|&i| used[i as usize] = true);
        println!("{k} {:?}", c.counts);
        for (v, u) in c.vertices.iter().zip(&used) {
            let p = k.origin().0.as_dvec3() + glam::Vec3::from_array(v.position).as_dvec3();
            let mut o = [0.0];
            tape.values(&[p], &mut EvalScratch::default(), &mut o);
            if o[0].abs() > 2e-3 {
                println!("  {:?} {p} off {} used {u}", v.name.kind(), o[0]);
            }
        }
    }
    for (k, c) in &r.seams {
        println!("seam {k} {:?}", c.counts);
        for v in &c.added {
            let p = k.origin().0.as_dvec3() + glam::Vec3::from_array(v.position).as_dvec3();
            let mut o = [0.0];
            tape.values(&[p], &mut EvalScratch::default(), &mut o);
            if o[0].abs() > 2e-3 {
                println!("  {:?} {p} off {}", v.name.kind(), o[0]);
            }
        }
    }
}
