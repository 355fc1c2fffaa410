//! What tests have to know of coturn's clients.

/// Whether `turnutils_uclient` has said that it gives up for no fault of the server's. For each allocation it chooses two of 16,384
/// channels by chance, for two peers. When they are the same one, the second is refused as it has to be (RFC 8656, section 12.2),
/// and it gives up before it sends anything.
#[must_use]
pub fn chose_a_channel_twice(said: &str) -> bool {
    said.contains("channel bind: error 400")
}
