//! The progress bar, and Ctrl-C.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use weald::bake::local::{Progress, Stage};

use crate::exit;
use crate::print::grouped;

/// A bar on standard error with an estimate; invisible where that is no terminal, or where it is not wanted.
pub(crate) struct Bar(ProgressBar);

impl Bar {
    pub(crate) fn new(quiet: bool) -> Self {
        let target = if quiet { ProgressDrawTarget::hidden() } else { ProgressDrawTarget::stderr() };
        let bar = ProgressBar::with_draw_target(Some(1), target);
        let style = ProgressStyle::with_template("{bar:32} {percent:>3} %  {eta:>4} left  {msg}");
        bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
        Bar(bar)
    }

    /// Shows how far the bake is.
    pub(crate) fn show(&self, progress: Progress) {
        let Progress { stage, jobs_done, jobs, work_done, work } = progress;
        self.0.set_length(work.max(1));
        self.0.set_position(work_done);
        let name = match stage {
            Stage::Chunks => "chunks",
            Stage::Seams => "seams",
            Stage::Scene => "scene",
            Stage::ChunkList => "list of chunks",
            Stage::Pictures => "pictures",
        };
        self.0.set_message(format!("{name} {} of {}", grouped(jobs_done), grouped(jobs)));
    }
}

impl Bar {
    /// Shows how many of several equal things are done.
    pub(crate) fn count(&self, what: &str, done: u64, all: u64) {
        self.0.set_length(all.max(1));
        self.0.set_position(done);
        self.0.set_message(format!("{what} {} of {}", grouped(done), grouped(all)));
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}

/// A flag that Ctrl-C sets. A second Ctrl-C ends the program at once; the store is whole even then.
pub(crate) fn cancel_on_ctrl_c() -> Arc<AtomicBool> {
    let cancel = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&cancel);
    let handler = move || {
        if flag.swap(true, Ordering::Relaxed) {
            std::process::exit(exit::INTERRUPTED.into());
        }
    };
    // Without a handler Ctrl-C ends the program at once, which the store survives as well.
    let _ = ctrlc::set_handler(handler);
    cancel
}
