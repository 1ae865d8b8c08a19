//! The API's description, from OpenAPI to words.

use serde_json::Value;

use crate::wire::docs::{AnswerDocs, CallDocs, CallGroup, DocsView, FieldDocs, ObjectDocs};
use crate::wire::safe_html::SafeHtml;

/// The description as the page shows it.
pub fn docs(api: &Value, origin: &str) -> DocsView {
    let mut operations: Vec<(&String, &String, &Value)> = members(&api["paths"])
        .flat_map(|(path, item)| members(item).map(move |(method, operation)| (path, method, operation)))
        .collect();
    operations.sort_by_key(|(path, method, _)| place(path, method));
    let groups = items(&api["tags"]).map(|tag| {
        let own = operations.iter().filter(|(_, _, operation)| operation["tags"][0] == tag["name"]);
        CallGroup {
            name: text(&tag["name"]),
            about: text(&tag["description"]),
            calls: own.map(|(path, method, operation)| call(path, method, operation)).collect(),
        }
    });
    let objects = members(&api["components"]["schemas"]).map(|(name, schema)| object(name, schema));
    DocsView {
        about: prose(&api["info"]["description"]).unwrap_or_default(),
        origin: origin.to_owned(),
        groups: groups.collect(),
        objects: objects.collect(),
    }
}

/// Where a call stands in its group: what is about one thing before what is about many, and what makes something before
/// what looks for it.
fn place(path: &str, method: &str) -> (String, usize) {
    let methods = ["post", "get", "patch", "delete"];
    let method = methods.iter().position(|each| *each == method).unwrap_or(methods.len());
    (path.replace('{', " "), method)
}

fn members(value: &Value) -> impl Iterator<Item = (&String, &Value)> {
    value.as_object().into_iter().flatten()
}

fn items(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

/// A text with its code, lists and paragraphs, if there is one.
fn prose(value: &Value) -> Option<SafeHtml> {
    let text = value.as_str().filter(|text| !text.trim().is_empty())?;
    Some(crate::server::text::markdown(text).html)
}

fn call(path: &str, method: &str, operation: &Value) -> CallDocs {
    let scopes = items(&operation["security"]).flat_map(|need| items(&need["key"]).map(text));
    let answers = members(&operation["responses"]).map(|(status, answer)| AnswerDocs {
        status: status.clone(),
        text: prose(&answer["description"]).unwrap_or_default(),
        object: members(&answer["content"]).find_map(|(_, content)| reference(&content["schema"])),
    });
    CallDocs {
        id: text(&operation["operationId"]),
        method: method.to_uppercase(),
        path: path.to_owned(),
        summary: text(&operation["summary"]),
        text: prose(&operation["description"]),
        scopes: scopes.collect(),
        params: items(&operation["parameters"]).map(param).collect(),
        sends: reference(&operation["requestBody"]["content"]["application/json"]["schema"]),
        answers: answers.collect(),
    }
}

fn param(param: &Value) -> FieldDocs {
    let place = match param["in"].as_str() {
        Some("path") => "in the path",
        Some("header") => "header",
        _ => "in the query",
    };
    let kind = kind(&param["schema"]);
    FieldDocs {
        name: text(&param["name"]),
        kind: format!("{kind}, {place}"),
        object: reference(&param["schema"]),
        required: param["required"] == true,
        text: prose(&param["description"]),
    }
}

fn object(name: &str, schema: &Value) -> ObjectDocs {
    let is_required = |field: &str| items(&schema["required"]).any(|name| name == field);
    // A flattened member is a schema of its own beside the object's.
    let own = std::iter::once(schema).chain(items(&schema["allOf"]));
    let fields = own.flat_map(|schema| members(&schema["properties"])).map(|(field, schema)| FieldDocs {
        name: field.clone(),
        kind: kind(schema),
        object: reference(schema),
        required: is_required(field),
        text: prose(&schema["description"]),
    });
    let words = items(&schema["enum"]).chain(items(&schema["oneOf"]).flat_map(|one| items(&one["enum"])));
    ObjectDocs {
        name: name.to_owned(),
        text: prose(&schema["description"]),
        fields: fields.collect(),
        words: words.map(text).collect(),
    }
}

/// The object that a schema is, may be, or lists.
fn reference(schema: &Value) -> Option<String> {
    let own = schema["$ref"].as_str().and_then(|target| target.rsplit('/').next()).map(str::to_owned);
    own.or_else(|| {
        let parts = items(&schema["oneOf"]).chain(items(&schema["anyOf"])).chain(items(&schema["allOf"]));
        parts.chain(schema.get("items")).find_map(reference)
    })
}

fn kind(schema: &Value) -> String {
    let name = match &schema["type"] {
        Value::String(name) => name.clone(),
        Value::Array(names) => {
            let names = names.iter().filter_map(Value::as_str).filter(|name| *name != "null");
            names.collect::<Vec<_>>().join(" or ")
        }
        _ if reference(schema).is_some() => "object".to_owned(),
        _ => "any JSON".to_owned(),
    };
    let name = match name.as_str() {
        "string" if schema["format"] == "uri" => "http or https address",
        "string" => "text",
        "integer" => "whole number",
        "array" => "list",
        other => other,
    };
    let limits = [
        ("minLength", "at least", "characters"),
        ("maxLength", "up to", "characters"),
        ("minItems", "at least", "items"),
        ("maxItems", "up to", "items"),
        ("minimum", "from", ""),
        ("maximum", "to", ""),
    ];
    let limits = limits.into_iter().filter_map(|(member, word, unit)| {
        let limit = schema.get(member).filter(|limit| limit.as_i64() != Some(1) || unit.is_empty())?;
        Some(format!(", {word} {limit} {unit}").trim_end().to_owned())
    });
    std::iter::once(name.to_owned()).chain(limits).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn schemas_are_said_in_words() {
        assert_eq!(
            kind(&json!({"type": ["string", "null"], "maxLength": 2000})),
            "text, up to 2000 characters"
        );
        assert_eq!(
            kind(&json!({"type": "string", "minLength": 1, "maxLength": 9})),
            "text, up to 9 characters"
        );
        assert_eq!(
            kind(&json!({"type": "integer", "minimum": 1, "maximum": 100})),
            "whole number, from 1, to 100"
        );
        assert_eq!(kind(&json!({"type": "array", "maxItems": 50})), "list, up to 50 items");
        assert_eq!(kind(&json!({})), "any JSON");
        let maybe = json!({"oneOf": [{"type": "null"}, {"$ref": "#/components/schemas/Decision"}]});
        assert_eq!((kind(&maybe).as_str(), reference(&maybe).as_deref()), ("object", Some("Decision")));
        let list = json!({"type": "array", "items": {"$ref": "#/components/schemas/Action"}});
        assert_eq!(reference(&list).as_deref(), Some("Action"));
    }
}
