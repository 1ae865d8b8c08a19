//! One decision about many actions.

use impri::domain::scope::Scope;
use serde_json::{Value, json};
use sqlx::PgPool;

use crate::support::{TestApp, api::mail, api::mail_with};

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn each_action_has_its_own_outcome(db: PgPool) {
    let app = TestApp::start(&db).await;
    let agent = app.agent();
    let one = agent.proposed(&mail()).await;
    let two = agent.proposed(&mail_with(json!({"title": "Two"}))).await;
    let decided = agent.proposed(&mail_with(json!({"title": "Three"}))).await;
    app.decider().decide(&decided, &json!({"verdict": "reject"})).await.expect(200);
    let unknown = "act_AAAAAAAAAAAAAAAAAAAAAA";
    let body = json!({"ids": [one, unknown, decided, two, one], "verdict": "approve", "comment": "all fine"});
    let answer = app.decider().post("/v1/actions/bulk-decision", &body).await.expect(200);
    assert_eq!((&answer["succeeded"], &answer["failed"]), (&json!(2), &json!(2)));
    let results = answer["results"].as_array().expect("results");
    let brief: Vec<Value> =
        results.iter().map(|r| json!([r["id"], r["ok"], r["status"], r["error"]])).collect();
    assert_eq!(
        brief,
        [
            json!([one, true, "approved", null]),
            json!([unknown, false, null, "not_found"]),
            json!([decided, false, null, "already_decided"]),
            json!([two, true, "approved", null]),
        ]
    );
    assert_eq!(results[2]["current_status"], "rejected");
    assert_eq!(agent.read(&two).await["decision"]["comment"], "all fine");
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn nobody_decides_many_of_their_own(db: PgPool) {
    let app = TestApp::start(&db).await;
    let key = app.key("both", &[Scope::Actions, Scope::Decide], None).await;
    let both = app.with_key(&key.key);
    let own = both.proposed(&mail()).await;
    let other = app.agent().proposed(&mail()).await;
    let body = json!({"ids": [own, other], "decision": "approve"});
    let answer = both.post("/v1/actions/bulk-decision", &body).await.expect(200);
    assert_eq!(answer["results"][0]["error"], "self_approval");
    assert_eq!(answer["results"][1]["ok"], true);
    assert_eq!(app.agent().read(&own).await["status"], "pending");
    app.agent().post("/v1/actions/bulk-decision", &body).await.refusal(403);
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn a_wrong_bulk_decision_decides_nothing(db: PgPool) {
    let app = TestApp::start(&db).await;
    let id = app.agent().proposed(&mail()).await;
    let many: Vec<String> = (0..51).map(|index| format!("act_{index}")).collect();
    for (body, field) in [
        (json!({"verdict": "approve"}), "ids"),
        (json!({"ids": [], "verdict": "approve"}), "ids"),
        (json!({"ids": many, "verdict": "approve"}), "ids"),
        (json!({"ids": [id]}), "decision"),
        (json!({"ids": [id], "verdict": "maybe"}), "decision"),
        (json!({"ids": [id], "verdict": "approve", "comment": "x".repeat(2_001)}), "comment"),
    ] {
        app.decider().post("/v1/actions/bulk-decision", &body).await.issue(field);
    }
    // What the caller means by it is unknown, and it could be an edit.
    let misspelt = json!({"decision": "approve", "edits": {"preview.body": "safe"}});
    assert!(app.decider().decide(&id, &misspelt).await.refusal(400).contains("edits"));
    let bulk = json!({"ids": [id], "verdict": "approve", "edited": {}});
    assert!(app.decider().post("/v1/actions/bulk-decision", &bulk).await.refusal(400).contains("edited"));
    assert_eq!(app.agent().read(&id).await["status"], "pending");
}
