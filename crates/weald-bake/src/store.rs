//! A folder of artifacts by key.
//!
//! `store/ab/<key>` holds the artifact whose key begins with `ab`: a head, the artifact's bytes and their blake3 hash.
//! A file is written beside its place and renamed, so a store is whole after a crash at any moment. What is read is
//! checked against its hash; a damaged artifact counts as absent and is told ([`Found::Damaged`]), never trusted.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use crate::artifact::{Artifact, ArtifactError};
use crate::key::JobKey;

/// First bytes of every stored file.
const HEAD: &[u8; 16] = b"weald artifact 1";
/// Name and content of the file that marks a folder as a store.
const MARK: (&str, &str) = ("weald-store", "weald store 1\n");
/// Bytes around the artifact: head and hash.
const FRAME: u64 = 16 + 32;
/// Beginning of the names of files that are being written.
const PART: &str = ".part-";
/// A file that has been written for longer than this belongs to a program that is no more.
const STALE: Duration = Duration::from_secs(3600);
/// A file with more bytes than this is read to here only, so that it counts as damaged.
const MAX_ARTIFACT: u64 = 8 << 30;

/// What changes how a store is kept, never what is in it.
#[derive(Clone, Copy, Debug, Default)]
pub struct StoreOptions {
    /// The store takes no more than this many bytes; more is refused as on a full disk.
    pub max_bytes: Option<u64>,
}

/// What a store has for a key.
#[derive(Clone, Debug, PartialEq)]
pub enum Found {
    /// The artifact.
    Whole(Artifact),
    /// Nothing.
    Nothing,
    /// A file that is not what was written; it will be made anew.
    Damaged {
        /// The file.
        file: PathBuf,
        /// What is wrong with it.
        why: String,
    },
}

/// The store cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// A folder or file cannot be made or written.
    #[error("cannot write: {source} ({})", path.display())]
    Write {
        /// The folder or file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// A file cannot be read.
    #[error("cannot read: {source} ({})", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The limit on the store's size is reached.
    #[error(
        "the store is full: {used} bytes are used, {needed} more are needed, and the limit is {limit} ({})",
        path.display()
    )]
    Full {
        /// The store's folder.
        path: PathBuf,
        /// Bytes in the store.
        used: u64,
        /// Bytes of the next artifact.
        needed: u64,
        /// The limit.
        limit: u64,
    },
    /// The folder holds something else.
    #[error("the folder holds other things and is none of ours; nothing was written ({})", path.display())]
    NotOurs {
        /// The folder.
        path: PathBuf,
    },
}

/// A place that keeps artifacts by key: a folder ([`Store`]) or memory ([`MemoryStore`]).
pub trait Artifacts: Sync {
    /// What is kept for the key.
    ///
    /// # Errors
    /// If something is there that cannot be read. Something that can be read and is wrong is no error:
    /// [`Found::Damaged`].
    fn get(&self, key: JobKey) -> Result<Found, StoreError>;

    /// Keeps an artifact under its key, in place of what was there.
    ///
    /// # Errors
    /// If it cannot be written, or the place is full. What was there before is then still there.
    fn put(&self, key: JobKey, artifact: &Artifact) -> Result<(), StoreError>;
}

/// Artifacts kept as long as the program runs: for studios that try things out, and for tests.
#[derive(Debug, Default)]
pub struct MemoryStore(Mutex<BTreeMap<JobKey, Artifact>>);

impl Artifacts for MemoryStore {
    fn get(&self, key: JobKey) -> Result<Found, StoreError> {
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        Ok(kept.get(&key).cloned().map_or(Found::Nothing, Found::Whole))
    }

    fn put(&self, key: JobKey, artifact: &Artifact) -> Result<(), StoreError> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(key, artifact.clone());
        Ok(())
    }
}

