//! A card that a form was sent on to: it takes what was typed for it, and says so if there is something that it can't take.

use serde_json::json;
use sqlx::PgPool;

use crate::support::{TestApp, api::mail_with};

fn borrowed(fields: &[(String, String)]) -> Vec<(&str, &str)> {
    fields.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect()
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn what_was_typed_for_one_card_is_filled_into_no_other(db: PgPool) {
    let app = TestApp::start(&db).await;
    let ada = app.ada().await;
    let propose = async |title: &str, body: &str| {
        let proposal = json!({
            "title": title,
            "preview": {"format": "plain", "body": body},
            "editable": ["preview.body"],
        });
        app.agent().proposed(&mail_with(proposal)).await
    };
    let (one, other) = (propose("One", "Pay Ann 5 EUR").await, propose("Other", "Pay Bob 7 EUR").await);
    let fresh = ada.open(&format!("/inbox/{one}")).await.decide_form();
    let typed = [("edits[0]", "Pay Eve 900 EUR"), ("comment", "hers")];
    let sent = ada.decide_fields(&other, "approve", &typed).await;
    let nameless: Vec<(String, String)> =
        sent.iter().filter(|(name, _)| !matches!(name.as_str(), "id" | "seen")).cloned().collect();
    for fields in [&sent, &nameless] {
        let page = ada.submit(&format!("/inbox/{one}"), &borrowed(fields)).await;
        assert_eq!(page.status, 409);
        assert!(page.text("[role=alert]").contains("for another action"), "{}", page.html);
        assert_eq!(page.decide_form(), fresh, "as if nothing had been typed");
        assert!(!page.html.contains("Eve"));
    }
    // The right action, but not what it says.
    let mut stale = ada.decide_fields(&one, "approve", &typed).await;
    let seen = stale.iter().position(|(name, _)| name == "seen").expect("a digest");
    stale[seen].1 = sent.iter().find(|(name, _)| name == "seen").expect("a digest").1.clone();
    let page = ada.submit(&format!("/inbox/{one}"), &borrowed(&stale)).await;
    assert!(page.status == 409 && page.decide_form() == fresh);
    assert!(page.text("[role=alert]").contains("not what this page showed"), "{}", page.html);
    // Its own come back, and nothing at all is nothing to speak of.
    let page = ada.submit(&format!("/inbox/{other}"), &borrowed(&sent)).await;
    assert!(page.status == 200 && !page.has("[role=alert]"));
    assert!(page.text("textarea[name='edits[0]']").contains("Eve"));
    let page = ada.submit(&format!("/inbox/{one}"), &[]).await;
    assert!(page.status == 200 && !page.has("[role=alert]") && page.decide_form() == fresh);
    // Decided meanwhile with an edit, so that the card shows another text than the one that was seen.
    let edited = json!({"decision": "approve", "edited": {"preview.body": "Pay Bob 6 EUR"}});
    app.decider().decide(&other, &edited).await.expect(200);
    let page = ada.submit(&format!("/inbox/{other}"), &borrowed(&sent)).await;
    assert!(page.status == 200 && !page.has("[role=alert]") && !page.html.contains("Eve"), "{}", page.html);
    assert_eq!(app.agent().read(&one).await["status"], "pending");
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn what_is_too_long_to_be_kept_is_said_to_be_lost(db: PgPool) {
    let app = TestApp::start(&db).await;
    let ada = app.ada().await;
    let id = app.agent().proposed(&mail_with(json!({"editable": ["preview.body"]}))).await;
    let card = format!("/inbox/{id}");
    let fresh = ada.open(&card).await.decide_form();
    // Escaped it is thrice as long: the first fits by a few bytes, the second does not.
    for (len, status) in [(690_000, 200), (700_000, 413), (5_000_000, 413)] {
        let long = "\u{fc}".repeat(len / 2);
        let sent = ada.decide_fields(&id, "approve", &[("edits[0]", long.as_str())]).await;
        let page = ada.submit(&card, &borrowed(&sent)).await;
        assert_eq!(page.status, status, "{len}");
        if status == 200 {
            assert!(page.text("textarea[name='edits[0]']").starts_with("\u{fc}\u{fc}"));
            continue;
        }
        let said = page.text("[role=alert]");
        assert!(said.contains("longer than the 2 MiB") && said.contains("Nothing was decided"), "{said}");
        assert_eq!(page.decide_form(), fresh);
        // Whatever it was refused for before.
        let page = ada.submit(&format!("{card}?refused=bad-edit"), &borrowed(&sent)).await;
        assert!(page.text("[role=alert]").contains("longer than the 2 MiB"));
    }
    let name = "x".repeat(2_200_000);
    let page = ada.submit("/account?refused=bad-name", &[("name", name.as_str())]).await;
    assert_eq!(page.status, 413);
    assert!(page.text("[role=alert]").contains("longer than the 2 MiB"), "{}", page.text("main"));
    assert_eq!(app.agent().read(&id).await["status"], "pending");
}
