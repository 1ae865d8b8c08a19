//! The channels of a project: how each does, and what can be done with it.

use leptos::prelude::*;

use super::channel_form::ChannelFields;
use super::form::Form;
use super::header::count;
use super::refused::Again;
use super::time::Time;
use crate::domain::channel::Standing;
use crate::wire::channels::{ChannelView, TestedView};

/// Every channel.
#[component]
pub fn ChannelList(
    /// The oldest first.
    channels: Vec<ChannelView>,
    /// What came of trying one just before.
    tested: Option<TestedView>,
    /// The second beginning of the form of each, in the same order.
    changing: Vec<Again>,
) -> impl IntoView {
    if channels.is_empty() {
        return view! {
            <p class="nothing">"There is no channel yet, so people hear of new actions in the inbox only. Make one below."</p>
        }
        .into_any();
    }
    let names: Vec<(String, String)> =
        channels.iter().map(|channel| (channel.id.clone(), channel.name.clone())).collect();
    let rows = channels
        .into_iter()
        .zip(changing)
        .map(|(channel, again)| {
            let others = names.iter().filter(|(id, _)| *id != channel.id).cloned().collect();
            let tested = tested.clone().filter(|tested| tested.id == channel.id);
            view! { <Row channel=channel others=others tested=tested again=again /> }
        })
        .collect_view();
    view! { <ul class="channels" aria-label="Channels">{rows}</ul> }.into_any()
}

fn standing(channel: &ChannelView) -> Standing {
    Standing::of(channel.enabled, channel.error.is_some(), channel.delivered.is_some())
}

fn hears(channel: &ChannelView) -> String {
    match (channel.kinds.as_str(), channel.agents.as_str()) {
        ("", "") => "hears about everything".to_owned(),
        (kinds, "") => format!("hears about {kinds}"),
        ("", agents) => format!("hears about everything of {agents}"),
        (kinds, agents) => format!("hears about {kinds} of {agents}"),
    }
}

#[component]
fn Row(
    channel: ChannelView,
    others: Vec<(String, String)>,
    tested: Option<TestedView>,
    again: Again,
) -> impl IntoView {
    let (standing, hears) = (standing(&channel), hears(&channel));
    let ChannelView { id, name, kind, enabled, delivered, failed, error, pending, is_unsigned, .. } =
        channel.clone();
    let waiting = u32::try_from(pending).unwrap_or(u32::MAX);
    let fallback = channel.fallback.as_ref().and_then(|id| others.iter().find(|(other, _)| other == id));
    let fallback = fallback.map(|(_, name)| view! { <span>"failures go to " {name.clone()}</span> });
    let said = tested.map(|TestedView { ok, answer, .. }| {
        let sentence = match ok {
            true => format!("The test message was taken. {answer}"),
            false => format!("The test message was not taken: {answer}"),
        };
        view! { <p class="channel-said" role="status" data-ok=ok.to_string()>{sentence}</p> }
    });
    let error =
        error.map(|error| view! { <p class="channel-said" data-ok="false">"Last failure: " {error}</p> });
    let (switch, on) = if enabled { ("Pause", None) } else { ("Resume", Some("on")) };
    let (is_refused, edited) = (again.is_refused(), id.clone());
    view! {
        <li class="channel" data-over=(!enabled).then_some("")>
            <div class="channel-head">
                <h3 class="channel-name">{name.clone()}</h3>
                <span class="tag">{kind.label()}</span>
                <span class="channel-health" data-health=standing.as_str()>
                    {standing.label()}
                </span>
            </div>
            <p class="facts">
                <span>{hears}</span>
                {is_unsigned.then(|| view! { <span>"not signed"</span> })}
                {delivered.map(|at| view! { <span>"last message " <Time moment=at /></span> })}
                {failed.map(|at| view! { <span>"last failure " <Time moment=at /></span> })}
                {(waiting > 0).then(|| view! { <span>{count(waiting)} " waiting"</span> })}
                {fallback}
            </p>
            {error}
            {said}
            <div class="channel-actions">
                <form method="post" action="/rpc/test_channel">
                    <input type="hidden" name="id" value=id.clone() />
                    <button class="button" type="submit">
                        "Send a test"
                        <span class="visually-hidden">" to " {name.clone()}</span>
                    </button>
                </form>
                <form method="post" action="/rpc/switch_channel">
                    <input type="hidden" name="id" value=id.clone() />
                    {on.map(|on| view! { <input type="hidden" name="on" value=on /> })}
                    <button class="button" type="submit">
                        {switch}
                        <span class="visually-hidden">" " {name.clone()}</span>
                    </button>
                </form>
                <details class="channel-fold" open=is_refused>
                    <summary class="button">
                        "Edit"
                        <span class="visually-hidden">": " {name.clone()}</span>
                    </summary>
                    <Form action="/rpc/update_channel" button=format!("Save {name}") is_main=true autocomplete="off" again=again.clone()>
                        <input type="hidden" name="id" value=edited />
                        // What of it is secret goes by its sort, should it be refused.
                        <input type="hidden" name="kind" value=kind.as_str() />
                        <ChannelFields kind=kind channel=channel others=others again=again />
                    </Form>
                </details>
                <details class="channel-fold">
                    <summary class="button button--no">
                        "Delete"
                        <span class="visually-hidden">": " {name.clone()}</span>
                    </summary>
                    <form class="form" method="post" action="/rpc/delete_channel">
                        <input type="hidden" name="id" value=id />
                        <p>
                            "Its secrets are erased and it is told nothing any more. Messages that it sent stay as they are, and their buttons do nothing."
                        </p>
                        <button class="button button--no" type="submit">
                            "Delete " {name}
                        </button>
                    </form>
                </details>
            </div>
        </li>
    }
}
