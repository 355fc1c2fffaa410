//! Room of the embedded TURN server and its time-limited credentials. Knows nothing of beams.
//! Empty until that capability is built; devices that find no direct way use the relay of `signal`.
