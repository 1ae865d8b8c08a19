//! JSON schemas of what tools take and give, made of their Rust types and stripped of what only a validator needs:
//! models read these, and every word costs them.

use std::sync::Arc;

use schemars::generate::SchemaSettings;
use schemars::transform::{Transform, transform_subschemas};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde_json::{Map, Value};

/// The schema of a tool's arguments.
pub(super) fn of_arguments<T: JsonSchema>() -> Arc<Map<String, Value>> {
    plain(SchemaSettings::draft2020_12().for_deserialize(), SchemaGenerator::into_root_schema_for::<T>)
}

/// The schema of a tool's structured answer.
pub(super) fn of_answer<T: JsonSchema>() -> Arc<Map<String, Value>> {
    plain(SchemaSettings::draft2020_12().for_serialize(), SchemaGenerator::into_root_schema_for::<T>)
}

fn plain(settings: SchemaSettings, of: impl FnOnce(SchemaGenerator) -> Schema) -> Arc<Map<String, Value>> {
    let settings = settings.with(|settings| settings.inline_subschemas = true).with_transform(Plain);
    let mut schema = of(settings.into_generator());
    for key in ["$schema", "title", "description"] {
        schema.remove(key);
    }
    Arc::new(schema.as_object().cloned().unwrap_or_default())
}

/// Absent is absent: nobody needs to know that `null` is taken for it too, nor how wide a Rust integer is.
#[derive(Debug, Clone)]
struct Plain;

impl Transform for Plain {
    fn transform(&mut self, schema: &mut Schema) {
        if let Some(Value::Array(types)) = schema.get_mut("type") {
            types.retain(|kind| kind != "null");
            if let [only] = types.as_slice() {
                let only = only.clone();
                schema.insert("type".to_owned(), only);
            }
        }
        if let Some(Value::Array(mut any)) = schema.remove("anyOf") {
            any.retain(|branch| branch.get("type") != Some(&"null".into()));
            match (any.len(), any.pop()) {
                (1, Some(Value::Object(only))) => {
                    for (key, value) in only {
                        schema.ensure_object().entry(key).or_insert(value);
                    }
                }
                (_, last) => {
                    any.extend(last);
                    schema.insert("anyOf".to_owned(), Value::Array(any));
                }
            }
        }
        if schema.get("default") == Some(&Value::Null) {
            schema.remove("default");
        }
        schema.remove("format");
        if let Some(Value::String(description)) = schema.get_mut("description") {
            *description = description.replace('\n', " ");
        }
        transform_subschemas(self, schema);
    }
}
