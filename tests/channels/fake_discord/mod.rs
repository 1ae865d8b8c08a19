//! Discord as its documentation describes it (<https://docs.discord.com/developers/reference>): one application with a bot
//! in one channel. It checks who calls, what is sent and how long it is, keeps the messages, hands out interactions by its
//! gateway, and refuses as Discord does. The REST side is in [`rest`], the gateway in [`gateway`].

mod check;
mod gateway;
mod rest;

use std::collections::{BTreeMap, VecDeque};
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard};

use ring::signature::{Ed25519KeyPair, KeyPair as _};
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::sync::watch;

pub(super) use self::gateway::Kick;
use crate::delivery::soon;

pub(super) const TOKEN: &str = "MTE5OTY5NTI2NTEyMzQ1Njc4.GxYzAb.q0w9e8r7t6y5u4i3o2p1a0s9d8f7g6h5j4k3l2";
pub(super) const CHANNEL: &str = "1199700000000000001";
pub(super) const APPLICATION: &str = "1199695265123456780";
pub(super) const ADA: &str = "80351110224678912";
pub(super) const STRANGER: &str = "80351110224678999";
/// A webhook's path below the address.
pub(super) const HOOK: &str = "/api/webhooks/1199700000000000007/s3cr3t";

/// The server.
pub(super) struct FakeDiscord {
    address: SocketAddr,
    shared: Shared,
}

/// What both of its sides know.
#[derive(Clone)]
struct Shared {
    state: Arc<Mutex<State>>,
    /// Rings when something changed.
    bell: watch::Sender<u64>,
}

#[derive(Default)]
struct State {
    messages: BTreeMap<u64, Message>,
    last_id: u64,
    edits: usize,
    /// By their tokens.
    interactions: BTreeMap<String, Asked>,
    /// Answers that come before the usual ones, by method and the end of the path.
    refusals: Vec<(&'static str, &'static str, u16, Value)>,
    /// Whether embeds are left out, as where a permission is missing.
    drops_embeds: bool,
    /// Where the gateway is.
    gateway: String,
    /// Milliseconds between heartbeats.
    interval: u64,
    is_deaf: bool,
    events: Vec<Value>,
    /// How programs came in: `identify` or `resume`.
    entries: Vec<&'static str>,
    beats: usize,
    /// Connections that were let in, at once and at most.
    live: usize,
    most_live: usize,
    /// What was called: method and path.
    calls: Vec<String>,
    session: u64,
    kicks: VecDeque<Kick>,
}

/// An interaction, and what was answered to it.
#[derive(Clone, Debug, Default)]
struct Asked {
    id: String,
    first: Option<Value>,
    then: Option<Value>,
}

/// A message in the channel.
#[derive(Clone, Debug)]
pub(super) struct Message {
    pub(super) id: u64,
    pub(super) sent: Value,
}

impl Message {
    /// All that people read of it, with its markup.
    pub(super) fn raw(&self) -> String {
        let embeds = self.sent["embeds"].as_array().into_iter().flatten();
        let texts = embeds.map(|embed| embed["description"].as_str().unwrap_or_default().to_owned());
        [self.sent["content"].as_str().unwrap_or_default().to_owned()]
            .into_iter()
            .chain(texts)
            .collect::<Vec<_>>()
            .join("\n")
    }

    /// The same without its escapes.
    pub(super) fn text(&self) -> String {
        let (mut text, mut raw) = (String::new(), self.raw());
        raw.retain(|character| character != '\u{200b}');
        let mut characters = raw.chars();
        while let Some(character) = characters.next() {
            text.extend(if character == '\\' { characters.next() } else { Some(character) });
        }
        text
    }

    pub(super) fn labels(&self) -> Vec<String> {
        self.buttons().map(|button| button["label"].as_str().expect("a label").to_owned()).collect()
    }

    /// What the button with this label carries.
    pub(super) fn custom_id(&self, label: &str) -> String {
        let button = self.buttons().find(|button| button["label"] == label);
        let button = button.unwrap_or_else(|| panic!("no {label}: {self:?}"));
        button["custom_id"].as_str().expect("an id").to_owned()
    }

    fn buttons(&self) -> impl Iterator<Item = &Value> {
        let rows = self.sent["components"].as_array().into_iter().flatten();
        rows.flat_map(|row| row["components"].as_array().expect("a row"))
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().expect("no panic")
    }

    fn ring(&self) {
        self.bell.send_modify(|count| *count += 1);
    }

    /// The first thing that `look` finds, now or later.
    async fn until<T>(&self, look: impl Fn(&State) -> Option<T>) -> T {
        let mut bell = self.bell.subscribe();
        soon(async {
            loop {
                if let Some(found) = look(&self.lock()) {
                    return found;
                }
                bell.changed().await.expect("a bell");
            }
        })
        .await
    }
}

impl FakeDiscord {
    pub(super) async fn start() -> Self {
        let (bell, _) = watch::channel(0);
        let shared = Shared { state: Arc::default(), bell };
        let gateway = TcpListener::bind("127.0.0.1:0").await.expect("a socket");
        shared.lock().gateway = format!("ws://{}", gateway.local_addr().expect("an address"));
        shared.lock().interval = 45_000;
        tokio::spawn(gateway::serve(gateway, shared.clone()));
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a socket");
        let address = listener.local_addr().expect("an address");
        let app = rest::router(shared.clone());
        tokio::spawn(async move { axum::serve(listener, app).await });
        Self { address, shared }
    }

