//! The API's description: what every endpoint has in common. The rest stands with the handlers and their types.

use std::collections::BTreeMap;

use utoipa::openapi::security::{Http, HttpAuthScheme, SecurityScheme};
use utoipa::openapi::tag::{Tag, TagBuilder};
use utoipa::openapi::{
    ContentBuilder, InfoBuilder, LicenseBuilder, OpenApi, OpenApiBuilder, Ref, RefOr, Response,
    ResponseBuilder,
};
use utoipa::{IntoResponses, PartialSchema as _, ToSchema as _};

use crate::wire::v1;

/// What calls are about, in the order in which somebody needs them, with a sentence for each.
const TAGS: [(&str, &str); 9] = [
    (
        "keys",
        "What an agent or a program calls with. Each gets one of its own, so that it can be revoked alone.",
    ),
    ("actions", "What an agent proposes, and how it waits for the answer."),
    (
        "running",
        "What an agent does once a person said yes: claim the action, run it, and say what came of it.",
    ),
    ("decisions", "For a program that decides in the place of people. An agent's key never does."),
    ("channels", "Where people are told that something waits: chats, e-mail, phones, and programs of yours."),
    ("push", "Notifications of a browser or a phone for somebody who decides."),
    ("audit", "What happened, who did it and when; also as a file."),
    ("receipts", "Keys to prove what was approved without this server."),
    (
        "project",
        "Settings, the secret that callbacks are signed with, and taking everything away or erasing it.",
    ),
];

fn tags() -> Vec<Tag> {
    let tag = |(name, about)| TagBuilder::new().name(name).description(Some(about)).build();
    TAGS.into_iter().map(tag).collect()
}

/// The beginning of the description, before the routes are added.
pub(super) fn base() -> OpenApi {
    let info = InfoBuilder::new()
        .title("Impri")
        .version(env!("CARGO_PKG_VERSION"))
        .description(Some(
            "An approval inbox for AI agents. An agent proposes an action and gets an id, a person decides, the agent \
             waits on the id and goes on only with the approved version, and reports what came of it. Bodies are \
             read as JSON whatever their Content-Type says; times are Unix seconds.",
        ))
        .license(Some(LicenseBuilder::new().name("MIT").identifier(Some("MIT")).build()));
    let mut api = OpenApiBuilder::new().info(info).tags(Some(tags())).build();
    let mut components = utoipa::openapi::Components::new();
    components.add_security_scheme("key", SecurityScheme::Http(Http::new(HttpAuthScheme::Bearer)));
    let mut schemas = Vec::new();
    v1::Refusal::schemas(&mut schemas);
    components.schemas.extend(schemas);
    components.schemas.insert(v1::Refusal::name().into_owned(), v1::Refusal::schema());
    api.components = Some(components);
    api
}

fn refusals(answers: &[(&'static str, &'static str)]) -> BTreeMap<String, RefOr<Response>> {
    let content = ContentBuilder::new().schema(Some(Ref::from_schema_name(v1::Refusal::name()))).build();
    let response = |text: &str| {
        ResponseBuilder::new().description(text).content("application/json", content.clone()).build()
    };
    answers.iter().map(|(status, text)| ((*status).to_owned(), response(text).into())).collect()
}

/// What any call may be refused with.
pub(super) struct Refused;

impl IntoResponses for Refused {
    fn responses() -> BTreeMap<String, RefOr<Response>> {
        refusals(&[
            ("400", "A field breaks a rule. Nothing was stored or decided."),
            ("401", "No valid API key was sent."),
            ("403", "The key has not the scope, or may not do this."),
            ("413", "The body is larger than 1 MiB."),
            ("429", "Too many requests; try again after Retry-After seconds."),
            (
                "503",
                "The server can't reach its database, or can't open a secret of its own; nothing was changed.",
            ),
        ])
    }
}

/// What a call that everybody may make can be refused with.
pub(super) struct Unavailable;

impl IntoResponses for Unavailable {
    fn responses() -> BTreeMap<String, RefOr<Response>> {
        refusals(&[("503", "The server can't reach its database; nothing was changed.")])
    }
}

/// What a call that names something by its id may be refused with besides.
pub(super) struct NotFound;

impl IntoResponses for NotFound {
    fn responses() -> BTreeMap<String, RefOr<Response>> {
        refusals(&[("404", "There is nothing with this id in the key's project.")])
    }
}

/// What a call that comes too late may be refused with besides.
pub(super) struct Conflict;

impl IntoResponses for Conflict {
    fn responses() -> BTreeMap<String, RefOr<Response>> {
        refusals(&[("409", "It is past that: the message says who was first, or what it is now.")])
    }
}
