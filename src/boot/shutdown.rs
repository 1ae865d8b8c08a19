//! Signals of the operating system, as one cancellation token.

use std::io;

use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio_util::sync::CancellationToken;

/// The exit codes a shell expects of a process that SIGINT or SIGTERM ended: 128 and the signal's number.
const EXIT_SIGINT: i32 = 130;
const EXIT_SIGTERM: i32 = 143;

/// A token that SIGTERM or SIGINT cancels. A second signal ends the process at once, for whoever can't wait.
///
/// Ending at once leaves the managed database running; the next start deals with it, as after a crash.
///
/// # Errors
///
/// When the system doesn't let us listen.
pub fn on_signal() -> io::Result<CancellationToken> {
    let mut terminate = signal(SignalKind::terminate())?;
    let mut interrupt = signal(SignalKind::interrupt())?;
    let shutdown = CancellationToken::new();
    let token = shutdown.clone();
    tokio::spawn(async move {
        next(&mut terminate, &mut interrupt).await;
        tracing::info!("shutting down, a second signal ends at once");
        token.cancel();
        let code = next(&mut terminate, &mut interrupt).await;
        tracing::warn!("ended by a second signal");
        std::process::exit(code);
    });
    Ok(shutdown)
}

/// Waits for either signal, and says which exit code belongs to it.
async fn next(terminate: &mut Signal, interrupt: &mut Signal) -> i32 {
    tokio::select! {
        _ = terminate.recv() => EXIT_SIGTERM,
        _ = interrupt.recv() => EXIT_SIGINT,
    }
}
