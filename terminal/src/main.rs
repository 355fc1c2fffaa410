//! The program `heliograph-device`.

use std::process::ExitCode;

use clap::Parser as _;
use heliograph_terminal::cli::Cli;
use heliograph_terminal::commands;
use heliograph_terminal::exit::{Exit, Stop};
use heliograph_terminal::voice::Voice;

fn main() -> ExitCode {
    let cli = Cli::parse();
    let voice = Voice::new(&cli.common);
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    let result = match runtime {
        Ok(runtime) => runtime.block_on(run(cli, &voice)),
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

async fn run(cli: Cli, voice: &Voice) -> Result<(), Stop> {
    tokio::select! {
        // What is asked for on the terminal is read first, and until then Ctrl-C ends the program by itself.
        biased;
        result = commands::run(cli, voice) => result,
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
