//! Setting up a channel, step by step, and its settings as a form.

use leptos::prelude::*;

use super::copy_button::CopyButton;
use super::line::{Line, LineKind};
use super::refused::Again;
use super::text_area::TextArea;
use crate::domain::channel::{ChannelKind, Field, Rule, fields};
use crate::wire::channels::ChannelView;

/// Longest text of a field; what fits is said by the server.
const TEXT_MAX: u32 = 2_000;

/// The sorts to choose from.
#[component]
pub fn ChannelKinds() -> impl IntoView {
    let kinds = ChannelKind::ALL
        .into_iter()
        .map(|kind| {
            view! {
                <li>
                    <a class="button" href=format!("/channels?new={}#new", kind.as_str())>
                        {kind.label()}
                    </a>
                    <span class="hint">{about(kind)}</span>
                </li>
            }
        })
        .collect_view();
    view! { <ul class="channel-kinds">{kinds}</ul> }
}

fn about(kind: ChannelKind) -> &'static str {
    match kind {
        ChannelKind::Telegram => "Cards in a chat, with Approve and Reject below them.",
        ChannelKind::Ntfy => "Notifications on a phone: the card as far as it fits, and a link to it.",
        ChannelKind::Webhook => "A signed request to a program of yours.",
        ChannelKind::Email => "Mails with the whole card and a link to it.",
        ChannelKind::Discord => "Cards in a channel, with Approve and Reject below them.",
        ChannelKind::Slack => {
            "Cards in a channel, with Approve and Reject below them; or messages with a link."
        }
    }
}

/// What is to be done on the platform first.
fn steps(kind: ChannelKind) -> &'static [&'static str] {
    match kind {
        ChannelKind::Telegram => &[
            "In Telegram write /newbot to @BotFather, choose a name, and copy the token that it answers with.",
            "Add the bot to the group that is to decide, or write to it yourself.",
            "Find the chat's number: forward a message of the chat to @userinfobot, or take @name of a public one.",
            "Make the channel and send a test. Whoever is to decide links their Telegram account at /account.",
        ],
        ChannelKind::Ntfy => &[
            "Choose a topic that nobody guesses, and subscribe to it in the ntfy app.",
            "If the server asks for accounts, make an access token that may write to the topic.",
        ],
        ChannelKind::Webhook => &[
            "Have a program listen at an address. It gets event, action_id, title, kind, inbox_url, triggered_at.",
        ],
        ChannelKind::Email => &[
            "Mails go through a mail server that whoever runs this server names: IMPRI_SMTP_HOST, IMPRI_SMTP_FROM, and what \
             it takes to sign in there.",
            "Make the channel and send a test. If it does not arrive, look where unwanted mail is kept.",
        ],
        ChannelKind::Discord => &[
            "Only to be told: in Discord open the channel's settings, Integrations, Webhooks, make one, copy its address, paste \
             it below as Webhook, and switch Decide from the channel off.",
            "To decide there: at https://discord.com/developers/applications press New Application. On its page Bot press Reset \
             Token and copy the token; it needs no privileged intents.",
            "On its page OAuth2, URL Generator, tick bot, then View Channels, Send Messages, Embed Links and Read Message \
             History. Open the address that it makes, and add the bot to your server. Let it see the channel.",
            "In Discord's settings, Advanced, switch on Developer Mode. Right-click the channel, choose Copy Channel ID, and \
             paste it below with the token.",
            "Make the channel and send a test. Whoever is to decide links their Discord account at /account.",
        ],
        ChannelKind::Slack => &[
            "At api.slack.com/apps choose Create New App, From a manifest, your workspace, YAML, and paste the manifest below.",
            "Under Basic Information, App-Level Tokens, generate a token with the scope connections:write, and copy it (xapp-…).",
            "Under Install App install it in the workspace, and copy the bot token (xoxb-…).",
            "In Slack write /invite @Impri in the channel that is to decide. Its ID is at the end of the channel's details.",
            "Make the channel and send a test. Whoever is to decide presses a button once and is told how to link their account.",
            "For messages with a link alone: an incoming webhook is enough. Untick Decide from the chat and paste its address.",
        ],
    }
}

/// What is pasted on the platform, so that nobody has to click it together there.
fn manifest(kind: ChannelKind) -> Option<&'static str> {
    (kind == ChannelKind::Slack).then_some(include_str!("slack_manifest.yaml"))
}

/// The set-up of a new channel.
#[component]
pub fn NewChannel(
    /// Its sort.
    kind: ChannelKind,
    /// Other channels: ids and names.
    others: Vec<(String, String)>,
    /// Its second beginning.
    again: Again,
) -> impl IntoView {
    let steps = steps(kind).iter().map(|step| view! { <li>{*step}</li> }).collect_view();
    let manifest = manifest(kind).map(|text| {
        view! {
            <div class="command">
                <pre tabindex="0"><code data-copy="">{text}</code></pre>
                <CopyButton />
            </div>
        }
    });
    view! {
        <h3 class="channel-title">{kind.label()}</h3>
        <ol class="channel-steps">{steps}</ol>
        {manifest}
        <form class="form" method="post" action="/rpc/create_channel" autocomplete="off">
            {again.alert()}
            <input type="hidden" name="kind" value=kind.as_str() />
            <ChannelFields kind=kind others=others again=again />
            <div class="channel-buttons">
                <button class="button button--primary" type="submit">
                    "Make the channel"
                </button>
                <a class="button" href="/channels#new">
                    "Another sort"
                </a>
            </div>
        </form>
    }
}

