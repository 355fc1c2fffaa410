//! What holds for whatever a client sends.
