//! The few words in which this folder speaks with the document.

use std::time::Duration;

use leptos::leptos_dom::helpers::window_event_listener_untyped;
use leptos::prelude::*;
use leptos::wasm_bindgen::closure::Closure;
use leptos::wasm_bindgen::{JsCast, JsValue};
use web_sys::js_sys::Reflect;
use web_sys::{CustomEvent, CustomEventInit, Document, Element, Event, HtmlElement, NodeList};

/// How long a browser may take to notice that what has the focus is not there any more.
const FOCUS_LOST: Duration = Duration::from_millis(50);

/// The first element of the page that a selector fits.
pub fn find(selector: &str) -> Option<Element> {
    find_in(&document(), selector)
}

/// The first element of a document that a selector fits.
pub fn find_in(document: &Document, selector: &str) -> Option<Element> {
    document.query_selector(selector).ok().flatten()
}

/// The first element within another that a selector fits.
pub fn within(element: &Element, selector: &str) -> Option<Element> {
    element.query_selector(selector).ok().flatten()
}

/// The mark of the person for whom a page was made; none where nobody is signed in or the server could not look.
pub fn who(page: &Document) -> Option<String> {
    page.document_element()?.get_attribute("data-who")
}

/// Calls `each` with every element of a list.
pub fn each(list: Result<NodeList, JsValue>, mut each: impl FnMut(Element)) {
    let Ok(list) = list else { return };
    for index in 0..list.length() {
        if let Some(element) = list.get(index).and_then(|node| node.dyn_into::<Element>().ok()) {
            each(element);
        }
    }
}

/// Calls `heard` for every event of this name at the window, for as long as the page lives.
pub fn on_window(name: &str, heard: impl Fn(Event) + 'static) {
    _ = window_event_listener_untyped(name, heard);
}

/// Calls `heard` for every event of this name at an element, for as long as the element lives.
pub fn on_element(element: &Element, name: &str, heard: impl Fn(Event) + 'static) {
    let heard = Closure::<dyn Fn(Event)>::new(heard).into_js_value();
    _ = element.add_event_listener_with_callback(name, heard.unchecked_ref());
}

/// Tells the window something.
pub fn tell(name: &str) {
    if let Ok(event) = Event::new(name) {
        _ = window().dispatch_event(&event);
    }
}

/// Tells an element something, and the window if `bubbles`.
pub fn tell_element(element: &Element, name: &str, text: &str, bubbles: bool) {
    let init = CustomEventInit::new();
    init.set_detail(&JsValue::from_str(text));
    init.set_bubbles(bubbles);
    if let Ok(event) = CustomEvent::new_with_event_init_dict(name, &init) {
        _ = element.dispatch_event(&event);
    }
}

/// The text that [`tell_element`] sent.
pub fn told(event: &Event) -> Option<String> {
    event.dyn_ref::<CustomEvent>()?.detail().as_string()
}

/// One value of an event's detail.
pub fn detail(event: &Event, name: &str) -> Option<JsValue> {
    let detail = event.dyn_ref::<CustomEvent>()?.detail();
    Reflect::get(&detail, &JsValue::from_str(name)).ok()
}

/// Gives an attribute the value that it has on another element, or takes it off.
pub fn copy_attribute(from: &Element, to: &Element, name: &str) {
    match from.get_attribute(name) {
        Some(value) => _ = to.set_attribute(name, &value),
        None => _ = to.remove_attribute(name),
    }
}

/// Moves the focus to an element, without moving what is read.
pub fn focus(element: &Element) {
    if let Some(element) = element.dyn_ref::<HtmlElement>() {
        let options = web_sys::FocusOptions::new();
        options.set_prevent_scroll(true);
        _ = element.focus_with_options(&options);
    }
}

/// Whether anything has the focus.
pub fn has_focus() -> bool {
    document().active_element().is_some_and(|element| element.tag_name() != "BODY")
}

/// After what had the focus went away, goes on at the title of what came. A focus that is somewhere is left there.
pub fn keep_focus() {
    let go_on = || {
        if let Some(title) = find("#card-title").filter(|_| !has_focus()) {
            focus(&title);
        }
    };
    set_timeout(go_on, FOCUS_LOST);
}
