use super::*;
use crate::domain::content::{Preview, PreviewFormat};
use crate::domain::text::Kind;
use serde_json::json;

fn content() -> Content {
    Content {
        kind: Kind::parse("email.send").unwrap(),
        title: Title::parse("Outreach").unwrap(),
        preview: Preview { format: PreviewFormat::Plain, body: "Hi".into() },
        payload: Some(
            json!({"amount": 42, "flag": true, "none": null, "to": ["a@x.org", "b@x.org"], "o": {"k": "v"}}),
        ),
        target_url: None,
    }
}

fn paths(list: &[&str]) -> Vec<EditablePath> {
    parse_editable(&list.iter().map(|s| (*s).to_owned()).collect::<Vec<_>>(), &content()).unwrap()
}

fn sent(value: Value) -> Map<String, Value> {
    value.as_object().unwrap().clone()
}

#[test]
fn only_existing_well_formed_disjoint_paths_can_be_listed() {
    let listing =
        |list: &[&str]| parse_editable(&list.iter().map(|s| (*s).to_owned()).collect::<Vec<_>>(), &content());
    assert!(listing(&["preview.body", "title", "payload.amount", "payload.to.1", "payload.o.k"]).is_ok());
    for bad in [
        "preview",
        "preview.format",
        "kind",
        "target_url",
        "payload",
        "payload.",
        "payload..a",
        "payload.nope",
        "payload.to.2",
        "payload.__proto__.x",
        "payload.amount.x",
        "",
    ] {
        assert!(listing(&[bad]).is_err(), "{bad}");
    }
    assert!(listing(&["payload.o", "payload.o.k"]).is_err());
    assert!(listing(&["title", "title"]).is_err());
    assert!(listing(&vec!["title"; 51]).is_err());
}

#[test]
fn an_edit_keeps_the_json_type() {
    let editable = paths(&["payload.amount", "payload.flag", "payload.none", "payload.o", "preview.body"]);
    for bad in [
        json!({"payload.amount": ""}),
        json!({"payload.flag": "true"}),
        json!({"payload.none": 1}),
        json!({"payload.o": []}),
        json!({"preview.body": 12345}),
    ] {
        assert!(
            matches!(check_edits(&content(), &editable, &sent(bad.clone())), Err(EditRefusal::Invalid(_))),
            "{bad}"
        );
    }
    let edits =
        check_edits(&content(), &editable, &sent(json!({"payload.amount": 41.5, "payload.none": null})))
            .unwrap();
    assert_eq!(edits.len(), 1);
    assert_eq!(apply(&content(), &edits).unwrap().payload.unwrap()["amount"], json!(41.5));
}

#[test]
fn what_equals_the_original_is_no_edit() {
    let editable = paths(&["payload.amount", "title", "preview.body"]);
    let same = sent(json!({"payload.amount": 42, "title": "Outreach", "preview.body": "Hi"}));
    assert_eq!(check_edits(&content(), &editable, &same).unwrap(), Vec::new());
}

#[test]
fn unlisted_paths_are_refused_by_name() {
    let refused =
        check_edits(&content(), &paths(&["title"]), &sent(json!({"preview.body": "x", "title": "y"})));
    assert_eq!(refused, Err(EditRefusal::NotEditable(vec!["preview.body".into()])));
}

#[test]
fn limits_apply_again() {
    let editable = paths(&["title", "preview.body", "payload.o.k"]);
    for bad in [
        json!({"title": "two\nlines"}),
        json!({"title": ""}),
        json!({"preview.body": "x".repeat(262_145)}),
        json!({"payload.o.k": "x".repeat(262_144)}),
    ] {
        assert!(matches!(check_edits(&content(), &editable, &sent(bad)), Err(EditRefusal::Invalid(_))));
    }
}
