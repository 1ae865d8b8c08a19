//! A browser without scripts: it keeps cookies, sends what browsers send, and reads HTML as they do.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, PoisonError},
};

use impri::wire::session::FETCHED;
use reqwest::header::{HeaderMap, SET_COOKIE};
use scraper::{ElementRef, Html, Selector};

/// A browser. A handle: copies share the cookies.
#[derive(Clone)]
pub(crate) struct Browser {
    url: String,
    http: reqwest::Client,
    cookies: Arc<Mutex<BTreeMap<String, String>>>,
}

/// What it got.
#[derive(Debug, Clone)]
pub(crate) struct Page {
    pub(crate) status: u16,
    pub(crate) headers: HeaderMap,
    pub(crate) html: String,
}

/// What a browser sends with a form of one of our own pages.
const OWN_FORM: [(&str, &str); 3] =
    [("sec-fetch-site", "same-origin"), ("sec-fetch-mode", "navigate"), ("accept", "text/html,*/*;q=0.8")];

impl Browser {
    pub(super) fn new(url: &str, http: &reqwest::Client) -> Self {
        Self { url: url.to_owned(), http: http.clone(), cookies: Arc::default() }
    }

    /// The same cookies at another server.
    pub(crate) fn at(&self, url: &str) -> Self {
        Self { url: url.to_owned(), ..self.clone() }
    }

    /// Types an address.
    pub(crate) async fn open(&self, path: &str) -> Page {
        let _rendering = super::RENDERING.read().await;
        let request = self.http.get(format!("{}{path}", self.url));
        self.send(request.header("sec-fetch-site", "none").header("accept", OWN_FORM[2].1)).await
    }

    /// Looks what is new on a page, as one that is open does.
    pub(crate) async fn glance(&self, path: &str) -> Page {
        let _rendering = super::RENDERING.read().await;
        let request = self.http.get(format!("{}{path}", self.url)).header(FETCHED, "1");
        self.send(request.header("sec-fetch-site", "same-origin").header("accept", "text/html")).await
    }

    /// Presses a button of a form.
    pub(crate) async fn submit(&self, action: &str, fields: &[(&str, &str)]) -> Page {
        self.post(action, fields, &OWN_FORM).await
    }

    /// Posts fields with any headers.
    pub(crate) async fn post(&self, action: &str, fields: &[(&str, &str)], headers: &[(&str, &str)]) -> Page {
        // Browsers send every line break as CR LF (HTML, "constructing the entry list").
        let breaks = |text: &str| text.replace("\r\n", "\n").replace('\n', "\r\n");
        let fields = fields.iter().map(|(name, value)| (*name, breaks(value)));
        let body = url::form_urlencoded::Serializer::new(String::new()).extend_pairs(fields).finish();
        let mut request = self
            .http
            .post(format!("{}{action}", self.url))
            .header("content-type", "application/x-www-form-urlencoded")
            .body(body);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        self.send(request).await
    }

    /// Calls a server function as a page that is alive does.
    pub(crate) async fn call(&self, function: &str, fields: &[(&str, &str)]) -> Page {
        let headers = [("sec-fetch-site", "same-origin"), ("accept", "application/json")];
        self.post(&format!("/rpc/{function}"), fields, &headers).await
    }

    /// Fills in the sign-in form.
    pub(crate) async fn sign_in(&self, email: &str, password: &str, next: &str) -> Page {
        self.submit("/rpc/sign_in", &[("next", next), ("email", email), ("password", password)]).await
    }

    /// Opens a card, presses one of its buttons with some controls filled in, and says yes if it is asked once more.
    pub(crate) async fn submit_decide_form(&self, id: &str, verdict: &str, typed: &[(&str, &str)]) -> Page {
        let fields = self.decide_fields(id, verdict, typed).await;
        let fields: Vec<_> = fields.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        let answer = self.submit("/rpc/decide_action", &fields).await;
        if answer.status != 307 {
            return answer;
        }
        let page = self.submit(answer.location(), &fields).await;
        let mut fields = page.controls("[action='/rpc/decide_action'] input");
        fields.push(("verdict".into(), "approve".into()));
        let fields: Vec<_> = fields.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        self.submit("/rpc/decide_action", &fields).await
    }

    /// Opens a card and fills in its form, as one of its buttons would send it.
    pub(crate) async fn decide_fields(
        &self,
        id: &str,
        verdict: &str,
        typed: &[(&str, &str)],
    ) -> Vec<(String, String)> {
        let card = self.open(&format!("/inbox/{id}")).await;
        let mut fields = card.decide_form();
        fields.push(("verdict".into(), verdict.into()));
        for (name, value) in typed {
            let field = fields.iter_mut().find(|field| field.0 == *name);
            field.unwrap_or_else(|| panic!("the form has no {name}")).1 = (*value).into();
        }
        fields
    }

