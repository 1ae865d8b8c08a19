//! The API's description: whole, served, and true of every answer.

use std::collections::BTreeSet;
use std::process::Command;

use impri::domain::scope::Scope;
use impri::server::config::RateSettings;
use serde_json::Value;
use sqlx::PgPool;

use crate::support::{Settings, TestApp, python};

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn every_endpoint_is_described_with_its_answers(db: PgPool) {
    let app = TestApp::start(&db).await;
    let api = app.without_key().get("/v1/openapi.json").await.expect(200);
    assert_eq!(api["openapi"], "3.1.0");
    let mut names = BTreeSet::new();
    let tags = api["tags"].as_array().expect("groups").iter();
    let tags = tags.filter(|tag| tag["description"].as_str().is_some_and(|text| text.ends_with('.')));
    let groups: BTreeSet<&str> = tags.filter_map(|tag| tag["name"].as_str()).collect();
    let paths = api["paths"].as_object().expect("paths");
    assert!(paths.contains_key("/v1/actions") && paths.contains_key("/v1/actions/{id}/decision"));
    for (path, item) in paths {
        for (method, operation) in item.as_object().expect("operations") {
            let place = format!("{method} {path}");
            let text = |member: &str| operation[member].as_str().unwrap_or_default().to_owned();
            assert!(!text("summary").is_empty(), "{place} says what it does");
            assert!(names.insert(text("operationId")), "{place} has a name of its own");
            let group = operation["tags"][0].as_str().unwrap_or_default();
            assert!(groups.contains(group), "{place} is in no group that is explained");
            let answers = operation["responses"].as_object().expect("answers");
            assert!(answers.keys().any(|status| status.starts_with('2')), "{place} can succeed");
            for (status, answer) in answers {
                assert!(answer["description"].is_string(), "{place} {status}");
                let is_refusal = status.starts_with(['4', '5']);
                let schema = &answer["content"]["application/json"]["schema"]["$ref"];
                assert!(!is_refusal || schema == "#/components/schemas/Refusal", "{place} {status}");
            }
            for status in ["400", "401", "403", "429", "503"] {
                let is_open = operation["security"].as_array().is_none_or(Vec::is_empty);
                assert!(is_open || answers.contains_key(status), "{place} says nothing of {status}");
            }
        }
    }
    assert_refs_lead_somewhere(&api, &api);
}

fn assert_refs_lead_somewhere(value: &Value, api: &Value) {
    match value {
        Value::Object(members) => {
            if let Some(Value::String(target)) = members.get("$ref") {
                let found = target.strip_prefix('#').and_then(|pointer| api.pointer(pointer));
                assert!(found.is_some(), "{target} is not there");
            }
            members.values().for_each(|member| assert_refs_lead_somewhere(member, api));
        }
        Value::Array(items) => items.iter().for_each(|item| assert_refs_lead_somewhere(item, api)),
        _ => {}
    }
}

/// Thousands of requests made from the description, right ones and wrong ones: no answer that it does not foresee. The
/// one check that is left out expects that whatever fits the schemas is accepted; some rules are no matter of schemas
/// (one of `decision` and `verdict`, an editable path that exists). A stream has no end to wait for and tests of its own.
#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn no_answer_is_a_surprise(db: PgPool) {
    let rates = RateSettings::parse("off").expect("limits");
    let app = TestApp::start_with(&db, Settings { rates, ..Settings::default() }).await;
    let admin = app.key("schemathesis", &[Scope::Admin], None).await;
    let mut command = Command::new(python());
    command
        .args(["-m", "schemathesis.cli", "--config-file", "tests/fixtures/schemathesis.toml", "run"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .arg(format!("{}/v1/openapi.json", app.url))
        .args(["-H", &format!("Authorization: Bearer {}", admin.key)])
        .args([
            "--checks",
            "all",
            "--exclude-checks",
            "positive_data_acceptance",
            "--max-response-time",
            "90",
        ])
        .args(["--exclude-path", "/v1/actions/{id}/events"])
        .args(["--phases", "examples,coverage,fuzzing", "--max-examples", "20", "--seed", "1", "--no-color"])
        .args(["--request-timeout", "90", "--suppress-health-check", "all"]);
    let output =
        tokio::task::spawn_blocking(move || command.output()).await.expect("no panic").expect("it runs");
    let text = String::from_utf8_lossy(&output.stdout);
    let start = text.find("FAILURES").unwrap_or_default();
    assert!(output.status.success(), "{}\n{}", &text[start..], String::from_utf8_lossy(&output.stderr));
    assert!(text.contains("No issues found") || text.contains("passed"), "{text}");
}
