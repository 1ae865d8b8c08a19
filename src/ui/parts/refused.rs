//! A form that was refused: what was typed into it, and what is wrong with which field.
//!
//! Every form of the settings and the doors shows itself again in this one way, with a script or without: filled with what
//! was typed, the reason beside its field, and the focus there.

use leptos::prelude::*;
use leptos_router::hooks::use_query_map;
use leptos_router::params::ParamsMap;

use super::alert::Alert;
use crate::domain::channel::{ChannelKind, fields};
use crate::ui::host;
use crate::wire::error::UiError;
use crate::wire::typed::Typed;

/// What the page was asked with after a refusal.
#[derive(Debug, Clone, Default)]
pub struct Refused {
    error: Option<UiError>,
    typed: Option<Typed>,
}

/// Why what a plain form asked for was refused, as the address says. What could not even be read comes back with leptos'
/// own `__err`.
pub fn refusal_in(query: &ParamsMap) -> Option<UiError> {
    let said = query.get_str("refused").and_then(UiError::from_code);
    said.or_else(|| query.get_str("__err").map(|_| UiError::BadRequest))
}

impl Refused {
    /// As the address and the form say that led here.
    pub fn read() -> Self {
        let typed = use_context::<Typed>();
        let error = match &typed {
            Some(typed) if typed.is_lost() => {
                host::set_status(413);
                Some(UiError::TooMuch)
            }
            _ => use_query_map().with_untracked(refusal_in),
        };
        Self { error, typed }
    }

    /// What a form begins with again, if `is_its` tells by what was typed that it is the one that was refused.
    pub fn of(&self, is_its: impl FnOnce(&Typed) -> bool) -> Again {
        match (&self.error, &self.typed) {
            (Some(error), Some(typed)) if is_its(typed) => {
                let control = match error {
                    UiError::BadField(field) => field.control().map(str::to_owned),
                    UiError::WrongPassword => Some("current".to_owned()),
                    _ => None,
                };
                Again { error: Some(error.clone()), typed: typed.clone(), control }
            }
            _ => Again::default(),
        }
    }

    /// Why something was refused that is none of these forms.
    pub fn of_none(&self, forms: &[&Again]) -> Option<UiError> {
        self.error.clone().filter(|_| forms.iter().all(|form| !form.is_refused()))
    }

    /// The same above the one form of a page.
    pub fn alert(&self, form: &Again) -> Option<impl IntoView + use<>> {
        self.of_none(&[form]).map(|refusal| view! { <Alert sentence=refusal.to_string() /> })
    }
}

/// A form's second beginning; nothing of the kind by default.
#[derive(Debug, Clone, Default)]
pub struct Again {
    error: Option<UiError>,
    typed: Typed,
    /// The control that is wrong.
    control: Option<String>,
}

impl Again {
    /// For a form with the settings of a sort of channel, which have one field for each rule.
    #[must_use]
    pub fn with_settings(mut self, kind: ChannelKind) -> Self {
        if let Some(UiError::BadField(crate::wire::error::Field::Setting(rule))) = self.error {
            let field = fields(kind).iter().find(|field| field.rule == rule);
            self.control = field.map(|field| format!("settings[{}]", field.name));
        }
        self
    }

    /// Whether the form was refused.
    pub fn is_refused(&self) -> bool {
        self.error.is_some()
    }

    /// The text that a field begins with.
    pub fn text(&self, name: &str, otherwise: String) -> String {
        if !self.is_refused() {
            return otherwise;
        }
        self.typed.text(name).map_or(otherwise, str::to_owned)
    }

    /// Whether a box or a button begins ticked. A form leaves out what is not.
    pub fn is_ticked(&self, name: &str, value: &str, otherwise: bool) -> bool {
        if self.is_refused() { self.typed.text(name) == Some(value) } else { otherwise }
    }

    /// How a field stands. `id` is its element's, `hint` that of a sentence that describes it.
    pub fn field(&self, name: &str, id: &str, hint: Option<&str>) -> FieldState {
        let problem =
            self.error.clone().filter(|_| self.control.as_deref() == Some(name)).map(|error| match error {
                UiError::BadField(field) => field.rule().to_owned(),
                other => other.to_string(),
            });
        FieldState {
            is_lost: self.is_refused() && self.typed.had_secret(name),
            problem,
            id: id.to_owned(),
            hint: hint.map(str::to_owned),
        }
    }

    /// Why the form was refused, if that is about no field of it.
    pub fn whole(&self) -> Option<String> {
        self.error.as_ref().filter(|_| self.control.is_none()).map(ToString::to_string)
    }

    /// The same above its fields, in sight at once.
    pub fn alert(&self) -> Option<impl IntoView + use<>> {
        self.whole().map(|sentence| {
            view! {
                <div class="form-problem" tabindex="-1" autofocus>
                    <Alert sentence=sentence />
                </div>
            }
        })
    }
}

/// How a field of a form stands after a refusal.
#[derive(Debug, Clone, Default)]
pub struct FieldState {
    problem: Option<String>,
    /// Something secret was typed, and is not shown again.
    is_lost: bool,
    id: String,
    hint: Option<String>,
}

impl FieldState {
    /// Whether the focus belongs here.
    pub fn is_wrong(&self) -> bool {
        self.problem.is_some()
    }

    /// Whether something secret has to be put in again: what is forgotten would be taken for left out.
    pub fn is_lost(&self) -> bool {
        self.is_lost
    }

    /// `aria-invalid`.
    pub fn invalid(&self) -> Option<&'static str> {
        self.is_wrong().then_some("true")
    }

    fn problem_id(&self) -> Option<String> {
        self.problem.as_ref().map(|_| format!("{}-problem", self.id))
    }

    fn lost_id(&self) -> Option<String> {
        self.is_lost.then(|| format!("{}-lost", self.id))
    }

    /// `aria-describedby`: what is wrong first.
    pub fn described_by(&self) -> Option<String> {
        let ids: Vec<String> =
            [self.problem_id(), self.lost_id(), self.hint.clone()].into_iter().flatten().collect();
        (!ids.is_empty()).then(|| ids.join(" "))
    }

    /// What stands below the field.
    pub fn below(&self) -> impl IntoView + use<> {
        let problem = self.problem_id().zip(self.problem.clone()).map(|(id, sentence)| {
            view! {
                <p class="field-problem" id=id role="alert">
                    {sentence}
                </p>
            }
        });
        let lost = self.lost_id().map(|id| {
            view! {
                <p class="field-lost" id=id>
                    "Put it in again: what is secret is not kept."
                </p>
            }
        });
        view! {
            {problem}
            {lost}
        }
    }
}