impl MemoryStore {
    /// All that is kept.
    #[must_use]
    pub fn into_inner(self) -> BTreeMap<JobKey, Artifact> {
        self.0.into_inner().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A folder of artifacts.
#[derive(Debug)]
pub struct Store {
    folder: PathBuf,
    options: StoreOptions,
    used: AtomicU64,
}

impl Store {
    /// Opens a store, or makes one in a missing folder, or one that holds nothing but files half-written by us.
    ///
    /// # Errors
    /// If the folder cannot be written, or holds something else.
    pub fn open(folder: &Path, options: StoreOptions) -> Result<Self, StoreError> {
        let write_error = |source| StoreError::Write { path: folder.to_owned(), source };
        fs::create_dir_all(folder).map_err(write_error)?;
        let mark = folder.join(MARK.0);
        if !mark.exists() {
            if !is_blank(folder).map_err(write_error)? {
                return Err(StoreError::NotOurs { path: folder.to_owned() });
            }
            replace(&mark, MARK.1.as_bytes())?;
        }
        sweep(folder);
        let used = AtomicU64::new(if options.max_bytes.is_some() { size_of_folder(folder) } else { 0 });
        Ok(Store { folder: folder.to_owned(), options, used })
    }

    /// Whether the folder is a store.
    #[must_use]
    pub fn is_at(folder: &Path) -> bool {
        folder.join(MARK.0).is_file()
    }

    fn file(&self, key: JobKey) -> PathBuf {
        let name = key.to_string();
        self.folder.join(&name[..2]).join(name)
    }

    fn reserve(&self, needed: u64) -> Result<(), StoreError> {
        let used = self.used.fetch_add(needed, Ordering::Relaxed);
        match self.options.max_bytes {
            Some(limit) if used + needed > limit => {
                self.used.fetch_sub(needed, Ordering::Relaxed);
                Err(StoreError::Full { path: self.folder.clone(), used, needed, limit })
            }
            _ => Ok(()),
        }
    }
}

impl Artifacts for Store {
    fn get(&self, key: JobKey) -> Result<Found, StoreError> {
        let file = self.file(key);
        let bytes = match read_capped(&file) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Found::Nothing),
            Err(source) => return Err(StoreError::Read { path: file, source }),
        };
        Ok(match unframe(&bytes) {
            Ok(artifact) => Found::Whole(artifact),
            Err(why) => Found::Damaged { file, why },
        })
    }

    fn put(&self, key: JobKey, artifact: &Artifact) -> Result<(), StoreError> {
        let payload = artifact.encode();
        let needed = payload.len() as u64 + FRAME;
        let file = self.file(key);
        self.reserve(needed)?;
        let folder = self.folder.join(&key.to_string()[..2]);
        fs::create_dir_all(&folder).map_err(|source| StoreError::Write { path: folder, source })?;
        let hash = blake3::hash(&payload);
        replace_parts(&file, &[&HEAD[..], &payload, hash.as_bytes()])
    }
}

/// Writes a file in one step: beside its place, then renamed over it.
///
/// # Errors
/// If it cannot be written; what was there before is then still there.
pub fn replace(file: &Path, bytes: &[u8]) -> Result<(), StoreError> {
    replace_parts(file, &[bytes])
}

fn replace_parts(file: &Path, parts: &[&[u8]]) -> Result<(), StoreError> {
    let fail = |source| StoreError::Write { path: file.to_owned(), source };
    let folder = file.parent().unwrap_or(Path::new("."));
    let mut beside = tempfile::Builder::new().prefix(PART).tempfile_in(folder).map_err(fail)?;
    for part in parts {
        beside.write_all(part).map_err(fail)?;
    }
    open_to_readers(beside.as_file()).map_err(fail)?;
    beside.persist(file).map_err(|error| fail(error.error))?;
    Ok(())
}

/// Gives a temporary file, which only its owner may read, the rights of any other file.
fn open_to_readers(file: &File) -> io::Result<()> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        file.set_permissions(fs::Permissions::from_mode(0o644))?;
    }
    let _ = file;
    Ok(())
}

