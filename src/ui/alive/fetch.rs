//! Asks the server for a page.

use leptos::prelude::*;
use leptos::wasm_bindgen::{JsCast, JsValue};
use web_sys::js_sys::futures::JsFuture;
use web_sys::{
    AbortController, Document, DomParser, FormData, HtmlFormElement, RequestInit, Response, SupportedType,
    UrlSearchParams,
};

use super::dom::who;
use super::wait::in_time;
use crate::wire::session::FETCHED;

/// A page as the server answered.
pub enum Answer {
    /// A page, to be taken over.
    Page(Document),
    /// Another address answered, or somebody else is signed in: the session is over.
    Elsewhere,
}

/// Asks for a page.
///
/// # Errors
/// If the server can't be reached, takes too long or is in trouble.
pub async fn page(address: &str) -> Result<Answer, JsValue> {
    ask(address, RequestInit::new()).await
}

/// Asks for the page that answers a form, with what stands in it now and a value more.
///
/// # Errors
/// If the server can't be reached, takes too long or is in trouble.
pub async fn answer_to(form: &HtmlFormElement, address: &str, more: (&str, &str)) -> Result<Answer, JsValue> {
    let sent = FormData::new_with_form(form)?;
    sent.append_with_str(more.0, more.1)?;
    let init = RequestInit::new();
    init.set_method("POST");
    let pairs: JsValue = sent.into();
    init.set_body(&UrlSearchParams::new_with_str_sequence_sequence(&pairs)?.into());
    ask(address, init).await
}

async fn ask(address: &str, init: RequestInit) -> Result<Answer, JsValue> {
    let headers = web_sys::Headers::new()?;
    headers.set("accept", "text/html")?;
    headers.set(FETCHED, "1")?;
    init.set_headers(&headers);
    let abort = AbortController::new()?;
    init.set_signal(Some(&abort.signal()));
    let answer = in_time(read(address, init)).await;
    if answer.is_none() {
        abort.abort();
    }
    answer.unwrap_or(Err(JsValue::NULL))
}

async fn read(address: &str, init: RequestInit) -> Result<Answer, JsValue> {
    let response: Response =
        JsFuture::from(window().fetch_with_str_and_init(address, &init)).await?.dyn_into()?;
    if response.redirected() {
        return Ok(Answer::Elsewhere);
    }
    if response.status() >= 500 {
        return Err(JsValue::NULL);
    }
    let text = JsFuture::from(response.text()?).await?.as_string().unwrap_or_default();
    let page = DomParser::new()?.parse_from_string(&text, SupportedType::TextHtml)?;
    let is_ours = who(&page).is_none_or(|who_asks| who(&document()) == Some(who_asks));
    Ok(if is_ours { Answer::Page(page) } else { Answer::Elsewhere })
}
