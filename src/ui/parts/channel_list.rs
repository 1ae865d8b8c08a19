//! The channels of a project: how each does, and what can be done with it.

use leptos::prelude::*;

use super::channel_form::ChannelFields;
use super::entries::{Entries, Entry, Fold};
use super::header::count;
use super::time::Time;
use crate::wire::channels::{ChannelView, TestedView};

/// Every channel.
#[component]
pub fn ChannelList(
    /// The oldest first.
    channels: Vec<ChannelView>,
    /// What came of trying one just before.
    tested: Option<TestedView>,
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
        .map(|channel| {
            let others = names.iter().filter(|(id, _)| *id != channel.id).cloned().collect();
            let tested = tested.clone().filter(|tested| tested.id == channel.id);
            view! { <Row channel=channel others=others tested=tested /> }
        })
        .collect_view();
    view! { <Entries label="Channels">{rows}</Entries> }.into_any()
}

#[component]
fn Row(channel: ChannelView, others: Vec<(String, String)>, tested: Option<TestedView>) -> impl IntoView {
    let ChannelView { id, name, kind, enabled, delivered, failed, error, pending, .. } = channel.clone();
    let state = match (enabled, &error, &delivered) {
        (false, ..) => "Paused",
        (true, Some(_), _) => "Fails",
        (true, None, Some(_)) => "Works",
        (true, None, None) => "Not used yet",
    };
    let waiting = u32::try_from(pending).unwrap_or(u32::MAX);
    let hears = match (channel.kinds.as_str(), channel.agents.as_str()) {
        ("", "") => "hears about everything".to_owned(),
        (kinds, "") => format!("hears about {kinds}"),
        ("", agents) => format!("hears about everything of {agents}"),
        (kinds, agents) => format!("hears about {kinds} of {agents}"),
    };
    let fallback = channel.fallback.as_ref().and_then(|id| others.iter().find(|(other, _)| other == id));
    let facts = view! {
        <span>{kind.label()}</span>
        <span>{hears}</span>
        {delivered.map(|at| view! { <span>"last message " <Time moment=at /></span> })}
        {failed.map(|at| view! { <span>"last failure " <Time moment=at /></span> })}
        {(waiting > 0).then(|| view! { <span>{count(waiting)} " waiting"</span> })}
        {fallback.map(|(_, name)| view! { <span>"failures go to " {name.clone()}</span> })}
    }
    .into_any();
    let (of_delete, to_delete, edited) = (name.clone(), name.clone(), id.clone());
    let word = if error.is_some() && enabled { "fails" } else { "fine" };
    let side = view! { <span class="entry-word" data-health=word>{state}</span> }.into_any();
    let tested = tested.map(|TestedView { ok, answer, .. }| {
        let sentence = match ok {
            true => format!("The test message was taken. {answer}"),
            false => format!("The test message was not taken: {answer}"),
        };
        view! { <p class="channel-said" role="status" data-ok=ok.to_string()>{sentence}</p> }
    });
    let error =
        error.map(|error| view! { <p class="channel-said" data-ok="false">"Last failure: " {error}</p> });
    let (switch, on) = if enabled { ("Pause", None) } else { ("Resume", Some("on")) };
    view! {
        <Entry name=name.clone().into_any() facts=facts side=side is_over=!enabled>
            <div class="channel-more">
                {error}
                {tested}
                <div class="channel-buttons">
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
                </div>
                <Fold summary="Edit" of=name.clone()>
                    <form class="entry-form" method="post" action="/rpc/update_channel" autocomplete="off">
                        <input type="hidden" name="id" value=edited />
                        <ChannelFields kind=kind channel=channel others=others />
                        <button class="button button--primary" type="submit">
                            "Save " {name.clone()}
                        </button>
                    </form>
                </Fold>
                <Fold summary="Delete" of=of_delete>
                    <form class="entry-form" method="post" action="/rpc/delete_channel">
                        <input type="hidden" name="id" value=id />
                        <p>
                            "Its secrets are erased and it is told nothing any more. Messages that it sent stay as they are, and their buttons do nothing."
                        </p>
                        <button class="button button--no" type="submit">
                            "Delete " {to_delete}
                        </button>
                    </form>
                </Fold>
            </div>
        </Entry>
    }
}
