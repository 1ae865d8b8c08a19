use serde_json::{Value, json};
use uuid::Uuid;

use super::*;
use crate::domain::content::ContentDigest;
use crate::domain::decision::Verdict;
use crate::domain::ids::{ActionId, ProjectId, ReceiptId};
use crate::domain::receipt::DecidedBy;

fn claims() -> Claims {
    let digest = ContentDigest::from_slice(&[7; 32]).unwrap();
    Claims {
        iss: "https://impri.example".into(),
        sub: ActionId::from_uuid(Uuid::from_u128(1)),
        jti: ReceiptId::from_uuid(Uuid::from_u128(2)),
        iat: 1_796_000_000,
        exp: Some(1_796_000_600),
        project: ProjectId::from_uuid(Uuid::from_u128(3)),
        kind: "email.send".into(),
        verdict: Verdict::Approve,
        proposed_sha256: digest,
        approved_sha256: Some(digest),
        edited: false,
        decided_by: DecidedBy { kind: "reviewer".into(), id: "rev_x".into(), name: "Zoë".into() },
        channel: "web".into(),
    }
}

fn decoded(part: &str) -> Vec<u8> {
    URL_SAFE_NO_PAD.decode(part).unwrap()
}

#[test]
fn seals_the_standards_example() {
    // RFC 8037, A.1, A.2 and A.4.
    let seed = decoded("nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A");
    let key = SigningKey::stored(&seed, &decoded("11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo")).unwrap();
    let sealed = seal(&key, br#"{"alg":"EdDSA"}"#, b"Example of Ed25519 signing");
    assert_eq!(
        sealed,
        "eyJhbGciOiJFZERTQSJ9.RXhhbXBsZSBvZiBFZDI1NTE5IHNpZ25pbmc.hgyY0il_MGCjP0JzlnLWG1PPOt7-09PGcvMg3AIbQR6dWbhijcNR\
         4ki4iylGjg5BhVsPt9g7sVvpAr_MuM0KAg"
    );
    let keys = KeySet::new(vec![key.public().clone()]);
    assert_eq!(verify(&sealed, &keys), Err(VerifyError::Header), "signed, and no receipt");
}

#[test]
fn what_is_signed_is_what_is_read() {
    let key = SigningKey::generate().0;
    let receipt = sign(&key, &claims()).unwrap();
    let older = SigningKey::generate().0;
    let keys = KeySet::new(vec![older.public().clone(), key.public().clone()]);
    assert_eq!(verify(receipt.as_str(), &keys), Ok(claims()));

    let parts: Vec<&str> = receipt.as_str().split('.').collect();
    let header: Value = serde_json::from_slice(&decoded(parts[0])).unwrap();
    assert_eq!(header, json!({"alg": "EdDSA", "kid": key.public().kid(), "typ": "impri-receipt+jwt"}));
    let payload: Value = serde_json::from_slice(&decoded(parts[1])).unwrap();
    assert_eq!(payload["approved_sha256"], "07".repeat(32));
    assert_eq!(payload["decided_by"], json!({"type": "reviewer", "id": "rev_x", "name": "Zoë"}));
}

#[test]
fn one_changed_character_anywhere_is_refused() {
    let key = SigningKey::generate().0;
    let keys = KeySet::new(vec![key.public().clone()]);
    let receipt = sign(&key, &claims()).unwrap();
    let text = receipt.as_str();
    for place in 0..text.len() {
        for other in "AQgw_-.=+ ".chars().filter(|other| !text[place..].starts_with(*other)) {
            let changed = format!("{}{other}{}", &text[..place], &text[place + 1..]);
            assert!(verify(&changed, &keys).is_err(), "{other:?} at {place}");
        }
        assert!(verify(&text[..place], &keys).is_err(), "cut off at {place}");
    }
    assert!(verify(&format!("{text}="), &keys).is_err());
    assert!(verify(&format!("{text}\n"), &keys).is_err());
    assert!(verify(&format!("{text}.{text}"), &keys).is_err());
}

#[test]
fn no_other_algorithm_type_or_key_passes() {
    let key = SigningKey::generate().0;
    let keys = KeySet::new(vec![key.public().clone()]);
    let payload = serde_json::to_vec(&claims()).unwrap();
    let kid = key.public().kid();
    let refused =
        |header: Value| verify(&seal(&key, header.to_string().as_bytes(), &payload), &keys).unwrap_err();
    for alg in ["none", "HS256", "ES256", "eddsa", "Ed448", ""] {
        assert_eq!(refused(json!({"alg": alg, "kid": kid, "typ": RECEIPT_TYPE})), VerifyError::Algorithm);
    }
    assert_eq!(refused(json!({"alg": "EdDSA", "kid": kid, "typ": "JWT"})), VerifyError::Type);
    assert_eq!(
        refused(json!({"alg": "EdDSA", "kid": "x", "typ": RECEIPT_TYPE})),
        VerifyError::UnknownKey("x".into())
    );
    for header in [
        json!({"alg": "EdDSA", "kid": kid, "typ": RECEIPT_TYPE, "crit": ["exp"]}),
        json!({"alg": "EdDSA", "kid": kid, "typ": RECEIPT_TYPE, "jwk": {}}),
        json!({"alg": "EdDSA", "typ": RECEIPT_TYPE}),
        json!({"alg": "EdDSA", "kid": kid}),
        json!([]),
    ] {
        assert_eq!(refused(header), VerifyError::Header);
    }

    // The public key taken for a shared secret, and no signature at all.
    let header = json!({"alg": "HS256", "kid": kid, "typ": RECEIPT_TYPE}).to_string();
    let message = format!("{}.{}", URL_SAFE_NO_PAD.encode(header), URL_SAFE_NO_PAD.encode(&payload));
    let mut mac = {
        use hmac::Mac as _;
        hmac::Hmac::<sha2::Sha256>::new_from_slice(key.public().as_bytes()).unwrap()
    };
    hmac::Mac::update(&mut mac, message.as_bytes());
    let tag = URL_SAFE_NO_PAD.encode(hmac::Mac::finalize(mac).into_bytes());
    assert_eq!(verify(&format!("{message}.{tag}"), &keys), Err(VerifyError::Algorithm));
    let receipt = sign(&key, &claims()).unwrap();
    let (message, _) = receipt.as_str().rsplit_once('.').unwrap();
    assert_eq!(verify(&format!("{message}."), &keys), Err(VerifyError::Signature));

    let stranger = SigningKey::generate().0;
    let header = json!({"alg": "EdDSA", "kid": kid, "typ": RECEIPT_TYPE}).to_string();
    let forged = seal(&stranger, header.as_bytes(), &payload);
    assert_eq!(verify(&forged, &keys), Err(VerifyError::Signature));
    let no_claims = seal(&key, header.as_bytes(), br#"{"iss":"https://impri.example"}"#);
    assert_eq!(verify(&no_claims, &keys), Err(VerifyError::Claims));
}