    /// Goes where an answer leads.
    pub(crate) async fn follow(&self, answer: &Page) -> Page {
        self.open(answer.location()).await
    }

    /// A cookie's value.
    pub(crate) fn cookie(&self, name: &str) -> Option<String> {
        self.cookies.lock().unwrap_or_else(PoisonError::into_inner).get(name).cloned()
    }

    /// Puts a cookie into the jar, as somebody who stole one would.
    pub(crate) fn set_cookie(&self, name: &str, value: &str) {
        self.cookies.lock().unwrap_or_else(PoisonError::into_inner).insert(name.into(), value.into());
    }

    async fn send(&self, request: reqwest::RequestBuilder) -> Page {
        let sent: Vec<String> = {
            let cookies = self.cookies.lock().unwrap_or_else(PoisonError::into_inner);
            cookies.iter().map(|(name, value)| format!("{name}={value}")).collect()
        };
        let request = if sent.is_empty() { request } else { request.header("cookie", sent.join("; ")) };
        let response = request.timeout(super::PATIENCE).send().await.expect("an answer");
        for cookie in response.headers().get_all(SET_COOKIE) {
            let cookie = cookie.to_str().expect("a readable cookie");
            let (pair, flags) = cookie.split_once(';').unwrap_or((cookie, ""));
            let (name, value) = pair.split_once('=').expect("a cookie with a value");
            let mut cookies = self.cookies.lock().unwrap_or_else(PoisonError::into_inner);
            if flags.contains("Max-Age=0") || value.is_empty() {
                cookies.remove(name);
            } else {
                cookies.insert(name.into(), value.into());
            }
        }
        let (status, headers) = (response.status().as_u16(), response.headers().clone());
        Page { status, headers, html: response.text().await.expect("a whole answer") }
    }
}

impl Page {
    /// Where it leads.
    pub(crate) fn location(&self) -> &str {
        self.header("location")
    }

    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default()
    }

    /// The page as a browser builds it.
    pub(crate) fn document(&self) -> Html {
        Html::parse_document(&self.html)
    }

    /// The text of every element that the selector finds, white space joined.
    pub(crate) fn texts(&self, selector: &str) -> Vec<String> {
        let join = |element: ElementRef<'_>| {
            let text: String = element.text().collect();
            text.split_whitespace().collect::<Vec<_>>().join(" ")
        };
        self.document().select(&parsed(selector)).map(join).collect()
    }

    /// The text of the one element that the selector finds.
    #[track_caller]
    pub(crate) fn text(&self, selector: &str) -> String {
        let mut texts = self.texts(selector);
        assert_eq!(texts.len(), 1, "one {selector} in {}", self.html);
        texts.remove(0)
    }

    /// Whether the page has such an element.
    pub(crate) fn has(&self, selector: &str) -> bool {
        self.document().select(&parsed(selector)).next().is_some()
    }

    /// An attribute of every element that the selector finds and that has it.
    pub(crate) fn attributes(&self, selector: &str, name: &str) -> Vec<String> {
        let (document, selector) = (self.document(), parsed(selector));
        document.select(&selector).filter_map(|element| element.attr(name).map(str::to_owned)).collect()
    }

    /// Every control that belongs to the decide form, with what it holds, as a browser would send it; no buttons.
    #[track_caller]
    pub(crate) fn decide_form(&self) -> Vec<(String, String)> {
        self.controls("#decide input[name], [form=decide][name]:not(button), #decide select[name], #decide textarea[name]")
    }

    /// Every control that a selector finds, with what it holds.
    #[track_caller]
    pub(crate) fn controls(&self, selector: &str) -> Vec<(String, String)> {
        let document = self.document();
        let mut fields: Vec<(String, String)> = Vec::new();
        for control in document.select(&parsed(selector)) {
            let name = control.attr("name").expect("a control with a name").to_owned();
            let value = match control.value().name() {
                "textarea" => control.text().collect(),
                "select" => {
                    let chosen =
                        control.select(&parsed("option[selected]")).next().expect("something is chosen");
                    chosen.attr("value").unwrap_or_default().to_owned()
                }
                _ => control.attr("value").unwrap_or_default().to_owned(),
            };
            if fields.iter().all(|field| field.0 != name) {
                fields.push((name, value));
            }
        }
        assert!(!fields.is_empty(), "{selector} in {}", self.html);
        fields
    }
}

fn parsed(selector: &str) -> Selector {
    Selector::parse(selector).unwrap_or_else(|error| panic!("{selector}: {error}"))
}