/// The settings of a channel that is there, or of a new one.
#[component]
pub fn ChannelFields(
    /// Its sort.
    kind: ChannelKind,
    /// The one that is there.
    #[prop(optional)]
    channel: Option<ChannelView>,
    /// Other channels: ids and names.
    others: Vec<(String, String)>,
    /// The form's second beginning.
    again: Again,
) -> impl IntoView {
    let of = channel.as_ref().map_or_else(|| "new".to_owned(), |channel| channel.id.clone());
    let text = |read: fn(&ChannelView) -> String| channel.as_ref().map(read).unwrap_or_default();
    let own = fields(kind)
        .iter()
        .map(|field| {
            let set = channel.as_ref().and_then(|channel| {
                channel.settings.iter().find(|(name, _)| name == field.name).map(|(_, value)| value.clone())
            });
            let is_new = channel.is_none();
            view! { <Setting field=*field of=of.clone() set=set is_new=is_new again=again.clone() /> }
        })
        .collect_view();
    let fallback = channel.as_ref().and_then(|channel| channel.fallback.clone()).unwrap_or_default();
    let fallback = again.text("fallback", fallback);
    let options = others
        .into_iter()
        .map(|(id, name)| {
            let selected = fallback == id;
            view! { <option value=id selected=selected>{name}</option> }
        })
        .collect_view();
    let window = channel.as_ref().map_or(60, |channel| channel.window_secs);
    let id = |name: &str| format!("{name}-{of}");
    let state = again.field("fallback", &id("fallback"), None);
    let burst = kind.gathers_bursts().then(|| {
        view! {
            <Line
                id=id("window")
                name="window"
                label="Burst"
                value=window.to_string()
                hint="More than 5 new actions within so many seconds become one message: 10 to 3600."
                maxlength=TEXT_MAX
                again=again.clone()
            />
        }
    });
    view! {
        <Line
            id=id("name")
            name="name"
            label="Name"
            value=text(|channel| channel.name.clone())
            required=true
            hint="What this server calls it."
            maxlength=TEXT_MAX
            kind=LineKind::Code
            again=again.clone()
        />
        {own}
        <Line
            id=id("kinds")
            name="kinds"
            label="Kinds"
            value=text(|channel| channel.kinds.clone())
            hint="Only these kinds of actions, with commas; mail.* means all that begin so. Empty is all."
            maxlength=TEXT_MAX
            kind=LineKind::Code
            again=again.clone()
        />
        <Line
            id=id("agents")
            name="agents"
            label="Agents"
            value=text(|channel| channel.agents.clone())
            hint="Only of these agents. Empty is all."
            maxlength=TEXT_MAX
            kind=LineKind::Code
            again=again
        />
        {burst}
        <div class="field">
            <label for=id("fallback")>"When it fails"</label>
            <select
                id=id("fallback")
                name="fallback"
                aria-invalid=state.invalid()
                aria-describedby=state.described_by()
            >
                <option value="">"Say so in the inbox only"</option>
                {options}
            </select>
            {state.below()}
        </div>
    }
}

#[component]
fn Setting(field: Field, of: String, set: Option<String>, is_new: bool, again: Again) -> impl IntoView {
    let id = format!("{}-{of}", field.name);
    let name = format!("settings[{}]", field.name);
    let hint_id = format!("{id}-hint");
    match field.rule {
        Rule::Flag => {
            let is_on = set.is_some_and(|set| set == "on") || (is_new && field.name == "approval_mode");
            let checked = again.is_ticked(&name, "on", is_on);
            view! {
                <div class="choice">
                    <input type="checkbox" id=id.clone() name=name value="on" checked=checked aria-describedby=hint_id.clone() />
                    <label for=id>{field.label}</label>
                    <p class="hint" id=hint_id>{field.hint}</p>
                </div>
            }
            .into_any()
        }
        Rule::People | Rule::SlackPeople => {
            let text = again.text(&name, set.unwrap_or_default());
            let state = again.field(&name, &id, Some(&hint_id));
            let described_by = state.described_by().unwrap_or_default();
            view! {
                <div class="field">
                    <label for=id.clone()>{field.label}</label>
                    <TextArea id=id name=name text=text rows=2 described_by=described_by is_wrong=state.is_wrong() />
                    {state.below()}
                    <p class="hint" id=hint_id>{field.hint}</p>
                </div>
            }
            .into_any()
        }
        _ => {
            let (value, hint, required) = match (field.is_secret, set) {
                (true, Some(masked)) => {
                    (String::new(), format!("It is {masked} now. Empty keeps it."), false)
                }
                (true, None) => (String::new(), field.hint.to_owned(), field.is_required && is_new),
                (false, set) => (set.unwrap_or_default(), field.hint.to_owned(), field.is_required),
            };
            view! {
                <Line
                    id=id
                    name=name
                    label=field.label
                    value=value
                    hint=hint
                    required=required
                    maxlength=TEXT_MAX
                    kind=LineKind::Code
                    again=again
                />
            }
            .into_any()
        }
    }
}
