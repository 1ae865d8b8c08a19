//! The corpus of attacks in everything that a stranger can write: no page gets an element or attribute from it.
//!
//! What a browser does with it is tested with a browser; this proves the HTML, for every vector and every place.

use std::collections::BTreeSet;

use futures::StreamExt as _;
use serde::Deserialize;
use serde_json::json;
use sqlx::PgPool;

use crate::support::{Browser, Page, TestApp, api::mail_with};

#[derive(Deserialize)]
struct Vector {
    name: String,
    text: String,
}

fn corpus() -> Vec<Vector> {
    serde_json::from_str(include_str!("fixtures/xss.json")).expect("the corpus")
}

/// Elements that our pages are made of; everything that loads or runs something is missing, except our own scripts.
const KNOWN: &str = "html head meta link title body script header main nav a span svg path div p h1 h2 h3 h4 h5 h6 strong \
                     em del s code pre br hr ul ol li table thead tbody tr th td blockquote section article figure \
                     figcaption details summary dl dt dd form input textarea button label select option datalist fieldset legend \
                     noscript time sup sub small b i u mark ins kbd dialog leptos-island";

/// The parts of a page that come to life.
const ISLANDS: [&str; 4] = ["DecisionBar_", "CopyButton_", "LiveSign_", "Offline_"];

/// Nothing in the page loads, runs, or leads anywhere by an attack's doing.
#[track_caller]
fn assert_inert(page: &Page, name: &str) {
    let known: BTreeSet<&str> = KNOWN.split_whitespace().collect();
    let policy = page.header("content-security-policy");
    for element in page.document().root_element().descendent_elements() {
        let tag = element.value().name();
        assert!(known.contains(tag), "{name}: <{tag}> in {}", element.html());
        for (attribute, value) in element.value().attrs() {
            let is_safe = match attribute {
                "style" | "srcdoc" | "formaction" | "ping" | "background" | "poster" | "srcset" => false,
                // What presses something without a script.
                "command" | "commandfor" => element.attr("class") == Some("menu-button"),
                "src" | "action" => value.starts_with('/') && !value.starts_with("//"),
                "href" => {
                    ["/", "#", "http://", "https://", "mailto:"].iter().any(|start| value.starts_with(start))
                        || value.is_empty()
                }
                _ => !attribute.starts_with("on"),
            };
            assert!(is_safe, "{name}: {attribute}={value:?} on <{tag}>");
        }
        if tag == "script" {
            let nonce = element.attr("nonce").unwrap_or_default();
            let is_ours = element.attr("src").is_some() || (!nonce.is_empty() && policy.contains(nonce));
            assert!(is_ours, "{name}: a script that is not ours: {}", element.html());
        }
        if tag == "leptos-island" {
            let component = element.attr("data-component").unwrap_or_default();
            let is_ours = ISLANDS.iter().any(|island| component.starts_with(island));
            assert!(is_ours, "{name}: an island of a stranger: {component}");
        }
        if tag == "dialog" {
            let class = element.attr("class").unwrap_or_default();
            let is_ours = element.attr("id") == Some("shortcuts") || class == "sheet confirm";
            assert!(is_ours, "{name}: a sheet of a stranger: {}", element.html());
        }
        if tag == "meta" {
            assert!(element.attr("http-equiv").is_none(), "{name}: {}", element.html());
        }
        if tag == "a" && element.attr("href").is_some_and(|href| href.starts_with("http")) {
            let rel = element.attr("rel").unwrap_or_default();
            assert!(rel.contains("noopener") && rel.contains("nofollow"), "{name}: {}", element.html());
        }
    }
    assert_eq!(
        page.texts("form:not([method=dialog])").len(),
        page.attributes("form", "action").len(),
        "{name}: every form is ours"
    );
}