/// Whether a folder holds nothing, or only what a program that was ended while it wrote has left.
///
/// # Errors
/// If it cannot be read.
pub fn is_blank(folder: &Path) -> io::Result<bool> {
    for entry in fs::read_dir(folder)? {
        if !is_half_written(&entry?) {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Whether this is a file that [`replace`] had not finished.
pub(crate) fn is_half_written(entry: &fs::DirEntry) -> bool {
    entry.file_name().to_string_lossy().starts_with(PART)
}

fn read_capped(file: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    File::open(file)?.take(MAX_ARTIFACT + FRAME).read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn unframe(bytes: &[u8]) -> Result<Artifact, String> {
    let body = bytes.strip_prefix(HEAD).ok_or_else(|| "it does not begin as an artifact".to_owned())?;
    let (payload, hash) = body.split_last_chunk::<32>().ok_or_else(|| "it ends too early".to_owned())?;
    if blake3::hash(payload) != blake3::Hash::from_bytes(*hash) {
        return Err("its hash is another one".to_owned());
    }
    Artifact::decode(payload).map_err(|error: ArtifactError| error.to_string())
}

/// Removes what programs that were ended while they wrote have left. What cannot be removed stays.
fn sweep(folder: &Path) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        let stale = |meta: fs::Metadata| meta.modified().ok()?.elapsed().ok().map(|age| age > STALE);
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            sweep(&path);
        } else if is_half_written(&entry) && entry.metadata().ok().and_then(stale) == Some(true) {
            let _ = fs::remove_file(&path);
        }
    }
}

fn size_of_folder(folder: &Path) -> u64 {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries
        .map(|entry| match entry.metadata() {
            Ok(meta) if meta.is_dir() => size_of_folder(&entry.path()),
            Ok(meta) => meta.len(),
            Err(_) => 0,
        })
        .sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::key::KeyHasher;

    fn key(i: i64) -> JobKey {
        KeyHasher::new("test").int(i).finish()
    }

    #[test]
    fn what_is_put_is_got() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(&folder.path().join("s"), StoreOptions::default()).unwrap();
        let artifact = Artifact::Picture(vec![1, 2, 3]);
        assert_eq!(store.get(key(1)).unwrap(), Found::Nothing);
        store.put(key(1), &artifact).unwrap();
        assert_eq!(store.get(key(1)).unwrap(), Found::Whole(artifact));
    }

    #[test]
    fn every_flipped_or_missing_byte_is_found() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(folder.path(), StoreOptions::default()).unwrap();
        let artifact = Artifact::Picture((0..64).collect());
        store.put(key(1), &artifact).unwrap();
        let whole = fs::read(store.file(key(1))).unwrap();
        for i in 0..whole.len() {
            let mut damaged = whole.clone();
            damaged[i] ^= 0x10;
            fs::write(store.file(key(1)), &damaged).unwrap();
            assert!(matches!(store.get(key(1)).unwrap(), Found::Damaged { .. }), "byte {i}");
            fs::write(store.file(key(1)), &whole[..i]).unwrap();
            assert!(matches!(store.get(key(1)).unwrap(), Found::Damaged { .. }), "length {i}");
        }
        store.put(key(1), &artifact).unwrap();
        assert_eq!(store.get(key(1)).unwrap(), Found::Whole(artifact));
    }

    #[test]
    fn a_full_store_refuses_and_keeps_what_it_has() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(folder.path(), StoreOptions { max_bytes: Some(400) }).unwrap();
        let artifact = Artifact::Picture(vec![7; 100]);
        store.put(key(1), &artifact).unwrap();
        let stored = [1, 2, 3, 4].map(|i| store.put(key(i), &artifact).is_ok());
        assert_eq!(stored, [true, false, false, false]);
        assert_eq!(store.get(key(1)).unwrap(), Found::Whole(artifact));
        assert_eq!(store.get(key(3)).unwrap(), Found::Nothing);
        let again = Store::open(folder.path(), StoreOptions { max_bytes: Some(400) }).unwrap();
        assert!(matches!(again.put(key(9), &Artifact::Picture(vec![7; 300])), Err(StoreError::Full { .. })));
    }

    #[test]
    fn what_an_ended_program_left_is_swept_and_what_is_being_written_is_not() {
        let folder = tempfile::tempdir().unwrap();
        Store::open(folder.path(), StoreOptions::default()).unwrap();
        fs::create_dir(folder.path().join("ab")).unwrap();
        let [old, new] = [".part-old", ".part-new"].map(|name| folder.path().join("ab").join(name));
        fs::write(&new, "half").unwrap();
        let long_ago = std::time::SystemTime::now() - 2 * STALE;
        File::create(&old).unwrap().set_modified(long_ago).unwrap();
        Store::open(folder.path(), StoreOptions::default()).unwrap();
        assert_eq!((old.exists(), new.exists()), (false, true));
    }

    #[test]
    fn a_store_whose_making_was_ended_is_made_anew() {
        let folder = tempfile::tempdir().unwrap();
        let out = folder.path().join("out");
        fs::create_dir_all(out.join("store")).unwrap();
        for half_written in [false, true] {
            if half_written {
                fs::write(out.join("store/.part-mark"), "weald").unwrap();
            }
            crate::manifest::claim(&out).unwrap();
            Store::open(&out.join("store"), StoreOptions::default()).unwrap();
            fs::remove_file(out.join("store").join(MARK.0)).unwrap();
        }
        for letter in ["letter.txt", "store/letter.txt"] {
            fs::write(out.join(letter), "dear").unwrap();
            assert!(matches!(crate::manifest::claim(&out), Err(StoreError::NotOurs { .. })));
            fs::remove_file(out.join(letter)).unwrap();
        }
    }

    #[test]
    fn a_folder_with_other_things_is_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("letter.txt"), "dear").unwrap();
        assert!(matches!(
            Store::open(folder.path(), StoreOptions::default()),
            Err(StoreError::NotOurs { .. })
        ));
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }
}
