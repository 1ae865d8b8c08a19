//! What a person is shown and approves, and the digest that names it.
//!
//! The digest is SHA-256 over the RFC 8785 (JCS) form of the object `{kind, title, preview, payload, target_url}`;
//! members that the agent did not send are left out. One changed character changes the digest.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use sha2::{Digest as _, Sha256};

use super::text::{Kind, Title};

/// How a preview's body is to be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PreviewFormat {
    /// CommonMark with tables; rendered and sanitised.
    Markdown,
    /// Shown exactly as it is. `text` is accepted as another name for it.
    #[serde(alias = "text")]
    Plain,
    /// A unified diff; coloured, never parsed as Markdown.
    Diff,
}

impl PreviewFormat {
    /// Every format.
    pub const ALL: [Self; 3] = [Self::Markdown, Self::Plain, Self::Diff];

    /// The text of the JSON, the database and the style sheets.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Markdown => "markdown",
            Self::Plain => "plain",
            Self::Diff => "diff",
        }
    }

    /// Reads the stored or sent text; `text` means plain.
    pub fn from_text(text: &str) -> Option<Self> {
        match text {
            "markdown" => Some(Self::Markdown),
            "plain" | "text" => Some(Self::Plain),
            "diff" => Some(Self::Diff),
            _ => None,
        }
    }
}

/// What will happen, in the agent's words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Preview {
    /// How to read the body.
    pub format: PreviewFormat,
    /// At most 256 KiB.
    pub body: String,
}

/// Everything that the digest covers.
#[derive(Debug, Clone, PartialEq)]
pub struct Content {
    /// What sort of action.
    pub kind: Kind,
    /// The action in one line.
    pub title: Title,
    /// What will happen.
    pub preview: Preview,
    /// The arguments, for the machine and for the careful reader.
    pub payload: Option<Value>,
    /// Where it will happen.
    pub target_url: Option<String>,
}

impl Content {
    /// The name of exactly this content.
    pub fn digest(&self) -> ContentDigest {
        let mut members = Map::new();
        members.insert("kind".into(), self.kind.as_str().into());
        members.insert("title".into(), self.title.as_str().into());
        members.insert(
            "preview".into(),
            serde_json::json!({"format": self.preview.format.as_str(), "body": self.preview.body}),
        );
        if let Some(payload) = &self.payload {
            members.insert("payload".into(), payload.clone());
        }
        if let Some(target) = &self.target_url {
            members.insert("target_url".into(), target.as_str().into());
        }
        let canonical = canonical_json(&Value::Object(members));
        ContentDigest(Sha256::digest(canonical).into())
    }
}

/// The RFC 8785 form of a value, as UTF-8.
///
/// # Panics
/// Never: every JSON value has one.
pub fn canonical_json(value: &Value) -> Vec<u8> {
    #[expect(clippy::expect_used, reason = "a serde_json::Value has string keys and finite numbers only")]
    serde_json_canonicalizer::to_vec(value).expect("every JSON value has a canonical form")
}

/// SHA-256 of a content's canonical form; written as 64 hexadecimal digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ContentDigest([u8; 32]);

impl ContentDigest {
    /// Takes a stored digest; `None` if it is not 32 bytes.
    pub fn from_slice(bytes: &[u8]) -> Option<Self> {
        bytes.try_into().ok().map(Self)
    }

    /// The bytes.
    pub fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// The first bytes as a reader compares them: `9f2c 41ab`.
    pub fn short(&self) -> String {
        let [a, b, c, d, ..] = self.0;
        format!("{a:02x}{b:02x} {c:02x}{d:02x}")
    }
}

impl std::fmt::Display for ContentDigest {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl std::str::FromStr for ContentDigest {
    type Err = ();
    fn from_str(text: &str) -> Result<Self, ()> {
        if text.len() != 64 || !text.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return Err(());
        }
        let mut bytes = [0; 32];
        for (index, byte) in bytes.iter_mut().enumerate() {
            *byte = u8::from_str_radix(&text[index * 2..index * 2 + 2], 16).map_err(|_| ())?;
        }
        Ok(Self(bytes))
    }
}

impl Serialize for ContentDigest {
    fn serialize<S: serde::Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        s.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for ContentDigest {
    fn deserialize<D: serde::Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        let text = <std::borrow::Cow<'de, str>>::deserialize(d)?;
        text.parse().map_err(|()| serde::de::Error::custom("not 64 hexadecimal digits"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    pub(crate) fn sample() -> Content {
        Content {
            kind: Kind::parse("email.send").unwrap(),
            title: Title::parse("Outreach: Acme").unwrap(),
            preview: Preview { format: PreviewFormat::Markdown, body: "Hi Sarah, …".into() },
            payload: Some(json!({"b": 1, "a": {"x": 1.50, "w": true}})),
            target_url: Some("https://example.org/".into()),
        }
    }

    #[test]
    fn the_digest_is_the_sha256_of_the_rfc_8785_form() {
        let canonical = r#"{"kind":"email.send","payload":{"a":{"w":true,"x":1.5},"b":1},"preview":{"body":"Hi Sarah, …","format":"markdown"},"target_url":"https://example.org/","title":"Outreach: Acme"}"#;
        assert_eq!(sample().digest(), ContentDigest(Sha256::digest(canonical).into()));
    }

    #[test]
    fn key_order_does_not_matter_and_every_member_does() {
        let base = sample().digest();
        let mut same = sample();
        same.payload = Some(json!({"a": {"w": true, "x": 1.5}, "b": 1}));
        assert_eq!(same.digest(), base);
        let changes: [fn(&mut Content); 6] = [
            |c| c.kind = Kind::parse("email.sent").unwrap(),
            |c| c.title = Title::parse("Outreach: Acme.").unwrap(),
            |c| c.preview.body.push('\u{200b}'),
            |c| c.preview.format = PreviewFormat::Plain,
            |c| c.payload = None,
            |c| c.target_url = None,
        ];
        for change in changes {
            let mut other = sample();
            change(&mut other);
            assert_ne!(other.digest(), base);
        }
    }

    #[test]
    fn a_digest_survives_its_text() {
        let digest = sample().digest();
        assert_eq!(digest.to_string().parse(), Ok(digest));
        assert_eq!(serde_json::from_value::<ContentDigest>(json!(digest)).unwrap(), digest);
        for wrong in ["zz", "+f", "é", ""] {
            assert!(wrong.repeat(32).parse::<ContentDigest>().is_err(), "{wrong}");
        }
        assert_eq!(digest.short().len(), 9);
    }

    #[test]
    fn format_names_round_trip() {
        for format in PreviewFormat::ALL {
            assert_eq!(PreviewFormat::from_text(format.as_str()), Some(format));
            assert_eq!(serde_json::to_value(format).unwrap(), json!(format.as_str()));
        }
        assert_eq!(PreviewFormat::from_text("text"), Some(PreviewFormat::Plain));
    }
}
