"""The page of the service: one HTML file, one script, one style, and nothing from elsewhere."""

from hashlib import sha256
from importlib.resources import files

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
FILES = {
    "/": ("page.html", "text/html; charset=utf-8"),
    "/page.js": ("page.js", "text/javascript; charset=utf-8"),
    "/page.css": ("page.css", "text/css; charset=utf-8"),
}

PageFile = tuple[bytes, dict[str, str]]  # content and headers


def page_files() -> dict[str, PageFile]:
    """The files of the page by path."""
    found: dict[str, PageFile] = {}
    for path, (name, media_type) in FILES.items():
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
