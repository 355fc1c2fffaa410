//! How a beam's task ends, and how long it sleeps.

use std::future::pending;
use std::time::Duration;

use heliograph_shared::close::CloseCode;
use tokio::sync::mpsc;

use crate::bus::lease::Lease;
use crate::live::beam::handle::Command;

/// Answers the joins that are still in the mailbox. Otherwise each would wake the ended beam, to end it again (S2).
pub(super) async fn turn_away(
    mut mailbox: mpsc::Receiver<Command>,
    mut commands: Vec<Command>,
    code: CloseCode,
) {
    mailbox.close();
    while let Some(command) = mailbox.recv().await {
        commands.push(command);
    }
    for command in commands {
        if let Command::Join(_, outbox, read) = command {
            outbox.close(code);
            let _ = read.send(());
        }
    }
}

/// How a beam's task ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    /// Nobody is in the beam. The next join wakes it.
    Asleep,
    /// Close those who still want to join with this code.
    TurnAway(CloseCode),
}

/// Sleeps for this time, or forever: a saved beam with a device in it has no deadline.
pub(super) async fn sleep(due: Option<Duration>) {
    match due {
        Some(due) => tokio::time::sleep(due).await,
        None => pending().await,
    }
}

/// Waits until another node drives the beam; forever where none could.
pub(super) async fn lost(lease: Option<&Lease>) {
    match lease {
        Some(lease) => lease.lost().await,
        None => pending().await,
    }
}