    pub(super) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// The messages, the oldest first.
    pub(super) fn messages(&self) -> Vec<Message> {
        self.shared.lock().messages.values().cloned().collect()
    }

    pub(super) fn edits(&self) -> usize {
        self.shared.lock().edits
    }

    /// Refuses the next call of a method whose path ends so.
    pub(super) fn refuse(&self, method: &'static str, end: &'static str, status: u16, body: Value) {
        self.shared.lock().refusals.push((method, end, status, body));
    }

    /// Forgets what it was to refuse.
    pub(super) fn relent(&self) {
        self.shared.lock().refusals.clear();
    }

    pub(super) fn drop_embeds(&self) {
        self.shared.lock().drops_embeds = true;
    }

    /// Beats this fast, and answers no heartbeat if it is deaf.
    pub(super) fn set_heart(&self, interval: u64, is_deaf: bool) {
        let mut state = self.shared.lock();
        (state.interval, state.is_deaf) = (interval, is_deaf);
    }

    /// Waits until programs came in so often, and says how.
    pub(super) async fn entries(&self, count: usize) -> Vec<&'static str> {
        self.shared.until(|state| (state.entries.len() >= count).then(|| state.entries.clone())).await
    }

    /// How many are connected to the gateway, now and at most.
    pub(super) fn live(&self) -> (usize, usize) {
        let state = self.shared.lock();
        (state.live, state.most_live)
    }

    /// How often a method of a path that ends so was called.
    pub(super) fn calls(&self, method: &str, end: &str) -> usize {
        let state = self.shared.lock();
        state.calls.iter().filter(|call| call.starts_with(method) && call.ends_with(end)).count()
    }

    pub(super) async fn until_beaten(&self, count: usize) {
        self.shared.until(|state| (state.beats >= count).then_some(())).await;
    }

    /// Ends the connection that is there, or the next one.
    pub(super) fn kick(&self, kick: Kick) {
        self.shared.lock().kicks.push_back(kick);
        self.shared.ring();
    }

    /// Somebody presses a button below a message; says by what the answers are found.
    pub(super) fn press(&self, user: &str, message: &Message, label: &str) -> String {
        self.send(self.pressed(user, message, &message.custom_id(label)))
    }

    /// Hands an interaction out by the gateway.
    pub(super) fn send(&self, interaction: Value) -> String {
        let token = interaction["token"].as_str().expect("a token").to_owned();
        self.shared.lock().events.push(interaction);
        self.shared.ring();
        token
    }

    /// The interaction of a button
    /// (<https://docs.discord.com/developers/interactions/receiving-and-responding#interaction-object>).
    pub(super) fn pressed(&self, user: &str, message: &Message, custom_id: &str) -> Value {
        let mut value = self.interaction(user, 3, json!({"component_type": 2, "custom_id": custom_id}));
        value["message"] = json!({"id": message.id.to_string(), "channel_id": CHANNEL});
        value
    }

    /// Somebody fills in the form that an interaction was answered with.
    pub(super) fn filled_in(&self, user: &str, form: &Value, text: &str) -> Value {
        let field = &form["data"]["components"][0]["component"]["custom_id"];
        let label = json!({"type": 18, "id": 1, "component": {"type": 4, "id": 2, "custom_id": field, "value": text}});
        let data = json!({"custom_id": form["data"]["custom_id"], "components": [label]});
        self.interaction(user, 5, data)
    }

    pub(super) fn interaction(&self, user: &str, kind: u8, data: Value) -> Value {
        let mut state = self.shared.lock();
        state.last_id += 1;
        let (id, token) = (state.last_id.to_string(), format!("aW50ZXJhY3Rpb246.{}", state.last_id));
        let asked = Asked { id: id.clone(), ..Asked::default() };
        state.interactions.insert(token.clone(), asked);
        let name = if user == ADA { "ada_l" } else { "mallory" };
        json!({"id": id, "application_id": APPLICATION, "type": kind, "token": token, "version": 1,
            "guild_id": "1199700000000000000", "channel_id": CHANNEL, "data": data,
            "member": {"user": {"id": user, "username": name, "discriminator": "0"}}})
    }

    /// Takes the answer that a signed call got.
    pub(super) fn acknowledge(&self, token: &str, first: &Value) {
        check::first_answer(first).expect("an answer as Discord takes it");
        let mut state = self.shared.lock();
        state.interactions.get_mut(token).expect("an interaction").first = Some(first.clone());
    }

    /// What an interaction was acknowledged with.
    pub(super) async fn first(&self, token: &str) -> Value {
        self.shared.until(|state| state.interactions[token].first.clone()).await
    }

    /// What whoever acted was told in the end, as they read it, and what they can press there.
    pub(super) async fn told(&self, token: &str) -> Message {
        self.shared
            .until(|state| state.interactions[token].then.clone().map(|sent| Message { id: 0, sent }))
            .await
    }

    /// Whether more than an acknowledgement was said.
    pub(super) fn was_told(&self, token: &str) -> bool {
        self.shared.lock().interactions[token].then.is_some()
    }
}

/// What the application signs its calls with.
pub(super) fn key_pair() -> Ed25519KeyPair {
    Ed25519KeyPair::from_seed_unchecked(&[7; 32]).expect("a key")
}

pub(super) fn public_key() -> String {
    hex::encode(key_pair().public_key().as_ref())
}
