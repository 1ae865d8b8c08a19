//! A push service as RFC 8030 describes it, with browsers behind it: it checks the header fields (§5.2 TTL, §5.3 Urgency,
//! §5.4 Topic), the size (§7.2), and who sends (RFC 8292 §4.2), and decrypts with another implementation than the
//! product's what a browser would (RFC 8291, and its example in appendix A), with the key that only the browser has.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use axum::Router;
use axum::body::Bytes;
use axum::extract::{Path, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use axum::routing::post;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use impri::server::random;
use impri::server::service::SentSubscription;
use ring::signature::{ECDSA_P256_SHA256_FIXED, UnparsedPublicKey};
use serde_json::Value;
use tokio::net::TcpListener;
use web_push_native::p256::SecretKey;
use web_push_native::p256::elliptic_curve::sec1::ToEncodedPoint as _;
use web_push_native::{Auth, decrypt};

/// What a browser was told.
#[derive(Debug, Clone)]
pub(super) struct Told {
    /// Which one.
    pub(super) browser: String,
    /// What it shows.
    pub(super) said: Value,
    /// `ttl`, `urgency` and the like.
    pub(super) headers: HeaderMap,
    /// What the sender says of itself.
    pub(super) claims: Value,
    /// The key that it signed with.
    pub(super) key: String,
}

#[derive(Default)]
struct Shared {
    browsers: BTreeMap<String, (SecretKey, [u8; 16])>,
    told: Vec<Told>,
    refusals: Vec<StatusCode>,
}

/// The service.
pub(super) struct FakePush {
    pub(super) origin: String,
    shared: Arc<Mutex<Shared>>,
}

impl FakePush {
    pub(super) async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a socket");
        let origin = format!("http://{}", listener.local_addr().expect("an address"));
        let shared = Arc::<Mutex<Shared>>::default();
        let state = (origin.clone(), shared.clone());
        let router = Router::new().route("/push/{browser}", post(take)).with_state(state);
        tokio::spawn(async move { axum::serve(listener, router).await });
        Self { origin, shared }
    }

    /// What a browser says after it subscribed.
    pub(super) fn subscribe(&self, browser: &str) -> SentSubscription {
        let secret = SecretKey::from_slice(&random::bytes::<32>()).expect("a key");
        let auth = random::bytes::<16>();
        let public = secret.public_key().to_encoded_point(false);
        self.shared.lock().expect("no panic").browsers.insert(browser.to_owned(), (secret, auth));
        SentSubscription {
            endpoint: format!("{}/push/{browser}", self.origin),
            p256dh: URL_SAFE_NO_PAD.encode(public.as_bytes()),
            auth: URL_SAFE_NO_PAD.encode(auth),
        }
    }

    /// A browser that is not subscribed any more.
    pub(super) fn forget(&self, browser: &str) {
        self.shared.lock().expect("no panic").browsers.remove(browser);
    }

    pub(super) fn told(&self) -> Vec<Told> {
        self.shared.lock().expect("no panic").told.clone()
    }

    pub(super) fn titles(&self) -> Vec<String> {
        self.told().iter().map(|told| told.said["title"].as_str().expect("a title").to_owned()).collect()
    }

    pub(super) fn refuse(&self, status: StatusCode) {
        self.shared.lock().expect("no panic").refusals.push(status);
    }
}

async fn take(
    State((origin, shared)): State<(String, Arc<Mutex<Shared>>)>,
    Path(browser): Path<String>,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    let mut shared = shared.lock().expect("no panic");
    if let Some(status) = shared.refusals.pop() {
        return (status, [(header::RETRY_AFTER, "21")]).into_response();
    }
    let Some((secret, auth)) = shared.browsers.get(&browser) else {
        return StatusCode::GONE.into_response();
    };
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let Some((claims, key)) = signed(text("authorization"), &origin) else {
        return StatusCode::FORBIDDEN.into_response();
    };
    assert!(text("ttl").parse::<u32>().is_ok(), "§5.2: a number of seconds");
    assert!(["very-low", "low", "normal", "high"].contains(&text("urgency")), "§5.3");
    let topic = text("topic");
    let is_safe = |letter: u8| letter.is_ascii_alphanumeric() || letter == b'-' || letter == b'_';
    assert!(topic.len() <= 32 && topic.bytes().all(is_safe), "§5.4");
    assert_eq!(text("content-encoding"), "aes128gcm");
    if body.len() > 4_096 {
        return StatusCode::PAYLOAD_TOO_LARGE.into_response();
    }
    let content =
        decrypt(body.to_vec(), secret, &Auth::clone_from_slice(auth)).expect("encrypted for this browser");
    let said = serde_json::from_slice(&content).expect("JSON");
    let told = Told { browser, said, headers: headers.clone(), claims, key };
    shared.told.push(told);
    StatusCode::CREATED.into_response()
}

/// What a token says, and the key that signed it, if it is for this service.
fn signed(authorization: &str, origin: &str) -> Option<(Value, String)> {
    let parameters = authorization.strip_prefix("vapid ")?;
    let mut parts = parameters.split(',').map(str::trim);
    let token = parts.next()?.strip_prefix("t=")?;
    let key = parts.next()?.strip_prefix("k=")?;
    let (message, signature) = token.rsplit_once('.')?;
    let (header, claims) = message.split_once('.')?;
    let json = |part: &str| serde_json::from_slice::<Value>(&URL_SAFE_NO_PAD.decode(part).ok()?).ok();
    let public = UnparsedPublicKey::new(&ECDSA_P256_SHA256_FIXED, URL_SAFE_NO_PAD.decode(key).ok()?);
    public.verify(message.as_bytes(), &URL_SAFE_NO_PAD.decode(signature).ok()?).ok()?;
    let claims = json(claims)?;
    let fits = json(header)?["alg"] == "ES256" && claims["aud"] == origin && claims["sub"].is_string();
    fits.then(|| (claims, key.to_owned()))
}

#[test]
fn the_browsers_decrypt_the_example_of_the_standard() {
    // RFC 8291, appendix A.
    let decode = |text: &str| URL_SAFE_NO_PAD.decode(text).expect("base64url");
    let secret =
        SecretKey::from_slice(&decode("q1dXpw3UpT5VOmu_cf_v6ih07Aems3njxI-JWgLcM94")).expect("a key");
    let auth = Auth::clone_from_slice(&decode("BTBZMqHH6r4Tts7J_aSIgg"));
    let body = decode(concat!(
        "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27ml",
        "mlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPT",
        "pK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN",
    ));
    let content = decrypt(body, &secret, &auth).expect("the example");
    assert_eq!(content, b"When I grow up, I want to be a watermelon");
}
