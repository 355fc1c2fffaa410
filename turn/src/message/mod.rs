//! The only door to the message library: reads what clients send, and writes what they get. It knows no allocation.

pub mod asking;
pub mod channel_data;
pub mod incoming;
pub mod integrity;
pub mod refusal;
pub mod reply;
