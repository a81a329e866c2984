"""The pages of the service: HTML, scripts and one style, and nothing from elsewhere."""

from hashlib import sha256
from importlib.resources import files

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
HTML, SCRIPT = "text/html; charset=utf-8", "text/javascript; charset=utf-8"
STYLE = "text/css; charset=utf-8"
FILES = {
    "/": ("page.html", HTML),
    "/docs": ("docs.html", HTML),
    "/common.js": ("common.js", SCRIPT),
    "/page.js": ("page.js", SCRIPT),
    "/docs.js": ("docs.js", SCRIPT),
    "/page.css": ("page.css", STYLE),
}

PageFile = tuple[bytes, dict[str, str]]  # content and headers


def page_files(listed: dict[str, tuple[str, str]]) -> dict[str, PageFile]:
    """The files of the pages by path."""
    found: dict[str, PageFile] = {}
    for path, (name, media_type) in listed.items():
        content = (files("wordplane.serving.page") / name).read_bytes()
        headers = {
            "content-type": media_type,
            "content-security-policy": POLICY,
            "x-content-type-options": "nosniff",
            "referrer-policy": "no-referrer",
            "cache-control": "no-cache",
            "etag": f'"{sha256(content).hexdigest()[:16]}"',
        }
        found[path] = content, headers
    return found
