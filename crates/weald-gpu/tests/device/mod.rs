//! The software driver, if it is there.

use weald_gpu::{AdapterKind, Gpu, GpuError, GpuOptions};

/// Whether `WEALD_REQUIRE` turns a missing driver into a failure.
fn required() -> bool {
    std::env::var("WEALD_REQUIRE").is_ok_and(|all| all.split(',').any(|one| one.trim() == "gpu"))
}

/// A software driver opened with these options; none, said aloud, where there is none and none is required.
pub(crate) fn software(options: GpuOptions) -> Option<Gpu> {
    match Gpu::new(&GpuOptions { kind: AdapterKind::Software, ..options }) {
        Ok(gpu) => Some(gpu),
        Err(error @ GpuError::NoAdapter { .. }) if !required() => {
            eprintln!(
                "SKIPPED: {error}; cargo xtask setup installs a software driver where WEALD_REQUIRE has gpu"
            );
            None
        }
        Err(error) => panic!("{error}, and WEALD_REQUIRE has gpu or the driver is broken"),
    }
}
