//! The other nodes, as they were heard last.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::{Mutex, MutexGuard, PoisonError};

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
pub(super) struct Others(Mutex<HashMap<Uuid, Node>>);

impl Others {
    /// These are heard. Those that are not are gone, unless they may only not have found the bus yet. Returns whether any is.
    pub fn hear(&self, heard: &HashMap<Uuid, SocketAddr>, may_be_late: bool) -> bool {
        let (mut others, mut any_is_gone) = (self.lock(), false);
        others.retain(|id, node| {
            let is_there = may_be_late || heard.get(id) == Some(&node.address);
            if !is_there {
                any_is_gone = true;
                node.gone.cancel();
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
        let fresh = || Node { id, address, gone: CancellationToken::new() };
        self.lock().entry(id).or_insert_with(fresh).clone()
    }

    /// All of them.
    pub fn all(&self) -> Vec<Node> {
        self.lock().values().cloned().collect()
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<Uuid, Node>> {
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
        assert!(!others.hear(&heard.into(), false));
        let second = others.known(heard[1].0, address);

        assert!(!others.hear(&HashMap::new(), true));
        assert!(!second.gone.is_cancelled());
        assert!(others.hear(&[heard[0]].into(), false));

        assert!(second.gone.is_cancelled());
        assert_eq!(others.all().len(), 1);
    }
}
