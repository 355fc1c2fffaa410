//! Calls and sockets with a login (H7, H16): its tokens go along, and a stale one is renewed before.

use std::convert::Infallible;
use std::sync::{Arc, PoisonError};
use std::time::Duration;

use heliograph_shared::time::Millis;
use hyper::header::HeaderValue;
use tokio::runtime::Builder;
use tokio::sync::oneshot;
use tokio::task::spawn_blocking;
use tokio::time::sleep;
use zeroize::Zeroizing;

use super::Server;
use super::calls::{self, Answer, Call};
use super::failure::Failure;
use crate::io::login::{Kept, Login};
use crate::io::system_clock::now_ms;

/// An access token counts for 15 minutes (H7). One that is older than this is renewed before it is used, in milliseconds.
const FRESH_MS: i64 = 10 * 60 * 1_000;
/// A renewal for which nobody waits any more has so long for its answer.
const ANSWERED_WITHIN: Duration = Duration::from_secs(3);
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
        login: &Arc<Login>,
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
    async fn freshen(&self, login: &Arc<Login>) -> Result<(), Failure> {
        let age = now().get().saturating_sub(login.kept().renewed_at.get());
        // A clock that was set back says nothing of the age.
        if (0..FRESH_MS).contains(&age) { Ok(()) } else { self.renew(login).await }
    }

    /// Renews a login (H16), whoever waits for it: an answer that nobody writes down would end the login. So it is done in a thread, for
    /// which the end of the program waits too.
    async fn renew(&self, login: &Arc<Login>) -> Result<(), Failure> {
        let (server, login, seen) = (self.clone(), login.clone(), login.kept().renewed_at);
        let (_waits, given_up) = oneshot::channel();
        let renewing = spawn_blocking(move || server.renew_in_turn(&login, seen, given_up));
        renewing.await.map_err(Failure::failed)?
    }

    /// Another program with the same login may have renewed it, or another part of this one: a token that was used before ends the
    /// login. `seen` is when it was renewed before it was found stale. It blocks.
    fn renew_in_turn(
        &self,
        login: &Login,
        seen: Millis,
        given_up: oneshot::Receiver<Infallible>,
    ) -> Result<(), Failure> {
        let _turn = login.renewing.lock().unwrap_or_else(PoisonError::into_inner);
        let _lock = login.store.lock(&self.url)?;
        let Some(mut kept) = login.store.read_kept(&self.url)? else {
            return Err(Failure::LoggedOut);
        };
        if kept.renewed_at != seen {
            login.replace(kept);
            return Ok(());
        }
        let call = Call::post("/api/auth/refresh/").with_cookies(kept.cookies(&[Cookie::Refresh]));
        match self.call_until(call, given_up)? {
            Ok(answer) => {
                kept.take_cookies(&answer, now());
                login.store.write(&kept)?;
                login.replace(kept);
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

    /// Makes a call that goes on for a moment once it is given up. It blocks.
    fn call_until(
        &self,
        call: Call<'_>,
        given_up: oneshot::Receiver<Infallible>,
    ) -> Result<Result<Answer, Failure>, Failure> {
        // The one of the program may be ending.
        let runtime = Builder::new_current_thread().enable_all().build()?;
        let answer = runtime.block_on(async {
            tokio::select! {
                answer = call.make(self) => answer,
                () = given_up_for_a_while(given_up) => Err(Failure::Late),
            }
        });
        // It need not know where a name leads any more.
        runtime.shutdown_background();
        Ok(answer)
    }
}

async fn given_up_for_a_while(given_up: oneshot::Receiver<Infallible>) {
    // Nothing is sent there.
    let _ = given_up.await;
    sleep(ANSWERED_WITHIN).await;
}

/// By the clock of this machine.
pub(in crate::io) fn now() -> Millis {
    Millis::new(now_ms())
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test says so by failing")]
mod tests {
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
    use tokio::net::TcpListener;

    use super::*;
    use crate::io::login::LoginStore;
    use crate::io::private_folder::PrivateFolder;
    use crate::keys::password::OwnVault;

    const ANSWER: &[u8] =
        b"HTTP/1.1 200 OK\r\nset-cookie: refresh=second; Path=/\r\ncontent-length: 2\r\n\r\n{}";

    #[tokio::test]
    async fn h16_a_login_that_is_being_renewed_is_kept_also_where_nobody_waits_for_it_any_more() {
        let folder = tempfile::tempdir().unwrap();
        let store = LoginStore::at(PrivateFolder::at(folder.path().to_owned()));
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let server = Server::at(&url.parse().unwrap()).unwrap();
        let mut kept = Kept::new(server.url(), "ada".to_owned(), &OwnVault::None);
        kept.cookies.insert("refresh".to_owned(), "first".to_owned());
        store.write(&kept).unwrap();
        let login = Arc::new(store.read(server.url()).unwrap().unwrap());

        let mut renewing = Box::pin(server.renew(&login));
        let mut asked = tokio::select! {
            asked = listener.accept() => asked.unwrap().0,
            _ = &mut renewing => panic!("nobody has answered"),
        };
        assert!(asked.read(&mut [0; 1024]).await.unwrap() > 0);
        drop(renewing);
        asked.write_all(ANSWER).await.unwrap();

        // It is taken until the login is written.
        let (waiting, url) = (store.clone(), server.url().clone());
        let _lock = spawn_blocking(move || waiting.lock(&url)).await.unwrap().unwrap();
        let kept = store.read_kept(server.url()).unwrap().unwrap();
        assert_eq!(kept.cookies["refresh"], "second");
    }
}
