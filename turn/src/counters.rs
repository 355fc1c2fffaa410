//! What the server counts for its operator. No addresses and no names.

use std::sync::atomic::{AtomicU64, Ordering};

macro_rules! counters {
    ($($(#[$doc:meta])* $name:ident),+ $(,)?) => {
        /// Counts of all shards, from the start on.
        #[derive(Debug, Default)]
        pub(crate) struct Counters {
            $(pub(crate) $name: Counter,)+
        }

        /// The counts at one moment.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        pub struct Counts {
            $($(#[$doc])* pub $name: u64,)+
            /// Allocations that exist now.
            pub allocations: u64,
        }

        impl Counters {
            pub(crate) fn read(&self, allocations: u64) -> Counts {
                Counts { $($name: self.$name.get(),)+ allocations }
            }
        }
    };
}

counters! {
    /// Allocations ever made.
    allocations_made,
    /// Requests that were refused, whatever for.
    refused,
    /// Of these: without good credentials (401). Every honest client begins with one.
    unauthorized,
    /// Allocations refused by a quota (486).
    over_quota,
    /// Bytes of data from clients to peers.
    bytes_to_peers,
    /// Bytes of data from peers to clients.
    bytes_to_clients,
    /// Datagrams from clients to peers.
    datagrams_to_peers,
    /// Datagrams from peers to clients.
    datagrams_to_clients,
    /// Datagrams beyond the bandwidth of their allocation.
    dropped_by_bandwidth,
    /// Datagrams to or from peers that are denied or have no permission.
    dropped_by_permission,
    /// Messages for clients on streams that did not read.
    dropped_by_slow_client,
    /// Datagrams for which the system had no room.
    dropped_by_system,
    /// Connections that were refused: too many of one address, or in all.
    connections_refused,
}

/// A number that only grows.
#[derive(Debug, Default)]
pub(crate) struct Counter(AtomicU64);

impl Counter {
    pub(crate) fn add(&self, count: usize) {
        self.0.fetch_add(u64::try_from(count).unwrap_or(u64::MAX), Ordering::Relaxed);
    }

    fn get(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}
