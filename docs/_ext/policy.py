"""The content security policy of the pages: the theme's own scripts, files and frames of this
site only.

Scripts inside the article, which may come from an executed cell, are not allowed. Styles are, since
tables and pictures have them inline.
"""

import re
from base64 import b64encode
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sphinx.application import Sphinx

ARTICLE = re.compile(r"<article.*?</article>", re.DOTALL)
INLINE = re.compile(r"<script(?![^>]*\bsrc=)[^>]*>(.*?)</script>", re.DOTALL | re.IGNORECASE)
HEAD = re.compile(r"<head>\s*<meta charset=[^>]*>", re.IGNORECASE)


def with_policy(page: str) -> str:
    """The page with its policy, right after the character set.

    >>> page = '<head><meta charset="utf-8"><script>1</script>'
    >>> "script-src 'self' 'sha256-" in with_policy(page)
    True
    """
    scripts = dict.fromkeys(INLINE.findall(ARTICLE.sub("", page)))
    hashes = [f"'sha256-{b64encode(sha256(one.encode()).digest()).decode()}'" for one in scripts]
    policy = "; ".join(
        [
            "default-src 'none'",
            " ".join(["script-src 'self'", *hashes]),
            "style-src 'self' 'unsafe-inline'",
            "img-src 'self' data:",
            "font-src 'self'",
            "connect-src 'self'",
            "frame-src 'self'",
            "form-action 'self'",
            "base-uri 'none'",
        ]
    )
    meta = f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
    found, n = HEAD.subn(lambda head: f"{head[0]}\n    {meta}", page, count=1)
    if n != 1:
        raise ValueError("the page has no head that begins with its character set")
    return found


def _add_policies(app: "Sphinx", error: Exception | None) -> None:
    if error is not None or app.builder.format != "html":
        return
    for path in Path(app.outdir).rglob("*.html"):
        page = path.read_text(encoding="utf-8")
        if "Content-Security-Policy" not in page:  # the example report has its own
            path.write_text(with_policy(page), encoding="utf-8")


def setup(app: "Sphinx") -> dict[str, bool]:
    app.connect("build-finished", _add_policies, priority=900)  # after whoever adds pages
    return {"parallel_read_safe": True, "parallel_write_safe": True}
