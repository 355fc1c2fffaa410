//! What a part of a session needs to do anything: the time, random bytes, and where it says what is to be done.

use std::time::Duration;

use super::outbox::Outbox;
use crate::random::Random;

pub(super) struct Moment<'a> {
    pub(super) now: Duration,
    pub(super) random: &'a mut dyn Random,
    pub(super) out: &'a mut Outbox,
}
