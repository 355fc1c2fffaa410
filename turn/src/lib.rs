//! Placeholder for the embedded TURN server and its time-limited credentials. Still empty: devices without a direct
//! connection use the relay of `signal`.
