//! The processor takes over where there is no card, or it is lost, and says why.

mod device;

use std::sync::Arc;

use device::software;
use glam::DVec3;
use weald_field::{EvalScratch, Expr, Grid, Tape};
use weald_gpu::{Backend, GpuError, GpuOptions, Sampler};
use weald_space::{Lattice, VoxelPos};

fn ball() -> Tape {
    Tape::new(&Expr::sphere(DVec3::ZERO, 5.0)).expect("a ball is in order")
}

fn grid() -> Grid {
    let lattice = Lattice::new(0.5).expect("half a metre is a power of two");
    Grid { lattice, min: VoxelPos::new(-12, -9, -4), dims: [23, 19, 17] }
}

fn on_the_processor() -> Vec<f32> {
    let mut out = vec![f32::NAN; grid().len()];
    ball().sample(&grid(), &mut EvalScratch::default(), &mut out);
    out
}

#[test]
fn without_a_card_the_values_are_those_of_the_tape() {
    let mut sampler = Sampler::new(ball(), None);
    let mut out = vec![f32::NAN; grid().len()];
    assert_eq!(sampler.sample(&grid(), &mut EvalScratch::default(), &mut out), Backend::Cpu);
    assert_eq!(out, on_the_processor());
    assert_eq!(sampler.reason(), None);
}

#[test]
fn a_lost_card_hands_over_to_the_processor_in_the_middle_of_a_run() {
    let Some(gpu) = software(GpuOptions::default()).map(Arc::new) else { return };
    let (mut scratch, mut out) = (EvalScratch::default(), vec![f32::NAN; grid().len()]);
    let mut sampler = Sampler::new(ball(), Some(Arc::clone(&gpu)));
    assert_eq!(sampler.reason(), None);
    assert_eq!(sampler.sample(&grid(), &mut scratch, &mut out), Backend::Gpu);
    let near = out.iter().zip(on_the_processor()).all(|(a, b)| (a - b).abs() < 1e-4);
    assert!(near, "the card computes another ball");

    gpu.give_back();
    out.fill(f32::NAN);
    assert_eq!(sampler.sample(&grid(), &mut scratch, &mut out), Backend::Cpu);
    assert_eq!(out, on_the_processor());
    let reason = sampler.reason().expect("there is a reason").to_string();
    assert!(reason.contains("was lost") && reason.starts_with(gpu.name()), "{reason}");
    assert!(sampler.gpu().is_none());

    let after = Sampler::new(ball(), Some(gpu));
    assert!(matches!(after.reason(), Some(GpuError::Lost { .. })), "{:?}", after.reason());
}
