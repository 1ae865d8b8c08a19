//! What lies between a server and its database goes silent and tells neither: a connection that only listens is asked whether
//! it is there.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use impri::server::live::{self, Heard, Live, Patience};
use sqlx::PgPool;
use sqlx::postgres::{PgConnectOptions, PgPoolOptions};
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use crate::support::eventually;

/// Far shorter than in a server, and for an answer as long as a busy machine may need.
const PATIENCE: Patience = Patience { quiet: Duration::from_millis(20), answer: Duration::from_secs(2) };

/// A line to a database on which whatever goes through it now can stop, for good and without a word.
#[derive(Default)]
struct Line {
    /// How many came to it.
    connections: AtomicUsize,
    /// How often the database said something.
    answers: AtomicUsize,
    silence: std::sync::Mutex<CancellationToken>,
}

impl Line {
    /// The line, and how it is reached.
    async fn to(db: &PgPool) -> (Arc<Self>, PgConnectOptions) {
        let options = PgConnectOptions::clone(&db.connect_options());
        let there = (options.get_host().to_owned(), options.get_port());
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.expect("a port");
        let here = listener.local_addr().expect("its address");
        let line = Arc::new(Self::default());
        let end = Arc::clone(&line);
        tokio::spawn(async move {
            while let Ok((near, _)) = listener.accept().await {
                let far = TcpStream::connect(&there).await.expect("the database of the test");
                end.connections.fetch_add(1, Ordering::SeqCst);
                let silence = end.silence.lock().expect("a token").clone();
                let (near_read, near_write) = near.into_split();
                let (far_read, far_write) = far.into_split();
                tokio::spawn(pass(near_read, far_write, silence.clone(), None));
                tokio::spawn(pass(far_read, near_write, silence, Some(Arc::clone(&end))));
            }
        });
        (line, options.host("127.0.0.1").port(here.port()))
    }

    /// What is connected now hears nothing any more; what comes later does.
    fn fall_silent(&self) {
        std::mem::take(&mut *self.silence.lock().expect("a token")).cancel();
    }
}

/// Passes on what comes, until silence falls; then it keeps both ends open, and quiet.
async fn pass(
    mut from: impl AsyncRead + Unpin,
    mut to: impl AsyncWrite + Unpin,
    silence: CancellationToken,
    counted: Option<Arc<Line>>,
) {
    let mut bytes = [0; 4096];
    loop {
        let Some(read) = silence.run_until_cancelled(from.read(&mut bytes)).await else {
            return std::future::pending().await;
        };
        let Ok(count @ 1..) = read else { return };
        if let Some(line) = &counted {
            line.answers.fetch_add(1, Ordering::SeqCst);
        }
        if to.write_all(&bytes[..count]).await.is_err() {
            return;
        }
    }
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn a_connection_that_fell_silent_is_replaced_and_one_that_answers_is_kept(db: PgPool) {
    let (line, options) = Line::to(&db).await;
    let pool = PgPoolOptions::new().max_connections(3).connect_lazy_with(options);
    let (live, stop) = (Arc::new(Live::default()), CancellationToken::new());
    let (listening, token) = (Arc::clone(&live), stop.clone());
    let running = tokio::spawn(async move { live::run(&listening, &pool, PATIENCE, &token).await });
    eventually("it hears", async || live.is_linked()).await;

    // Asked again and again, it answers, and stays.
    let said = line.answers.load(Ordering::SeqCst);
    eventually("it was asked", async || line.answers.load(Ordering::SeqCst) > said + 5).await;
    assert_eq!(line.connections.load(Ordering::SeqCst), 1);

    let mut browser = live.browser();
    line.fall_silent();
    // Lost, and there again: each time whoever waits reads again.
    for _ in 0..2 {
        let heard = timeout(Duration::from_secs(20), browser.recv()).await.expect("in time");
        assert!(matches!(heard, Ok(Heard::Resync)), "{heard:?}");
    }
    assert!(live.is_linked());
    assert_eq!(line.connections.load(Ordering::SeqCst), 2);
    let era = live.receipt_key_era();
    sqlx::query("select pg_notify('impri', 'receipt-keys-changed')").execute(&db).await.expect("sent");
    eventually("the new connection hears", async || live.receipt_key_era() > era).await;
    stop.cancel();
    running.await.expect("it ends");
}
