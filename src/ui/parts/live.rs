//! News from the server, as `live.js` passes them on.
//!
//! The script holds the one event stream of the browser and tells every tab. This part only listens; a page that
//! nobody keeps up to date is still right, it is just not live.

use std::time::Duration;

use leptos::leptos_dom::helpers::window_event_listener_untyped;
use leptos::prelude::*;
use leptos::wasm_bindgen::{JsCast, JsValue};
use web_sys::js_sys::Reflect;

/// How long news are gathered before a page reads anew.
const GATHER: Duration = Duration::from_millis(120);

/// Something happened to an action, or may have.
#[derive(Debug, Clone, Default)]
pub struct Change {
    /// `created`, `decided`, `expired`, `cancelled`, `result`; `resync` after a gap.
    pub kind: String,
    /// `act_…`; empty for `resync`.
    pub id: String,
}

impl Change {
    /// Whether the action may be another one than before.
    pub fn concerns(&self, id: Option<&str>) -> bool {
        self.kind == "resync" || id == Some(&self.id)
    }
}

/// Whether the stream is up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Link {
    /// Nobody said so far.
    Unknown,
    /// Up.
    Online,
    /// Down.
    Offline,
}

#[derive(Clone, Copy)]
struct Live(RwSignal<Link>);

/// Listens for the state of the link, and asks the script for it.
pub fn provide_live() {
    let link = RwSignal::new(Link::Unknown);
    provide_context(Live(link));
    Effect::new(move |_| {
        _ = window_event_listener_untyped("impri:link", move |event| {
            let is_online = detail(&event, "online").is_some_and(|online| online.is_truthy());
            link.set(if is_online { Link::Online } else { Link::Offline });
        });
        if let Ok(hello) = web_sys::Event::new("impri:hello") {
            _ = window().dispatch_event(&hello);
        }
    });
}

/// Whether the stream is up.
pub fn use_link() -> Signal<Link> {
    let live = use_context::<Live>();
    Signal::derive(move || live.map_or(Link::Unknown, |live| live.0.get()))
}

/// Calls `heard` with what happened, for as long as the component lives. What comes together is told together.
pub fn on_changes(heard: impl Fn(Vec<Change>) + Clone + 'static) {
    Effect::new(move |_| {
        let heard = heard.clone();
        let gathered = StoredValue::new(Vec::new());
        let listener = window_event_listener_untyped("impri:change", move |event| {
            let text = |name| detail(&event, name).and_then(|value| value.as_string()).unwrap_or_default();
            let change = Change { kind: text("kind"), id: text("id") };
            let is_first = gathered.try_update_value(|all| {
                all.push(change);
                all.len() == 1
            });
            if is_first == Some(true) {
                let heard = heard.clone();
                set_timeout(move || _ = gathered.try_update_value(std::mem::take).map(heard), GATHER);
            }
        });
        on_cleanup(move || listener.remove());
    });
}

fn detail(event: &web_sys::Event, name: &str) -> Option<JsValue> {
    let detail = event.dyn_ref::<web_sys::CustomEvent>()?.detail();
    Reflect::get(&detail, &JsValue::from_str(name)).ok()
}
