//! A tape on the card, and on the processor where that fails.

use std::sync::Arc;

use weald_field::wgsl::Shader;
use weald_field::{EvalScratch, Grid, Tape};

use crate::error::GpuError;
use crate::gpu::{Gpu, Prepared};

/// Where values were computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Backend {
    /// On the card: near the values of the tape.
    Gpu,
    /// On the processor: the values of the tape.
    Cpu,
}

/// Samples a tape on a card as long as there is one. The first error sends it to the processor for good.
#[derive(Debug)]
pub struct Sampler {
    tape: Tape,
    card: Result<Card, Option<GpuError>>,
}

#[derive(Debug)]
struct Card {
    gpu: Arc<Gpu>,
    shader: Shader,
    prepared: Prepared,
}

impl Card {
    fn new(gpu: Arc<Gpu>, tape: &Tape) -> Result<Card, GpuError> {
        let shader = Shader::new(tape)?;
        let prepared = gpu.prepare(&shader.source)?;
        Ok(Card { gpu, shader, prepared })
    }
}

impl Sampler {
    /// Prints the tape and prepares it, if there is a card. What fails is kept as [`Sampler::reason`].
    #[must_use]
    pub fn new(tape: Tape, gpu: Option<Arc<Gpu>>) -> Sampler {
        let card = match gpu {
            Some(gpu) => Card::new(gpu, &tape).map_err(Some),
            None => Err(None),
        };
        Sampler { tape, card }
    }

    /// Values at lattice points, x fastest, then y, then z, and where they were computed.
    ///
    /// # Panics
    /// If `out` does not have one entry a point.
    pub fn sample(&mut self, grid: &Grid, scratch: &mut EvalScratch, out: &mut [f32]) -> Backend {
        assert_eq!(out.len(), grid.len(), "one value a point of the grid");
        if let Ok(Card { gpu, shader, prepared }) = &self.card {
            match gpu.sample(prepared, grid, |piece| shader.tables(piece), out) {
                Ok(()) => return Backend::Gpu,
                Err(error) => self.card = Err(Some(error)),
            }
        }
        self.tape.sample(grid, scratch, out);
        Backend::Cpu
    }

    /// The card, as long as it is used.
    #[must_use]
    pub fn gpu(&self) -> Option<&Gpu> {
        self.card.as_ref().ok().map(|card| &*card.gpu)
    }

    /// Why the card is not used any more; none if it is, or none was given.
    #[must_use]
    pub fn reason(&self) -> Option<&GpuError> {
        self.card.as_ref().err()?.as_ref()
    }

    /// The tape.
    #[must_use]
    pub fn tape(&self) -> &Tape {
        &self.tape
    }
}
