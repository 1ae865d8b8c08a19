//! A conversation of two `AutoGen` agents, of which one writes commands and the other runs what a person approved.

use std::{env, fs, path::PathBuf, process::Command};

use serde_json::json;
use sqlx::PgPool;

use super::{Aside, file, model::Model, proposed_action};
use crate::support::{TestApp, python};

/// Pauses of a poll are short in a test; the program itself is not touched.
const QUICKLY: &str = "import runpy, sys, time\nlong = time.sleep\ntime.sleep = lambda secs: long(min(secs, 0.05))\n\
                       runpy.run_path(sys.argv[1], run_name='__main__')\n";

/// A running conversation, the model in it, and the file that its command writes to.
struct Conversation {
    running: Aside,
    model: Model,
    mark: PathBuf,
}

impl Conversation {
    async fn start(app: &TestApp) -> Self {
        let database = app.db.connect_options();
        let mark =
            env::temp_dir().join(format!("impri-seed-{}", database.get_database().expect("a database")));
        let command = format!("echo ran >> '{}' && echo worker is healthy", mark.display());
        let arguments = json!({"command": command, "purpose": "See whether the worker is healthy."});
        let model = Model::start("run_if_approved", arguments).await;
        let mut agent = Command::new(python());
        agent
            .arg("-c")
            .arg(QUICKLY)
            .arg(file("shell_agent.py"))
            .env("IMPRI_URL", &app.url)
            .env("IMPRI_API_KEY", &app.house().agent.key)
            .env("TASK", "Restart the staging worker and see that it is healthy.")
            .env("OPENAI_BASE_URL", &model.url)
            .env("OPENAI_API_KEY", "sk-of-nobody")
            .env("NO_PROXY", "127.0.0.1")
            .env("no_proxy", "127.0.0.1");
        Self { running: Aside::run(agent), model, mark }
    }

    /// Waits for the end; returns what the model was told and how often the command ran.
    async fn ended(self) -> (Vec<String>, usize) {
        self.running.ended().await;
        let ran = fs::read_to_string(&self.mark).map_or(0, |text| text.lines().count());
        // What is left in a temporary directory hurts nobody.
        let _ = fs::remove_file(&self.mark);
        let asked = self.model.asked();
        assert_eq!(asked[0]["tools"][0]["function"]["name"], "run_if_approved", "the only way to a shell");
        assert_eq!(asked.len(), 2, "one call, one answer");
        (self.model.told(), ran)
    }
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn once_approved_the_command_runs_once_and_its_result_is_on_the_card(db: PgPool) {
    let app = TestApp::start(&db).await;
    let conversation = Conversation::start(&app).await;
    let action = proposed_action(&app).await;
    let id = action["id"].as_str().expect("an id");
    let ada = app.ada().await;
    let card = ada.open(&format!("/inbox/{id}")).await;
    assert!(card.text(".warnings").contains("Not idempotent"));
    assert!(card.text("figure.undo").contains("Nothing undoes this by itself"));
    assert!(card.text("[data-part=first] .preview-body").contains("echo worker is healthy"));
    assert!(!card.has("[name^=edits]"), "a command line offers no text box");
    ada.submit_decide_form(id, "approve", &[]).await;

    assert_eq!(conversation.ended().await, (vec!["worker is healthy\n".to_owned()], 1));
    let action = app.agent().read(id).await;
    assert_eq!(action["status"], "executed");
    assert_eq!(action["result_payload"], json!({"exit_code": 0, "stdout": "worker is healthy\n"}));
    let card = ada.open(&format!("/inbox/{id}")).await;
    let result = card.text(".result-view");
    assert!(result.contains("Executed") && result.contains("worker is healthy"), "{result}");
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn once_rejected_the_command_does_not_run_and_the_model_is_told(db: PgPool) {
    let app = TestApp::start(&db).await;
    let conversation = Conversation::start(&app).await;
    let action = proposed_action(&app).await;
    let id = action["id"].as_str().expect("an id");
    app.ada().await.submit_decide_form(id, "reject", &[("comment", "not on a Friday")]).await;
    let told = vec!["Not run: the request is rejected.".to_owned()];
    assert_eq!(conversation.ended().await, (told, 0));
    assert_eq!(app.agent().read(id).await["status"], "rejected");
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn once_its_time_is_over_the_command_does_not_run(db: PgPool) {
    let app = TestApp::start(&db).await;
    let conversation = Conversation::start(&app).await;
    let action = proposed_action(&app).await;
    app.advance(1800);
    let told = vec!["Not run: the request is expired.".to_owned()];
    assert_eq!(conversation.ended().await, (told, 0));
    let id = action["id"].as_str().expect("an id");
    assert_eq!(app.agent().read(id).await["status"], "expired");
    app.ada().await.open(&format!("/inbox/{id}")).await;
}
