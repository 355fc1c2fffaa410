//! The lock by which one program keeps others from what it uses.

use std::fs::{File, TryLockError};
use std::io;

/// Held by the one program that uses something. The system lets go of it when the program ends, however it ends.
#[derive(Debug)]
pub struct FileLock(File);

impl FileLock {
    /// Waits for the program that has the lock of a file. It blocks.
    ///
    /// # Errors
    /// Where the system cannot say.
    pub(super) fn wait(file: File) -> io::Result<Self> {
        match file.lock() {
            Err(error) if !is_without_locks(&error) => Err(error),
            _ => Ok(Self(file)),
        }
    }

    /// Takes the lock of a file; `None` where another program, or another part of this one, has it.
    ///
    /// # Errors
    /// Where the system cannot say.
    pub(super) fn take(file: File) -> io::Result<Option<Self>> {
        match file.try_lock() {
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(error)) if !is_without_locks(&error) => Err(error),
            _ => Ok(Some(Self(file))),
        }
    }
}

impl Drop for FileLock {
    fn drop(&mut self) {
        // A program that was just started from here has the file too, until it runs by itself.
        let _ = self.0.unlock();
    }
}

/// A file system without locks: two programs are the person's to keep apart.
fn is_without_locks(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::Unsupported
}
