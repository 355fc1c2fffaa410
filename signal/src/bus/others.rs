//! The other nodes, as they were heard last.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::{Mutex, MutexGuard, PoisonError};

use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

/// Another node.
#[derive(Clone, Debug)]
pub struct Node {
    /// Its id.
    pub id: Uuid,
    /// Where it can be reached.
    pub address: SocketAddr,
    /// Cancelled when it is not heard any more.
    pub gone: CancellationToken,
}

/// The other nodes.
#[derive(Debug, Default)]
pub(super) struct Others(Mutex<HashMap<Uuid, Known>>);

#[derive(Debug)]
struct Known {
    node: Node,
    /// When it was heard last.
    heard: Instant,
}

impl Others {
    /// These were heard by whom was asked then. Those that were not are gone, unless they may only not have found the bus yet, or
    /// were heard since then. Returns whether any is.
    pub fn hear(
        &self,
        heard: &HashMap<Uuid, SocketAddr>,
        asked: Instant,
        may_be_late: bool,
    ) -> bool {
        let (mut others, mut any_is_gone) = (self.lock(), false);
        others.retain(|id, known| {
            let is_heard = heard.get(id) == Some(&known.node.address);
            let is_there = is_heard || may_be_late || known.heard > asked;
            if !is_there {
                any_is_gone = true;
                known.node.gone.cancel();
            }
            is_there
        });
        drop(others);
        for (id, address) in heard {
            self.known(*id, *address);
        }
        any_is_gone
    }

    /// A node that is heard.
    pub fn known(&self, id: Uuid, address: SocketAddr) -> Node {
        let now = Instant::now();
        let fresh =
            || Known { node: Node { id, address, gone: CancellationToken::new() }, heard: now };
        let mut others = self.lock();
        let known = others.entry(id).or_insert_with(fresh);
        known.heard = now;
        known.node.clone()
    }

    /// All of them.
    pub fn all(&self) -> Vec<Node> {
        self.lock().values().map(|known| known.node.clone()).collect()
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<Uuid, Known>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_node_that_is_not_heard_is_gone_unless_the_bus_is_new() {
        let (others, address) = (Others::default(), SocketAddr::from(([192, 0, 2, 1], 1)));
        let heard = [1, 2].map(|n| (Uuid::from_bytes([n; 16]), address));
        assert!(!others.hear(&heard.into(), Instant::now(), false));
        let second = others.known(heard[1].0, address);

        assert!(!others.hear(&HashMap::new(), Instant::now(), true));
        assert!(!second.gone.is_cancelled());
        assert!(others.hear(&[heard[0]].into(), Instant::now(), false));

        assert!(second.gone.is_cancelled());
        assert_eq!(others.all().len(), 1);
    }

    #[test]
    fn an_older_answer_lets_no_node_go_that_was_heard_since_it_was_asked_for() {
        let (others, asked) = (Others::default(), Instant::now());
        let fresh = others.known(Uuid::nil(), SocketAddr::from(([192, 0, 2, 1], 1)));
        assert!(!others.hear(&HashMap::new(), asked, false));
        assert!(!fresh.gone.is_cancelled());
    }
}
