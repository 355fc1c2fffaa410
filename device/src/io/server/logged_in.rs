//! Calls and sockets with a login (H7, H16): its tokens go along, and a stale one is renewed before.

use heliograph_shared::time::Millis;
use hyper::header::HeaderValue;
use tokio::task::spawn_blocking;
use zeroize::Zeroizing;

use super::Server;
use super::calls::{self, Answer, Call};
use super::failure::Failure;
use crate::io::login::{Kept, Login};
use crate::io::system_clock::now_ms;

/// An access token counts for 15 minutes (H7). One that is older than this is renewed before it is used, in milliseconds.
const FRESH_MS: i64 = 10 * 60 * 1_000;
/// On https the names have this in front (H7).
const HOST_PREFIX: &str = "__Host-";
/// Longest value of a cookie that is kept.
const MOST_VALUE: usize = 1024;
const UNAUTHORIZED: u16 = 401;

/// The cookies of a server.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(in crate::io) enum Cookie {
    /// Sent with every call.
    Access,
    /// Renews the login, once.
    Refresh,
    /// Shows that somebody has logged in here before (H11). It outlives the login.
    Device,
}

impl Cookie {
    const fn name(self) -> &'static str {
        match self {
            Self::Access => "access",
            Self::Refresh => "refresh",
            Self::Device => "device",
        }
    }
}

impl Kept {
    /// The `Cookie` header with these cookies.
    pub(in crate::io) fn cookies(&self, wanted: &[Cookie]) -> Zeroizing<String> {
        let is_wanted = |name: &str| {
            wanted.iter().any(|one| name.strip_prefix(HOST_PREFIX).unwrap_or(name) == one.name())
        };
        let cookies = self.cookies.iter().filter(|(name, _)| is_wanted(name));
        let pairs: Vec<_> =
            cookies.map(|(name, value)| Zeroizing::new(format!("{name}={value}"))).collect();
        let pairs: Vec<&str> = pairs.iter().map(|pair| pair.as_str()).collect();
        Zeroizing::new(pairs.join("; "))
    }

    /// Takes the cookies that an answer sets.
    pub(in crate::io) fn take_cookies(&mut self, answer: &Answer, now: Millis) {
        for line in &answer.cookies {
            let pair = line.split(';').next().and_then(|pair| pair.trim().split_once('='));
            let Some((name, value)) = pair else { continue };
            let plain = name.strip_prefix(HOST_PREFIX).unwrap_or(name);
            let known = [Cookie::Access, Cookie::Refresh, Cookie::Device];
            let is_known = known.iter().any(|one| one.name() == plain);
            let is_value = |c: char| c.is_ascii_graphic() && !matches!(c, ';' | ',' | '"' | '\\');
            if is_known && value.len() <= MOST_VALUE && value.chars().all(is_value) {
                self.cookies.insert(name.to_owned(), value.to_owned());
            }
        }
        self.renewed_at = now;
    }
}

impl Server {
    /// Makes a call as who is logged in. One that is refused because the login is stale is made once more. `call` makes it anew.
    pub(in crate::io) async fn call_as<'a>(
        &self,
        login: &Login,
        call: impl Fn() -> Result<Call<'a>, Failure>,
    ) -> Result<Answer, Failure> {
        self.freshen(login).await?;
        match call()?.with_cookies(login.kept().cookies(&[Cookie::Access])).make(self).await {
            Err(Failure::Refused { status: UNAUTHORIZED, .. }) => {
                self.renew(login).await?;
                call()?.with_cookies(login.kept().cookies(&[Cookie::Access])).make(self).await
            }
            answer => answer,
        }
    }

    /// The `Cookie` header of who is logged in; `None` where nobody is.
    pub(super) async fn login_cookies(&self) -> Result<Option<HeaderValue>, Failure> {
        let Some(login) = &self.login else { return Ok(None) };
        self.freshen(login).await?;
        calls::secret(&login.kept().cookies(&[Cookie::Access])).map(Some)
    }

    /// Renews a login that may be stale.
    async fn freshen(&self, login: &Login) -> Result<(), Failure> {
        let age = now().get().saturating_sub(login.kept().renewed_at.get());
        // A clock that was set back says nothing of the age.
        if (0..FRESH_MS).contains(&age) { Ok(()) } else { self.renew(login).await }
    }

    /// Renews a login (H16). Another program with the same login may have done it: a token that was used before ends the login.
    async fn renew(&self, login: &Login) -> Result<(), Failure> {
        let _turn = login.renewing.lock().await;
        let (store, url) = (login.store.clone(), self.url.clone());
        let _lock = spawn_blocking(move || store.lock(&url)).await.map_err(Failure::failed)??;
        let before = login.kept();
        let Some(mut kept) = login.store.read_kept(&self.url)? else {
            return Err(Failure::LoggedOut);
        };
        if kept.renewed_at != before.renewed_at {
            login.replace(kept.clone());
            return Ok(());
        }
        let call = Call::post("/api/auth/refresh/").with_cookies(kept.cookies(&[Cookie::Refresh]));
        match call.make(self).await {
            Ok(answer) => {
                kept.take_cookies(&answer, now());
                login.store.write(&kept)?;
                login.replace(kept.clone());
                Ok(())
            }
            Err(Failure::Refused { status: UNAUTHORIZED, .. }) => {
                // Nothing of it stays here.
                login.store.remove(&self.url)?;
                Err(Failure::LoggedOut)
            }
            Err(why) => Err(why),
        }
    }
}

/// By the clock of this machine.
pub(in crate::io) fn now() -> Millis {
    Millis::new(now_ms())
}
