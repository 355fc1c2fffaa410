//! A command in a process of its own: until it is done, or a signal ends it.

use std::process::ExitCode;
use std::time::Duration;

use crate::cli::Asked;
use crate::commands;
use crate::exit::{Exit, Stop};
use crate::voice::Voice;

/// So long is waited for what blocks at the end, such as a file that is being written.
const AT_THE_END: Duration = Duration::from_secs(5);

/// Does what the command line of a program says. What is printed of the program itself is read from `program`.
#[must_use]
pub fn run(asked: Asked, program: &clap::Command) -> ExitCode {
    let voice = Voice::new(program.get_name(), asked.common());
    raise_descriptors();
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    let result = match runtime {
        Ok(runtime) => {
            let result = runtime.block_on(until_done(asked, program, &voice));
            // What blocks cannot be given up: a disk or a name server that does not answer, a folder of many files that is written.
            runtime.shutdown_timeout(AT_THE_END);
            result
        }
        Err(why) => Err(why.into()),
    };
    match result {
        Ok(()) => Exit::Done.into(),
        Err(stop) => {
            voice.stop(&stop);
            stop.exit.into()
        }
    }
}

/// Raises the limit on open files as far as the system lets this program. Systems often allow 1,024, macOS 256.
#[cfg(unix)]
fn raise_descriptors() {
    use rustix::process::{Resource, getrlimit, setrlimit};
    let mut limit = getrlimit(Resource::Nofile);
    limit.current = limit.maximum;
    // It does with fewer.
    let _ = setrlimit(Resource::Nofile, limit);
}

#[cfg(not(unix))]
const fn raise_descriptors() {}

async fn until_done(asked: Asked, program: &clap::Command, voice: &Voice) -> Result<(), Stop> {
    tokio::select! {
        // What is asked for on the terminal is read first, and until then Ctrl-C ends the program by itself.
        biased;
        result = commands::run(asked, program, voice) => result,
        () = interrupted() => Err(Stop::new(Exit::Interrupted, "")),
    }
}

/// Waits for Ctrl-C, or the system's word to end.
async fn interrupted() {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        if let Ok(mut end) = signal(SignalKind::terminate()) {
            tokio::select! {
                _ = end.recv() => return,
                Ok(()) = tokio::signal::ctrl_c() => return,
            }
        }
    }
    if tokio::signal::ctrl_c().await.is_err() {
        // Where no signal can be heard, the system ends the program by itself.
        std::future::pending::<()>().await;
    }
}
