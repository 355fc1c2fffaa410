//! The short codes that stand for ids of beams for a while (H33). They are in memory only and bounded.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use heliograph_shared::ids::BeamId;
use heliograph_shared::limits::{CODE_LIFETIME, MAX_CODES};
use heliograph_shared::short_code::ShortCode;
use tokio::time::Instant;

use crate::error::Error;

/// The short codes by beam and by code.
#[derive(Debug, Default)]
pub struct Codes(Mutex<Maps>);

#[derive(Debug, Default)]
struct Maps {
    by_code: HashMap<ShortCode, (BeamId, Instant)>,
    by_beam: HashMap<BeamId, ShortCode>,
}

impl Codes {
    /// The code of a beam, and how long it still stands for it: the one that it has, else a new one. `random` is asked
    /// for the bits of a new one until they make a free code.
    ///
    /// # Errors
    /// [`Error::Busy`] when there are as many codes as may be, and the error of `random`.
    pub fn code_of(
        &self,
        beam: BeamId,
        now: Instant,
        random: impl Fn() -> Result<[u8; 8], Error>,
    ) -> Result<(ShortCode, Duration), Error> {
        let mut maps = self.lock();
        if let Some(code) = maps.by_beam.get(&beam).copied()
            && let Some((_, ends)) = maps.by_code.get(&code)
            && *ends > now
        {
            return Ok((code, *ends - now));
        }
        if maps.by_code.len() >= MAX_CODES {
            maps.sweep(now);
        }
        if maps.by_code.len() >= MAX_CODES {
            return Err(Error::Busy);
        }
        let code = loop {
            match ShortCode::from_random(random()?) {
                Some(code) if !maps.by_code.contains_key(&code) => break code,
                _ => {}
            }
        };
        maps.forget(beam);
        maps.by_code.insert(code, (beam, now + CODE_LIFETIME));
        maps.by_beam.insert(beam, code);
        Ok((code, CODE_LIFETIME))
    }

    /// The beam that a code stands for; `None` for a wrong code and after its time.
    #[must_use]
    pub fn find(&self, code: ShortCode, now: Instant) -> Option<BeamId> {
        let maps = self.lock();
        let (beam, ends) = maps.by_code.get(&code)?;
        (*ends > now).then_some(*beam)
    }

    /// Ends the code of a beam that has ended.
    pub fn forget(&self, beam: BeamId) {
        self.lock().forget(beam);
    }

    /// Forgets the codes whose time is over.
    pub fn sweep(&self, now: Instant) {
        self.lock().sweep(now);
    }

    fn lock(&self) -> MutexGuard<'_, Maps> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Maps {
    fn forget(&mut self, beam: BeamId) {
        if let Some(code) = self.by_beam.remove(&beam) {
            self.by_code.remove(&code);
        }
    }

    fn sweep(&mut self, now: Instant) {
        let Self { by_code, by_beam } = self;
        by_code.retain(|_, (_, ends)| *ends > now);
        by_beam.retain(|_, code| by_code.contains_key(code));
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    fn beam(number: u64) -> BeamId {
        let mut bytes = [0; 16];
        // The last bytes, where there are no bits of the version.
        bytes[8..].copy_from_slice(&number.to_be_bytes());
        BeamId::from_random(bytes)
    }

    /// Randomness that is different at each call.
    fn drawing() -> impl Fn() -> Result<[u8; 8], Error> {
        let calls = Cell::new(0_u64);
        move || {
            calls.set(calls.get() + 1);
            Ok(calls.get().wrapping_mul(0x9e37_79b9_7f4a_7c15).to_be_bytes())
        }
    }

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn h33_a_beam_has_one_code_until_its_time_is_over() {
        let (codes, random, start) = (Codes::default(), drawing(), Instant::now());
        let (code, left) = codes.code_of(beam(1), start, &random).unwrap();
        assert_eq!(left, CODE_LIFETIME);

        let later = start + CODE_LIFETIME - SECOND;
        assert_eq!(codes.code_of(beam(1), later, &random).unwrap(), (code, SECOND));
        assert_eq!(codes.find(code, later), Some(beam(1)));

        let end = start + CODE_LIFETIME;
        assert_eq!(codes.find(code, end), None);
        let (next, _) = codes.code_of(beam(1), end, &random).unwrap();
        assert_ne!(next, code);
        assert_eq!(codes.find(next, end), Some(beam(1)));
    }

    #[test]
    fn h33_two_beams_never_have_the_same_code() {
        let (codes, now) = (Codes::default(), Instant::now());
        let draws = Cell::new(0_u64);
        // The same bits twice, then others.
        let random = || {
            draws.set(draws.get() + 1);
            Ok((draws.get() / 2 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15).to_be_bytes())
        };
        let (one, _) = codes.code_of(beam(1), now, random).unwrap();
        let (other, _) = codes.code_of(beam(2), now, random).unwrap();
        assert_ne!(one, other);
    }

    #[test]
    fn h33_the_number_of_codes_is_bounded_and_old_ones_make_room() {
        let (codes, random, now) = (Codes::default(), drawing(), Instant::now());
        for number in 0..MAX_CODES as u64 {
            codes.code_of(beam(number), now, &random).unwrap();
        }
        let more = beam(MAX_CODES as u64);
        assert!(matches!(codes.code_of(more, now, &random), Err(Error::Busy)));
        assert!(codes.code_of(beam(5), now, &random).is_ok(), "a beam that has one keeps it");

        codes.forget(beam(5));
        assert!(codes.code_of(more, now, &random).is_ok());

        let later = now + CODE_LIFETIME;
        assert!(codes.code_of(beam(5), later, &random).is_ok());
        assert_eq!(codes.lock().by_beam.len(), 1);
        codes.sweep(later + CODE_LIFETIME);
        assert_eq!((codes.lock().by_beam.len(), codes.lock().by_code.len()), (0, 0));
    }
}
