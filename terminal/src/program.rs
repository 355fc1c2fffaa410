//! A command in a process of its own: until it is done, or a signal ends it.

use std::process::ExitCode;

use crate::cli::Asked;
use crate::commands;
use crate::exit::{Exit, Stop};
use crate::voice::Voice;

/// Does what the command line of a program says. What is printed of the program itself is read from `program`.
#[must_use]
pub fn run(asked: Asked, program: &clap::Command) -> ExitCode {
    let voice = Voice::new(program.get_name(), asked.common());
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    let result = match runtime {
        Ok(runtime) => runtime.block_on(until_done(asked, program, &voice)),
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
