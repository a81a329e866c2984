"""Code in the text that names something documented becomes a link to it.

`Perceptron`, `TextClassifier.explain`, `wordplane.read(path)` and `model.explain(text)` lead to the
API reference, `wordplane train DATA` to the page of the verb. Pages need no markup for that.
"""

import re
from collections.abc import Iterator

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx

from wordplane.cli import VERBS

NAME = re.compile(r"(wordplane\.)?([\w.]+?)(\(.*\)|=.*)?$", re.DOTALL)
VERB = re.compile(r"wordplane ([a-z]+)\b")
NO_LINKS = (nodes.reference, nodes.title, addnodes.desc_signature, addnodes.toctree)


def _candidates(code: str, unique: dict[str, str]) -> Iterator[str]:
    """The dotted names that code may stand for."""
    match = NAME.match(code)
    if not match:
        return
    package, name, call = match.groups()
    if package or name[:1].isupper() or call:
        yield f"wordplane.{name}"
        yield unique.get(name, "")
    if name.startswith("model.") and name.count(".") == 1:
        yield f"wordplane.TextClassifier.{name.removeprefix('model.')}"
    first, _, rest = name.partition(".")
    if rest and first[:1].isupper() and first in unique:
        yield f"{unique[first]}.{rest}"


def _link(app: Sphinx, tree: nodes.document, page: str) -> None:
    objects = app.env.get_domain("py").objects
    names = {}
    for path in objects:
        names.setdefault(path.rpartition(".")[2], []).append(path)
    unique = {name: paths[0] for name, paths in names.items() if len(paths) == 1}
    for node in list(tree.findall(nodes.literal)):
        above = node
        while above is not None and not isinstance(above, NO_LINKS):
            above = above.parent
        if above is not None:
            continue
        code, target = node.astext(), ""
        verb = VERB.match(code)
        if verb and verb[1] in VERBS:
            target = app.builder.get_relative_uri(page, f"verbs/{verb[1]}")
            if page == f"verbs/{verb[1]}":
                continue
        else:
            path = next((path for path in _candidates(code, unique) if path in objects), "")
            if path and objects[path].docname != page:
                found = objects[path]
                target = app.builder.get_relative_uri(page, found.docname) + f"#{found.node_id}"
        if target:
            link = nodes.reference("", "", internal=True, refuri=target)
            node.replace_self(link)
            link += node


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("doctree-resolved", _link)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
