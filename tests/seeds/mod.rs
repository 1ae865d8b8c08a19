//! The two programs that the product exists for, against this server: nothing of them changes but the address.

mod approval_step;
mod autogen;
mod model;

use std::{
    path::PathBuf,
    process::{Command, Output, Stdio},
    time::Duration,
};

use serde_json::Value;

use crate::support::{TestApp, eventually_within};

/// A file of the folder of this module.
fn file(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/seeds").join(name)
}

/// A program that runs aside, while the test plays the person.
struct Aside(tokio::task::JoinHandle<Output>);

impl Aside {
    fn run(mut command: Command) -> Self {
        command.stdin(Stdio::null());
        Self(tokio::task::spawn_blocking(move || command.output().expect("the program runs")))
    }

    /// What it printed, once it ended well.
    async fn ended(self) -> String {
        let output = self.0.await.expect("it does not panic");
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        assert!(output.status.success(), "{}\n{}", text(&output.stdout), text(&output.stderr));
        text(&output.stdout)
    }
}

/// The one action that a program proposed, once it is there.
async fn proposed_action(app: &TestApp) -> Value {
    let mut id = None;
    // Python takes its time to import an agent framework on a busy machine.
    eventually_within(Duration::from_mins(3), "the program proposes", async || {
        let found = sqlx::query_scalar("select action_id from action").fetch_optional(&app.db).await;
        id = found.expect("a database");
        id.is_some()
    })
    .await;
    let id = impri::domain::ids::ActionId::from_uuid(id.expect("an id"));
    app.agent().read(&id.to_string()).await
}
