"""What can go wrong. Whichever of these a gate raises, nothing was run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


class ImpriError(Exception):
    """Base of all exceptions of this package."""


class ImpriConfigError(ImpriError):
    """The client can't be made: no API key, or a base URL that is none."""


class ImpriConnectionError(ImpriError):
    """The server gave no answer, for as long as the client may try."""


class ImpriProtocolError(ImpriError):
    """Something answered, but not Impri: a proxy's page, a redirect, half a body, members of the wrong type."""


class ImpriIntegrityError(ImpriError):
    """The content that came back is not the content that was proposed or approved."""


class ImpriReceiptRefused(ImpriError):
    """A receipt that is not genuine, or does not permit what was to be run, here and now. Nothing was run."""


class ImpriWebhookSignatureError(ImpriError):
    """A callback's signature does not fit, or is too old."""


# --- what a wait ends with, besides an approval ----------------------------------------------------------


class ImpriNotApproved(ImpriError):
    """The action is not approved. Raised as it is for every status that this client does not know."""

    def __init__(self, action_id: str, status: str, message: str | None = None) -> None:
        """Names the action and the status that it is in."""
        super().__init__(message or f"Action {action_id} is {status!r}, which is not 'approved'. Nothing was run.")
        self.action_id = action_id
        self.status = status


class ImpriRejected(ImpriNotApproved):
    """A person said no. An expected outcome: branch on it."""

    def __init__(self, action_id: str, decision: Mapping[str, Any], final_preview: Mapping[str, Any]) -> None:
        """Carries the decision, with its comment if there is one."""
        comment = decision.get("comment")
        because = f": {comment}" if comment else "."
        super().__init__(action_id, "rejected", f"Action {action_id} was rejected{because}")
        self.decision = decision
        self.final_preview = final_preview
        self.comment: str | None = comment if isinstance(comment, str) else None


class ImpriExpired(ImpriNotApproved):
    """Nobody decided in time, or the approval is too old to be used (HTTP 410)."""


class ImpriCancelled(ImpriNotApproved):
    """The proposal was withdrawn."""


class ImpriAlreadyRun(ImpriNotApproved):
    """The action was approved and run before; an approval is good for one run."""


class ImpriTimeout(ImpriNotApproved):
    """The caller's own time was over while the action still waited."""

    def __init__(self, action_id: str) -> None:
        """Names the action, for whoever wants to go on waiting."""
        message = f"Action {action_id} was not decided in the time given. Nothing was run."
        super().__init__(action_id, "pending", message)


# --- what the server refuses -----------------------------------------------------------------------------


class ImpriHttpError(ImpriError):
    """The server refused the request; the message says why and what to do."""

    def __init__(self, message: str, status_code: int, body: Mapping[str, Any] | None = None) -> None:
        """Keeps the HTTP status and the answer's members."""
        super().__init__(message)
        self.message = message
        self.status_code = status_code
        self.body: Mapping[str, Any] = body or {}


class ImpriUnauthorized(ImpriHttpError):
    """HTTP 401 or 403: no valid key, or one without the needed scope."""


class ImpriNotFound(ImpriHttpError):
    """HTTP 404: nothing with this id in the key's project."""


class ImpriConflict(ImpriHttpError):
    """HTTP 409: decided, claimed or reported before, or an idempotency key that names another proposal."""

    @property
    def current_status(self) -> str | None:
        """The status that the action is in, where the server says so."""
        status = self.body.get("current_status")
        return status if isinstance(status, str) else None


class ImpriQuotaExceeded(ImpriHttpError):
    """HTTP 402: a plan's limit is reached; only hosted servers have one."""

    @property
    def limit(self) -> int | None:
        """The limit."""
        return _int(self.body.get("limit"))

    @property
    def tier(self) -> str | None:
        """The plan."""
        tier = self.body.get("tier")
        return tier if isinstance(tier, str) else None


class ImpriRateLimited(ImpriHttpError):
    """HTTP 429, for longer than the client may try by itself."""

    def __init__(
        self,
        message: str,
        status_code: int = 429,
        body: Mapping[str, Any] | None = None,
        *,
        retry_after: int | None = None,
    ) -> None:
        """Keeps after how many seconds to try again."""
        super().__init__(message, status_code, body)
        self.retry_after = retry_after


class ImpriValidationError(ImpriHttpError):
    """HTTP 400 or 422: fields that break a rule. Nothing was stored."""

    @property
    def issues(self) -> list[Any]:
        """One entry per field: its path, the rule and the limit."""
        issues = self.body.get("issues")
        return issues if isinstance(issues, list) else []


class ImpriApiError(ImpriHttpError):
    """Every other HTTP error."""


def _int(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None
