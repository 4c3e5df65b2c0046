//! The software driver, on which the tests of graphics run where there is no card.

use std::path::Path;
use std::process::Command;

use crate::gates::required;

/// Debian's names of the loader and of the driver, which is llvmpipe.
const PACKAGES: [&str; 2] = ["libvulkan1", "mesa-vulkan-drivers"];

/// Where drivers say that they are there.
const MANIFESTS: [&str; 2] = ["/usr/share/vulkan/icd.d", "/etc/vulkan/icd.d"];

/// Installs the driver by apt where it is missing, and only where graphics are required: it changes the system.
pub(crate) fn setup() -> Result<(), String> {
    if !cfg!(target_os = "linux") || installed() {
        return Ok(());
    }
    if !required("gpu") {
        eprintln!(
            "SKIPPED: there is no software Vulkan driver, so tests of graphics may find none to run on"
        );
        return Ok(());
    }
    println!("setup: installing {} with apt-get, which needs root", PACKAGES.join(" and "));
    apt(&["update", "-q"])?;
    apt(&[&["install", "-y", "-q", "--no-install-recommends"], &PACKAGES[..]].concat())?;
    if installed() {
        Ok(())
    } else {
        Err(format!("apt-get installed {PACKAGES:?}, but no driver is in {MANIFESTS:?}"))
    }
}

/// Whether the loader is in the linker's cache, and the driver says that it is there.
fn installed() -> bool {
    let cache = Command::new("ldconfig").arg("-p").output();
    let listed = |text: &[u8]| String::from_utf8_lossy(text).contains("libvulkan.so.1");
    let entries = |folder: &str| std::fs::read_dir(Path::new(folder)).into_iter().flatten().flatten();
    let mut names = MANIFESTS.into_iter().flat_map(entries).map(|entry| entry.file_name());
    cache.is_ok_and(|output| listed(&output.stdout))
        && names.any(|name| name.to_string_lossy().starts_with("lvp_icd"))
}

fn apt(arguments: &[&str]) -> Result<(), String> {
    let status = Command::new("apt-get").args(arguments).env("DEBIAN_FRONTEND", "noninteractive").status();
    match status {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("apt-get {} failed with {status}", arguments.join(" "))),
        Err(error) => Err(format!("cannot run apt-get: {error}")),
    }
}
