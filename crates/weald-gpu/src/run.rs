//! One piece: up, computed, and down.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc;

use weald_field::wgsl::Tables;
use wgpu::{
    BindGroupDescriptor, BindGroupEntry, Buffer, BufferDescriptor, BufferUsages, CommandEncoderDescriptor,
    MapMode, PollError, PollType, SubmissionIndex,
};

use crate::error::GpuError;
use crate::gpu::{Gpu, Prepared, lock};

/// Points of one workgroup, as the printed modules have it.
const WORKGROUP: usize = 64;

/// The buffers of one piece.
struct Buffers {
    inputs: [Buffer; 3],
    values: Buffer,
    read_back: Buffer,
}

impl Gpu {
    /// Computes one piece, which is within the limits but for its tables.
    pub(crate) fn run(&self, prepared: &Prepared, tables: &Tables, out: &mut [f32]) -> Result<(), GpuError> {
        if out.is_empty() {
            return Ok(());
        }
        let [x, y, z] = tables.dims;
        let dims = [x, y, z, 0];
        let inputs = [bytemuck::cast_slice(&dims), words(&tables.floats), words(&tables.ints)];
        let bytes = size_of_val(out) as u64;
        let limit = self.most_bytes();
        for (what, bytes) in
            [("floats", inputs[1].len()), ("ints", inputs[2].len()), ("values", out.len() * 4)]
        {
            if bytes as u64 > limit {
                return Err(GpuError::AboveLimit { what, bytes: bytes as u64, limit });
            }
        }
        let _turn = lock(&self.turn);
        let needed = 2 * bytes + inputs.iter().map(|input| input.len() as u64).sum::<u64>();
        let (buffers, made) = self.watched(needed, || self.buffers(&inputs, bytes));
        made?;
        let (submission, submitted) = self.watched(needed, || self.submit(prepared, &buffers, out.len()));
        submitted?;
        self.fetch(&buffers.read_back, submission, out)
    }

    fn buffers(&self, inputs: &[&[u8]; 3], bytes: u64) -> Buffers {
        let buffer = |label, size, usage| {
            self.device.create_buffer(&BufferDescriptor {
                label: Some(label),
                size,
                usage,
                mapped_at_creation: false,
            })
        };
        let kinds = [
            ("dims", BufferUsages::UNIFORM),
            ("floats", BufferUsages::STORAGE),
            ("ints", BufferUsages::STORAGE),
        ];
        let inputs = std::array::from_fn(|i| {
            let (label, usage) = kinds[i];
            let made = buffer(label, inputs[i].len() as u64, usage | BufferUsages::COPY_DST);
            self.queue.write_buffer(&made, 0, inputs[i]);
            made
        });
        Buffers {
            inputs,
            values: buffer("values", bytes, BufferUsages::STORAGE | BufferUsages::COPY_SRC),
            read_back: buffer("read back", bytes, BufferUsages::MAP_READ | BufferUsages::COPY_DST),
        }
    }

    fn submit(&self, prepared: &Prepared, buffers: &Buffers, points: usize) -> SubmissionIndex {
        let Buffers { inputs: [dims, floats, ints], values, read_back } = buffers;
        let all = [dims, floats, ints, values];
        let entries: [BindGroupEntry<'_>; 4] = std::array::from_fn(|binding| BindGroupEntry {
            binding: binding as u32,
            resource: all[binding].as_entire_binding(),
        });
        let group = self.device.create_bind_group(&BindGroupDescriptor {
            label: Some("field"),
            layout: &self.layout,
            entries: &entries,
        });
        let mut encoder =
            self.device.create_command_encoder(&CommandEncoderDescriptor { label: Some("field") });
        {
            let mut pass = encoder.begin_compute_pass(&Default::default());
            pass.set_pipeline(&prepared.pipeline);
            pass.set_bind_group(0, &group, &[]);
            let most = self.device.limits().max_compute_workgroups_per_dimension as usize;
            let groups = points.div_ceil(WORKGROUP);
            let wide = groups.min(most);
            pass.dispatch_workgroups(wide as u32, groups.div_ceil(wide) as u32, 1);
        }
        encoder.copy_buffer_to_buffer(values, 0, read_back, 0, read_back.size());
        self.queue.submit([encoder.finish()])
    }

    /// Waits for the values and copies them.
    ///
    /// wgpu panics, in spite of all handlers, where a driver fails while it is waited for, or a buffer is taken away
    /// while it is read. No state of ours is open then, so the panic is caught and becomes a loss.
    fn fetch(&self, buffer: &Buffer, submission: SubmissionIndex, out: &mut [f32]) -> Result<(), GpuError> {
        let waited = catch_unwind(AssertUnwindSafe(|| self.wait_and_copy(buffer, submission, out)));
        match waited {
            Ok(true) => Ok(()),
            Ok(false) => {
                self.settle();
                Err(self.no_answer())
            }
            Err(_) => {
                // Only the first loss counts.
                let _ = self.faults.lost.set("the driver failed while it was waited for".to_owned());
                Err(self.no_answer())
            }
        }
    }

    /// Whether the values came.
    fn wait_and_copy(&self, buffer: &Buffer, submission: SubmissionIndex, out: &mut [f32]) -> bool {
        let (tell, told) = mpsc::channel();
        buffer.map_async(MapMode::Read, .., move |mapped| {
            // Nobody listens any more where the wait was too long.
            let _ = tell.send(mapped.is_ok());
        });
        let wait =
            PollType::Wait { submission_index: Some(submission), timeout: Some(self.options.patience) };
        let waited = self.device.poll(wait);
        if matches!(waited, Err(PollError::Timeout)) || told.try_recv() != Ok(true) {
            return false;
        }
        let view = buffer.get_mapped_range(..);
        for (value, bytes) in out.iter_mut().zip(view.as_chunks().0) {
            *value = f32::from_ne_bytes(*bytes);
        }
        true
    }

    /// Lets the driver say what it has to say.
    pub(crate) fn settle(&self) {
        // What it says comes by the callbacks; a panic of a lost device says no more.
        let _ = catch_unwind(AssertUnwindSafe(|| self.device.poll(PollType::Poll)));
    }
}

/// A table as bytes; one word where there is none, because a binding may not be empty.
fn words<T: bytemuck::NoUninit>(table: &[T]) -> &[u8] {
    if table.is_empty() { &[0; 4] } else { bytemuck::cast_slice(table) }
}
