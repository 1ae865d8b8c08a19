//! How the pages are to be.

use leptos::prelude::*;

use super::choice::Choice;
use super::form::Form;
use super::refused::Again;
use crate::domain::preferences::Theme;
use crate::wire::account::{AccountView, ZoneGroup};

/// Theme, shortcuts and time zone.
#[component]
pub fn PreferencesForm(
    /// What is chosen now.
    account: AccountView,
    /// Its second beginning.
    again: Again,
) -> impl IntoView {
    let AccountView { theme, shortcuts, time_zone, project_time_zone, zones, now, .. } = account;
    let time_zone = again.text("time_zone", time_zone);
    let (theme_state, zone_state) =
        (again.field("theme", "theme", None), again.field("time_zone", "time_zone", Some("time_zone-hint")));
    let shortcuts = again.is_ticked("shortcuts", "on", shortcuts);
    let themes = Theme::ALL
        .into_iter()
        .map(|each| {
            let label = match each {
                Theme::System => "As the device",
                Theme::Light => "Light",
                Theme::Dark => "Dark",
            };
            view! { <Choice kind="radio" name="theme" value=each.as_str() label=label checked=again.is_ticked("theme", each.as_str(), each == theme) /> }
        })
        .collect_view();
    let of_project = format!("As the project ({project_time_zone})");
    view! {
        <Form action="/rpc/save_preferences" button="Save preferences" again=again.clone()>
            <fieldset class="choices choices--row" aria-describedby=theme_state.described_by()>
                <legend>"Theme"</legend>
                {theme_state.below()}
                {themes}
            </fieldset>
            <fieldset class="choices">
                <legend>"Keyboard"</legend>
                <Choice
                    kind="checkbox"
                    name="shortcuts"
                    value="on"
                    label="Shortcuts in the inbox"
                    hint="Single keys that move through the inbox. Untick it if they get in the way of other software."
                    checked=shortcuts
                />
            </fieldset>
            <div class="field">
                <label for="time_zone">"Time zone"</label>
                <select
                    id="time_zone"
                    name="time_zone"
                    autofocus=zone_state.is_wrong()
                    aria-invalid=zone_state.invalid()
                    aria-describedby=zone_state.described_by()
                >
                    <option value="" selected=time_zone.is_empty()>
                        {of_project}
                    </option>
                    {zone_options(zones, &time_zone)}
                </select>
                {zone_state.below()}
                <p class="hint" id="time_zone-hint">
                    "Times are shown in it, and the days of the history begin by it. It is now " {now.text} "."
                </p>
            </div>
        </Form>
    }
}

fn zone_options(zones: Vec<ZoneGroup>, chosen: &str) -> impl IntoView + use<> {
    let chosen = chosen.to_owned();
    // A name that is not offered any more, or the one zone that is in no part of the world.
    let is_offered = zones.iter().any(|group| group.names.contains(&chosen));
    let other = (!chosen.is_empty() && !is_offered && chosen != "UTC").then(|| {
        view! { <option value=chosen.clone() selected=true>{chosen.clone()}</option> }
    });
    let groups = zones
        .into_iter()
        .map(|group| {
            let names = group
                .names
                .into_iter()
                .map(|name| {
                    let is_chosen = name == chosen;
                    let label = name.replace('_', " ");
                    view! { <option value=name selected=is_chosen>{label}</option> }
                })
                .collect_view();
            view! { <optgroup label=group.region>{names}</optgroup> }
        })
        .collect_view();
    view! {
        {other}
        <option value="UTC" selected=chosen == "UTC">
            "UTC"
        </option>
        {groups}
    }
}
