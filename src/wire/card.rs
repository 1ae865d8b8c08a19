//! One action as a person decides it, and as it stands in its page afterwards.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

use super::Moment;
use super::context::CardContext;
use super::history::HistoryEvent;
use super::safe_html::SafeHtml;

/// One action, whole.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Card {
    /// `act_…`.
    pub id: String,
    /// The status text (`pending`, `approved`, …), for `data-state`.
    pub status: String,
    /// The agent's vocabulary, invisible characters revealed.
    pub kind: String,
    /// The title as plain text with invisible characters revealed, for `<title>` and labels.
    pub title: String,
    /// The title with invisible characters and look-alikes marked.
    pub title_html: SafeHtml,
    /// The agent: the name of the key that proposed it.
    pub agent: String,
    /// When it was proposed.
    pub created: Moment,
    /// When it stops waiting.
    pub expires: Moment,
    /// Where it will happen.
    pub target: Option<Target>,
    /// The agent said that running it twice is not the same as once.
    pub not_idempotent: bool,
    /// How the agent says it could be walked back.
    pub undo: Option<SafeHtml>,
    /// Sentences that stand before the content: invisible characters, look-alikes, text that could not be rendered.
    pub warnings: Vec<String>,
    /// What was approved, or is proposed while nothing is.
    pub content: ContentView,
    /// Whether the reader's role allows deciding.
    pub may_decide: bool,
    /// What may be edited; empty once decided, where the agent allows nothing, and for who may not decide.
    pub fields: Vec<EditField>,
    /// Who decided, when and how.
    pub decision: Option<DecisionView>,
    /// When an executor took the permission to run it.
    pub claimed: Option<Moment>,
    /// What came of it.
    pub result: Option<ResultView>,
    /// How far the decision's way to the agent's address has come; none if it asked for no callback.
    pub delivery: Option<DeliveryView>,
    /// Channels that were to tell people of it and did not, each in a sentence.
    pub not_told: Vec<String>,
    /// What was decided before, while this is not.
    pub context: CardContext,
    /// Everything that happened to it, oldest first.
    pub timeline: Vec<HistoryEvent>,
    /// How long it waited or could wait, in words: `2 h`. For "nobody decided within 2 h".
    pub window: String,
    /// Whether its content was erased.
    pub erased: bool,
}

/// What runs when it is approved, readable and complete.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ContentView {
    /// `markdown`, `plain`, `diff`, or `code` for plain text that is run.
    pub format: String,
    /// The preview, rendered.
    pub preview: SafeHtml,
    /// The same, exactly as text; none when the preview already is that.
    pub raw: Option<SafeHtml>,
    /// Size of the preview's body, for a reader: `1,204 characters`.
    pub size: String,
    /// The payload.
    pub payload: Option<PayloadView>,
    /// SHA-256 of this version as 64 hexadecimal digits; the decide form of a pending one posts it as `seen`.
    pub digest: String,
    /// Its first digits in the form that readers compare.
    pub digest_short: String,
}

/// How a callback stands, for a reader.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeliveryView {
    /// `pending`, `retry`, `delivered`, `gone` or `dlq`, for `data-delivery`.
    pub state: String,
    /// The same in a sentence.
    pub sentence: String,
    /// Whether it can be sent again.
    pub can_repeat: bool,
}

/// Where an action will happen.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Target {
    /// The host alone.
    pub host: String,
    /// The whole address, invisible characters revealed.
    pub url: String,
}

/// A payload, readable and complete.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PayloadView {
    /// As a tree.
    pub tree: SafeHtml,
    /// As indented JSON text.
    pub json: SafeHtml,
    /// The same to copy, where the text that is shown has marks in it.
    pub exact: Option<String>,
    /// How much it holds, in words: `3 values`.
    pub size: String,
}

/// One value that the decider may change.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EditField {
    /// Its place in the action's list; the form posts `edits[<index>]`.
    pub index: u32,
    /// `preview.body`, `title`, `payload.amount`.
    pub path: String,
    /// Which control edits it.
    pub input: FieldInput,
    /// The proposed value as the control shows it.
    pub value: String,
}

/// The control for a value's JSON type.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FieldInput {
    /// A long text: a text box of full width.
    Text,
    /// A short text: one line.
    Line,
    /// A number, written as JSON.
    Number,
    /// `true` or `false`.
    Boolean,
    /// An object, an array or null, written as JSON.
    Json,
}

/// A decision, for a reader.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DecisionView {
    /// `approve` or `reject`.
    pub verdict: String,
    /// Who.
    pub by: String,
    /// Through which door, in words: `Web`.
    pub through: String,
    /// When.
    pub at: Moment,
    /// Why.
    pub comment: Option<SafeHtml>,
    /// What was changed first.
    pub changes: Vec<ChangeView>,
    /// The digest of what was approved.
    pub approved_digest: Option<String>,
    /// What proves the decision, signed; none where the decision is older than receipts or its content was erased.
    pub receipt: Option<String>,
}

/// One edited value.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ChangeView {
    /// Where.
    pub path: String,
    /// Before and after as a diff.
    pub diff: SafeHtml,
}

/// What came of running an action.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ResultView {
    /// Whether it worked, as the agent reports.
    pub succeeded: bool,
    /// When it was reported.
    pub at: Moment,
    /// In the agent's words.
    pub detail: Option<SafeHtml>,
    /// In the agent's data, as a tree.
    pub payload: Option<SafeHtml>,
}

/// What the decide form posts for the edited values: index in the action's list → text of the control.
pub type EditTexts = HashMap<String, String>;

/// The decide form's word that its author looked a second time. Whatever else is sent in its place is no such word.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "String", into = "String")]
pub struct Sure(pub bool);

impl From<String> for Sure {
    fn from(text: String) -> Self {
        Self(text == "true")
    }
}

impl From<Sure> for String {
    fn from(Sure(is_sure): Sure) -> Self {
        is_sure.to_string()
    }
}

/// What the decide form says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DecideForm {
    /// `act_…`.
    pub id: String,
    /// The digest that the page showed.
    pub seen: String,
    /// `approve` or `reject`.
    pub verdict: String,
    /// Why, if somebody said.
    pub comment: String,
    /// What was typed into the controls.
    pub edits: EditTexts,
    /// Whether its author looked a second time.
    pub sure: bool,
}

/// What is looked at a second time before it is approved.
#[derive(Debug, Clone, PartialEq)]
pub struct SecondLook {
    /// What was sent, to be sent again.
    pub form: DecideForm,
    /// The title as plain text with invisible characters revealed.
    pub title: String,
    /// The title with invisible characters and look-alikes marked.
    pub title_html: SafeHtml,
    /// The agent's vocabulary, invisible characters revealed.
    pub kind: String,
    /// The name of the key that proposed it.
    pub agent: String,
    /// The agent said that running it twice is not the same as once.
    pub not_idempotent: bool,
    /// What differs from the proposal.
    pub changes: Vec<ChangeView>,
    /// Sentences that stand before the content, as on the card.
    pub warnings: Vec<String>,
    /// Where it will happen.
    pub target: Option<Target>,
    /// How the agent says it could be walked back.
    pub undo: Option<SafeHtml>,
    /// What would be approved, edits and all.
    pub content: ContentView,
}

/// What came of a decision that was accepted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Outcome {
    /// Which action.
    pub id: String,
    /// `approved` or `rejected`.
    pub status: String,
    /// Its title, for the message.
    pub title: String,
    /// How many values were edited.
    pub edits: u32,
}
