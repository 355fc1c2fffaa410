//! What a native device does with its machine. The rules beside it know nothing of this.

pub mod account;
pub mod direct_link;
pub mod file_device;
pub mod file_driver;
pub mod file_lock;
pub mod files;
mod ice_address;
pub mod link_contract;
pub mod link_driver;
pub mod live_device;
pub mod login;
pub mod offering;
mod outbox;
mod peer_link;
pub mod peer_links;
pub mod private_folder;
mod quic_link;
pub mod relay;
pub mod server;
mod socket;
mod stored_copies;
pub mod storing;
mod system_buffers;
pub mod system_clock;
pub mod system_random;
mod turn_stream;
