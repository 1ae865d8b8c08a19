//! What was decided before, beside what is to be decided now.

use serde_json::json;
use sqlx::PgPool;

use crate::support::{TestApp, api::mail_with};

const LETTER: &str =
    "Hi Sarah, thank you for the call on Tuesday. As promised, here is the plan for the first weeks.";

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn the_same_content_tells_that_it_was_decided_before(db: PgPool) {
    let app = TestApp::start(&db).await;
    let (agent, ada) = (app.agent(), app.ada().await);
    let letter = mail_with(json!({"preview": {"format": "plain", "body": LETTER}}));
    let first = agent.proposed(&letter).await;
    let card = ada.open(&format!("/inbox/{first}")).await;
    assert!(!card.has(".alike") && !card.has(".past"), "nothing was decided yet");
    ada.submit_decide_form(&first, "reject", &[("comment", "Wrong <b>Sarah</b>.")]).await;
    app.advance(360);
    let again = agent.proposed(&letter).await;
    let card = ada.open(&format!("/inbox/{again}")).await;
    let said = card.text(".alike");
    assert!(said.contains("Rejected beforeThe same content was rejected by you 6 min ago."), "{said}");
    assert!(said.contains("Wrong <b>Sarah</b>."), "in the words of who rejected it: {said}");
    assert_eq!(card.attributes(".alike", "data-alike"), ["same"]);
    assert_eq!(card.attributes(".alike a", "href"), [format!("/inbox/{first}")]);
    // It stands before the content, and the decision is where it always is.
    let (alike, preview) =
        (card.html.find("data-alike").expect("said"), card.html.find("preview-body").expect("shown"));
    assert!(alike < preview && card.has("#decide"));
    app.person("Grace", "grace@example.org", false).await;
    let grace = app.signed_in("grace@example.org").await;
    assert!(grace.open(&format!("/inbox/{again}")).await.text(".alike").contains("rejected by Ada"));

    // The latest decision counts; how the run ended is said.
    app.decider().approve(&again).await;
    agent
        .report(&again, &json!({"status": "execute_failed", "detail": "The mailbox is full."}))
        .await
        .expect(200);
    app.advance(60);
    let third = agent.proposed(&letter).await;
    let card = ada.open(&format!("/inbox/{third}")).await;
    let said = card.text(".alike");
    assert!(said.contains("Approved beforeThe same content was approved by decider 1 min ago."), "{said}");
    assert!(said.contains("Its run failed 1 min ago"), "{said}");
    assert!(!card.html.to_lowercase().contains("safe"), "facts, no judgement");
    // A decided card needs none of it.
    assert!(!ada.open(&format!("/inbox/{again}")).await.has(".alike, .past"));
    app.advance(31 * 86_400);
    let late = agent.proposed(&letter).await;
    assert!(!ada.open(&format!("/inbox/{late}")).await.has(".alike"), "a month later nobody minds");
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn what_is_nearly_the_same_as_a_rejected_one_is_told(db: PgPool) {
    let app = TestApp::start(&db).await;
    let (agent, ada, decider) = (app.agent(), app.ada().await, app.decider());
    let letter =
        |body: &str| mail_with(json!({"preview": {"format": "plain", "body": body}, "payload": {"to": "s"}}));
    let no = agent.proposed(&letter(LETTER)).await;
    decider.decide(&no, &json!({"decision": "reject"})).await.expect(200);
    let again = agent.proposed(&letter(&LETTER.replace("Tuesday", "Wednesday"))).await;
    let card = ada.open(&format!("/inbox/{again}")).await;
    assert_eq!(card.attributes(".alike", "data-alike"), ["nearly"]);
    assert!(
        card.text(".alike").contains("Nearly the same content was rejected by decider"),
        "{}",
        card.text(".alike")
    );
    let other =
        agent.proposed(&letter("The invoice of last month is still open. Could you have a look?")).await;
    assert!(!ada.open(&format!("/inbox/{other}")).await.has(".alike"));
    // Of another kind it is another thing, and what was approved is sent again every day.
    let kind = mail_with(
        json!({"kind": "letter.print", "preview": {"format": "plain", "body": LETTER}, "payload": {"to": "s"}}),
    );
    let elsewhere = agent.proposed(&kind).await;
    assert!(!ada.open(&format!("/inbox/{elsewhere}")).await.has(".alike"));
    decider.approve(&other).await;
    let daily =
        agent.proposed(&letter("The invoice of last month is still open. Could you have a Look?")).await;
    assert!(!ada.open(&format!("/inbox/{daily}")).await.has(".alike"));
    // Texts that are too long are not compared, only whether they are the same.
    let long = LETTER.repeat(200);
    let no = agent.proposed(&letter(&long)).await;
    decider.decide(&no, &json!({"decision": "reject"})).await.expect(200);
    let nearly = agent.proposed(&letter(&format!("{long}!"))).await;
    assert!(!ada.open(&format!("/inbox/{nearly}")).await.has(".alike"));
    let same = agent.proposed(&letter(&long)).await;
    assert_eq!(ada.open(&format!("/inbox/{same}")).await.attributes(".alike", "data-alike"), ["same"]);
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn the_last_decisions_of_kind_and_agent_stand_beside_the_card(db: PgPool) {
    let app = TestApp::start(&db).await;
    let (agent, ada, decider) = (app.agent(), app.ada().await, app.decider());
    let other = app.key("second agent", &[impri::domain::scope::Scope::Actions], None).await;
    let other = app.with_key(&other.key).proposed(&mail_with(json!({"title": "of another agent"}))).await;
    decider.approve(&other).await;
    for number in 0..7 {
        let edit = json!({"title": format!("letter {number}"), "editable": ["title"]});
        let id = agent.proposed(&mail_with(edit)).await;
        app.advance(60);
        match number {
            5 => {
                let no = json!({"decision": "reject", "comment": "Too early."});
                decider.decide(&id, &no).await.expect(200);
            }
            6 => {
                let edited = json!({"decision": "approve", "edited": {"title": "letter six"}});
                decider.decide(&id, &edited).await.expect(200);
                agent
                    .report(&id, &json!({"status": "execute_failed", "detail": "No route."}))
                    .await
                    .expect(200);
            }
            _ => _ = decider.approve(&id).await,
        }
    }
    let another = agent.proposed(&mail_with(json!({"title": "another kind", "kind": "letter.print"}))).await;
    decider.approve(&another).await;
    let id = agent.proposed(&mail_with(json!({"title": "now"}))).await;
    let card = ada.open(&format!("/inbox/{id}")).await;
    assert_eq!(card.text("#past-title"), "Decided before: email.send from first-agent");
    let titles = card.texts(".past-line a");
    assert_eq!(titles, ["letter 6", "letter 5", "letter 4", "letter 3", "letter 2"]);
    let lines = card.texts(".past li");
    assert!(lines[0].contains("Approved") && lines[0].contains("by decider with 1 edit"), "{}", lines[0]);
    assert!(
        lines[0].contains("Failed") && lines[0].contains("No route."),
        "how the last run ended: {}",
        lines[0]
    );
    assert!(lines[1].contains("Rejected") && lines[1].contains("Too early."), "{}", lines[1]);
    let (past, preview) =
        (card.html.find("past-title").expect("said"), card.html.find("preview-body").expect("shown"));
    assert!(preview < past, "it stands after the content");
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn nothing_of_another_project_is_told(db: PgPool) {
    let app = TestApp::start(&db).await;
    let ada = app.ada().await;
    let (foreign, foreign_decider) = app.foreign_project().await;
    let theirs = app.with_key(&foreign.key).proposed(&mail_with(json!({}))).await;
    let no = json!({"decision": "reject", "comment": "Their secret."});
    app.with_key(&foreign_decider.key).decide(&theirs, &no).await.expect(200);
    let ours = app.agent().proposed(&mail_with(json!({}))).await;
    let card = ada.open(&format!("/inbox/{ours}")).await;
    assert!(!card.has(".alike, .past") && !card.html.contains("Their secret."));
}
