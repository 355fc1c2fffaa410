//! What the system says of changes in a folder, gathered until somebody looks.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use notify::event::{AccessKind, AccessMode, CreateKind, ModifyKind};
use notify::{Event, EventKind, RecommendedWatcher, RecursiveMode, Watcher as _};
use tokio::sync::Notify;

use crate::watched::is_left;

/// Whether what was written to was closed since, by the name at the top of the folder.
pub(super) type Written = BTreeMap<OsString, bool>;

#[derive(Default)]
struct Shared {
    written: Mutex<Written>,
    has_changed: Notify,
}

/// The changes of a folder. They are told as long as this lives.
pub(super) struct Changes {
    shared: Arc<Shared>,
    /// `None` where the system tells nothing: then the folder is looked at from time to time.
    _watcher: Option<RecommendedWatcher>,
}

impl Changes {
    /// Those of a folder, named without symbolic links. Returns why the system tells none, where it does not.
    pub(super) fn of(folder: &Path) -> (Self, Option<notify::Error>) {
        let shared = Arc::new(Shared::default());
        let (hears, root) = (shared.clone(), folder.to_owned());
        let watcher = notify::recommended_watcher(move |event: notify::Result<Event>| {
            hears.heard(&root, event.as_ref().ok());
        });
        let watcher = watcher.and_then(|mut watcher| {
            watcher.watch(folder, RecursiveMode::Recursive)?;
            Ok(watcher)
        });
        match watcher {
            Ok(watcher) => (Self { shared, _watcher: Some(watcher) }, None),
            Err(why) => (Self { shared, _watcher: None }, Some(why)),
        }
    }

    /// Waits for a change. Returns what was written to since the last time. Nothing is lost when the wait is given up.
    pub(super) async fn next(&self) -> Written {
        self.shared.has_changed.notified().await;
        std::mem::take(&mut *self.shared.written.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Shared {
    /// `None` for changes that were not told, as where too many came at once.
    fn heard(&self, root: &Path, event: Option<&Event>) {
        let Some(event) = event else { return self.has_changed.notify_one() };
        // Only where the system also tells of the end.
        let tells_end = cfg!(target_os = "linux");
        let is_closed = match event.kind {
            EventKind::Access(AccessKind::Close(AccessMode::Write)) => Some(true),
            EventKind::Access(_) => return,
            EventKind::Modify(ModifyKind::Data(_)) if tells_end => Some(false),
            // Who has created a file may take a while until they write to it.
            EventKind::Create(CreateKind::File) if tells_end && is_file(event) => Some(false),
            _ => None,
        };
        let names = event.paths.iter().filter_map(|path| {
            let top = path.strip_prefix(root).ok()?.components().next()?;
            Some(top.as_os_str().to_owned())
        });
        let names: Vec<_> = names.filter(|name| !is_left(name)).collect();
        // What comes is written under hidden names, and would be told at each chunk.
        if names.is_empty() && !event.need_rescan() {
            return;
        }
        if let Some(is_closed) = is_closed {
            let mut written = self.written.lock().unwrap_or_else(PoisonError::into_inner);
            written.extend(names.into_iter().map(|name| (name, is_closed)));
        }
        self.has_changed.notify_one();
    }
}

/// Whether what was created is a file: nobody closes a symbolic link or a socket.
fn is_file(event: &Event) -> bool {
    event.paths.iter().any(|path| path.symlink_metadata().is_ok_and(|found| found.is_file()))
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use notify::event::DataChange;

    use super::*;

    #[test]
    fn what_was_created_or_written_to_is_not_closed_before_the_system_says_so() {
        let folder = tempfile::tempdir().unwrap();
        let (root, shared) = (folder.path(), Shared::default());
        fs::write(root.join("file"), "").unwrap();
        fs::create_dir(root.join("folder")).unwrap();
        symlink("file", root.join("folder/link")).unwrap();
        let after = |kind: EventKind, path: &str| {
            shared.heard(root, Some(&Event::new(kind).add_path(root.join(path))));
            std::mem::take(&mut *shared.written.lock().unwrap())
        };
        let written = |is_closed| Written::from([("file".into(), is_closed)]);
        let created = EventKind::Create(CreateKind::File);
        assert_eq!(after(created, "file"), written(false));
        let data = EventKind::Modify(ModifyKind::Data(DataChange::Any));
        assert_eq!(after(data, "file"), written(false));
        let closed = EventKind::Access(AccessKind::Close(AccessMode::Write));
        assert_eq!(after(closed, "file"), written(true));
        // No end of these is told.
        assert_eq!(after(EventKind::Create(CreateKind::Folder), "folder"), Written::new());
        assert_eq!(after(created, "folder/link"), Written::new());
    }
}
