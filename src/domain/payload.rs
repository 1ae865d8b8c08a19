//! A payload: any JSON value that survives the trip unchanged.
//!
//! Digests are taken over RFC 8785, which knows numbers as IEEE 754 doubles (I-JSON, RFC 7493). A larger integer
//! would be shown as one number and hashed as another, so it is refused at the door; so is a NUL, which the database
//! can't hold.

use serde_json::Value;

use super::text::{FieldError, PAYLOAD_MAX_BYTES, no_nul};

/// Largest integer that a double holds together with all its neighbours.
const EXACT_MAX: u64 = (1 << 53) - 1;

/// Checks a payload's size, numbers and texts.
///
/// # Errors
/// Names the field within the payload, the limit and the fix.
pub fn check(field: &str, value: &Value) -> Result<(), FieldError> {
    check_up_to(field, value, PAYLOAD_MAX_BYTES)
}

/// Checks a JSON value that may take `max_bytes` when written without white space.
///
/// # Errors
/// As [`check`].
pub fn check_up_to(field: &str, value: &Value, max_bytes: usize) -> Result<(), FieldError> {
    let sent = value.to_string().len();
    if sent > max_bytes {
        return Err(FieldError::too_long(field, max_bytes as u64, sent as u64, "bytes of JSON"));
    }
    keeps_unchanged(field, value)
}

fn keeps_unchanged(field: &str, value: &Value) -> Result<(), FieldError> {
    match value {
        Value::Number(number) => {
            // What does not fit into 64 bits was read as a double already, and may have lost digits.
            #[expect(clippy::cast_precision_loss, reason = "a double holds this one exactly")]
            let inexact = number.as_u64().is_some_and(|n| n > EXACT_MAX)
                || number.as_i64().is_some_and(|n| n.unsigned_abs() > EXACT_MAX)
                || number.as_f64().is_some_and(|n| n.fract() == 0.0 && n.abs() > EXACT_MAX as f64);
            match inexact {
                true => Err(FieldError::invalid(
                    field,
                    format!(
                        "the number {number} is beyond ±{EXACT_MAX}, where JSON readers lose digits. Send it as a string."
                    ),
                )),
                false => Ok(()),
            }
        }
        Value::Array(items) => items
            .iter()
            .enumerate()
            .try_for_each(|(index, item)| keeps_unchanged(&format!("{field}.{index}"), item)),
        Value::Object(members) => members.iter().try_for_each(|(key, member)| {
            no_nul(field, key)?;
            keeps_unchanged(&format!("{field}.{key}"), member)
        }),
        Value::String(text) => no_nul(field, text),
        Value::Null | Value::Bool(_) => Ok(()),
    }
}

/// The JSON type of a value with its article, in the words of the JSON RFC.
pub fn type_name(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn integers_that_a_double_cannot_hold_are_refused_by_name() {
        assert!(check("payload", &json!({"a": [EXACT_MAX, -9_007_199_254_740_991_i64]})).is_ok());
        let error = check("payload", &json!({"a": [1, {"id": EXACT_MAX + 1}]})).unwrap_err();
        assert_eq!(error.field, "payload.a.1.id");
        assert!(check("payload", &json!(i64::MIN)).is_err());
        let longer: Value = serde_json::from_str("99999999999999999999").unwrap();
        assert!(check("payload", &longer).is_err(), "though it was read as a double");
        assert!(check("payload", &json!(0.1)).is_ok());
    }

    #[test]
    fn a_nul_is_refused_in_keys_and_values() {
        assert_eq!(check("payload", &json!({"a": ["\0"]})).unwrap_err().field, "payload.a.0");
        assert_eq!(check("payload", &json!({"o": {"a\0": 1}})).unwrap_err().field, "payload.o");
    }

    #[test]
    fn size_is_measured_as_compact_json() {
        assert!(check("payload", &json!("x".repeat(PAYLOAD_MAX_BYTES - 2))).is_ok());
        assert_eq!(check("payload", &json!("x".repeat(PAYLOAD_MAX_BYTES - 1))).unwrap_err().code, "too_long");
    }
}
