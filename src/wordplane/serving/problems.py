"""Errors as clients see them: problem documents of RFC 9457.

Each kind of error has a type, a title and a status. The detail says what was found and expected,
`field` where (a JSON pointer), and `advice` what to do.
"""

import json

TYPE = "urn:wordplane:problem:"
MEDIA_TYPE = "application/problem+json"

KINDS: dict[str, tuple[int, str]] = {
    "bad-request": (400, "The request is not valid HTTP"),
    "not-json": (400, "The body is not JSON"),
    "wrong-host": (400, "The server is not called by this name"),
    "no-token": (401, "The request has no valid token"),
    "not-found": (404, "There is nothing at this path"),
    "unknown-model": (404, "There is no such model"),
    "wrong-method": (405, "The path does not have this method"),
    "slow-request": (408, "The request came too slowly"),
    "body-too-large": (413, "The body is too large"),
    "wrong-media-type": (415, "The media type is not supported"),
    "wrong-encoding": (415, "The body is compressed"),
    "invalid-field": (422, "A field is missing or wrong"),
    "too-many-texts": (422, "There are too many texts"),
    "text-too-long": (422, "A text is too long"),
    "answer-too-large": (422, "The answer would be too large"),
    "invalid-rows": (422, "The rows cannot be read"),
    "unknown-id": (422, "The text of this id is not known any more"),
    "too-many-requests": (429, "The server is busy"),
    "head-too-large": (431, "The head of the request is too large"),
    "internal-error": (500, "The server failed"),
    "no-feedback": (501, "The server does not take feedback"),
    "too-slow": (503, "The answer took too long"),
    "stopping": (503, "The server is stopping"),
    "no-room": (503, "The server has no room for more"),
    "feedback-full": (507, "The file of feedback is full"),
    "not-saved": (507, "The project could not be saved"),
}
RETRY_AFTER = 1  # seconds


class Problem(Exception):  # noqa: N818
    """An error of one of the kinds, to be answered."""

    def __init__(
        self, kind: str, detail: str, *, field: str | None = None, advice: str | None = None
    ) -> None:
        super().__init__(detail)
        self.kind, self.field, self.advice = kind, field, advice
        self.status, self.title = KINDS[kind]

    def document(self, request_id: str | None = None) -> bytes:
        """The body of the answer."""
        members: dict[str, object] = {
            "type": TYPE + self.kind,
            "title": self.title,
            "status": self.status,
            "detail": str(self),
        }
        more = {"field": self.field, "advice": self.advice, "request_id": request_id}
        members |= {name: value for name, value in more.items() if value is not None}
        # Text that the client sent may have lone surrogates, which ASCII escapes can express.
        return json.dumps(members).encode()

    def headers(self) -> dict[str, str]:
        """What the answer has besides the usual headers."""
        headers = {"content-type": MEDIA_TYPE, "cache-control": "no-store"}
        if self.status in (429, 503):
            headers["retry-after"] = str(RETRY_AFTER)
        if self.status == 401:
            headers["www-authenticate"] = "Bearer"
        if self.kind == "wrong-encoding":
            headers["accept-encoding"] = "identity"
        return headers


def shorten(value: object) -> str:
    """A value of the client's, to be quoted in a message.

    >>> shorten("x" * 100)
    "'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx…"
    """
    text = repr(value)
    return text if len(text) <= 60 else text[:59] + "…"