/// Proposes with the attack in every field, looks at the card, decides with it in every field, and looks again.
async fn attack(app: &TestApp, ada: &Browser, vector: &Vector) {
    let Vector { name, text } = vector;
    let payload = json!({text: [text, {"k": text}], "edit": text});
    let body = json!({"format": "markdown", "body": format!("{text}\n\n{text}")});
    let mut proposal = mail_with(
        json!({"preview": body, "payload": payload, "undo": text, "editable": ["preview.body", "payload.edit"]}),
    );
    proposal["kind"] = json!(text.chars().take(100).collect::<String>());
    proposal["title"] = json!(text);
    let mut answer = app.agent().propose(&proposal).await;
    if answer.status == 400 {
        // Not everything fits into one line; the rest may.
        proposal["title"] = json!(name);
        proposal["kind"] = json!("attack");
        answer = app.agent().propose(&proposal).await;
    }
    if answer.status == 400 {
        assert!(text.contains('\0'), "{name}: {}", answer.text);
        return;
    }
    let made = answer.expect(201);
    let id = made["id"].as_str().expect("an id");
    let card = ada.open(&format!("/inbox/{id}")).await;
    assert_eq!(card.status, 200, "{name}");
    assert_inert(&card, name);
    for area in card.attributes("textarea", "name") {
        assert!(
            ["edits[0]", "edits[1]", "comment"].contains(&area.as_str()),
            "{name}: a box of a stranger: {area}"
        );
    }
    let untouched = card.decide_form();
    let shown =
        untouched.iter().find(|field| field.0 == "edits[0]").map(|field| field.1.replace("\r\n", "\n"));
    let sent = format!("{text}\n\n{text}").replace("\r\n", "\n").replace('\r', "\n");
    assert_eq!(shown, Some(sent), "{name}: the text box holds the text");

    let typed = format!("edited {text}");
    let answer = ada.submit_decide_form(id, "approve", &[("edits[0]", &typed), ("comment", text)]).await;
    assert!(answer.location().ends_with("?done=1"), "{name}: {}", answer.location());
    let report = json!({"status": "executed", "detail": text, "payload": {"out": text}});
    app.agent().report(id, &report).await.expect(200);
    assert_inert(&ada.follow(&answer).await, name);

    // The same again: its card tells of the first one and its run, and a page with others shows it.
    let again = app.agent().proposed(&proposal).await;
    let card = ada.open(&format!("/inbox/{again}")).await;
    assert!(card.has(".alike") && card.has(".past-run"), "{name}");
    assert_inert(&card, name);
    let many = ada.open(&format!("/inbox/decide?verdict=approve&pick={again}")).await;
    assert!(many.has(".many-item"), "{name}");
    assert_inert(&many, name);
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn nothing_of_the_corpus_becomes_part_of_a_page(db: PgPool) {
    let app = TestApp::start(&db).await;
    let ada = app.ada().await;
    let corpus = corpus();
    assert!(corpus.len() >= 100);
    futures::stream::iter(&corpus)
        .for_each_concurrent(4, async |vector| attack(&app, &ada, vector).await)
        .await;
    let mut address = "/history".to_owned();
    loop {
        let history = ada.open(&address).await;
        assert_inert(&history, &address);
        match history.attributes(".pager a[rel=next]", "href").pop() {
            Some(older) => address = older,
            None => break,
        }
    }
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn the_inbox_and_an_agents_name_are_untrusted_too(db: PgPool) {
    let app = TestApp::start(&db).await;
    let ada = app.ada().await;
    let mut searches = Vec::new();
    for vector in corpus().iter().take(60) {
        let words: String = vector.text.chars().take(200).collect();
        let query = url::form_urlencoded::Serializer::new(String::new()).append_pair("q", &words).finish();
        searches.push(format!("/inbox?{query}"));
        let name: String = vector
            .text
            .chars()
            .filter(|c| !c.is_control() && !matches!(c, '\u{2028}' | '\u{2029}'))
            .take(100)
            .collect();
        let scopes = [impri::domain::scope::Scope::Actions];
        let key = app.key(&name, &scopes, None).await;
        let proposal = mail_with(json!({"title": vector.text, "preview": {"body": vector.text}}));
        app.with_key(&key.key).propose(&proposal).await;
    }
    for address in ["/inbox", "/history", "/history?event=key.created"] {
        assert_inert(&ada.open(address).await, address);
    }
    for address in searches {
        assert_inert(&ada.open(&address).await, &address);
    }
}
