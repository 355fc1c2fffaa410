//! The clock: credentials, certificates and S3 all depend on it.

use std::time::UNIX_EPOCH;

use heliograph_shared::time::Millis;

use super::report::Check;

/// Seconds by which two clocks may differ. Credentials of TURN last an hour, and a page is answered in seconds.
const NEAR: u64 = 60;
/// S3 refuses requests that are 15 minutes off.
const FAR: u64 = 600;

/// Seconds by which a `Date` header is ahead of this machine's clock.
#[must_use]
pub fn ahead(date: Option<&str>, now: Millis) -> Option<i64> {
    let time = httpdate::parse_http_date(date?).ok()?.duration_since(UNIX_EPOCH).ok()?;
    Some(i64::try_from(time.as_secs()).ok()? - now.get() / 1_000)
}

/// Says what to do about a difference; `whose` is the other clock.
#[must_use]
pub fn judge(name: &'static str, whose: &str, ahead: Option<i64>) -> Check {
    let Some(ahead) = ahead else {
        return Check::skipped(name, format!("{whose} does not tell the time."));
    };
    let (seconds, way) = (ahead.unsigned_abs(), if ahead < 0 { "behind" } else { "ahead of" });
    let seen = format!("{whose} is {seconds} s {way} this machine.");
    let advice = "Set both clocks by NTP (on most systems: timedatectl set-ntp true).";
    match seconds {
        0..=NEAR => Check::ok(name, seen),
        _ if seconds <= FAR => Check::warning(name, seen, advice),
        _ => Check::failed(name, seen, advice),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doctor::report::State;

    #[test]
    fn a_clock_is_judged_by_its_difference() {
        let now = Millis::new(1_700_000_000_000);
        let date = Some("Tue, 14 Nov 2023 22:33:20 GMT");
        assert_eq!(ahead(date, now), Some(1_200));
        for (difference, state) in [
            (None, State::Skipped),
            (Some(-60), State::Ok),
            (Some(61), State::Warning),
            (Some(-1_200), State::Failed),
        ] {
            assert_eq!(judge("clock", "The server", difference).state, state, "{difference:?}");
        }
    }
}
