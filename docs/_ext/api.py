"""The API reference: pages made from the package itself when the pages are built.

It has every name of `wordplane.__all__` and of the packages with classes of their own, every name
that a page imports from a module or spells out in full (`wordplane.data.write.write`), and the
types of what these return. Nothing is listed here, except which task a package belongs to.
"""

import inspect
import re
from collections.abc import Iterator
from dataclasses import dataclass, is_dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, get_args

import wordplane

if TYPE_CHECKING:  # the tests read this without Sphinx
    from sphinx.application import Sphinx

DOCS = Path(__file__).parents[1]
WITH_CLASSES = ("text", "features", "learners")  # packages that offer classes by name
TASKS = {
    "read": ("Read", "Files, frames and built-in corpora become a `Corpus`."),
    "features": ("Features", "Texts become named features, and features become a matrix."),
    "learn": ("Learn", "`TextClassifier` takes texts; every other learner takes a matrix."),
    "evaluate": ("Evaluate", "Labels, scores and probabilities in, numbers with intervals out."),
    "diagnose": ("Diagnose", "What is wrong with the data or the model, and pictures of it."),
    "deploy": ("Deploy", "Models and data in files, and the errors that files can raise."),
}
PACKAGES = {
    "data": "read",
    "text": "features",
    "features": "features",
    "learners": "learn",
    "optimize": "learn",
    "model": "learn",
    "selection": "evaluate",
    "evaluation": "evaluate",
    "diagnosis": "diagnose",
    "demos": "diagnose",
    "plots": "diagnose",
    "report": "diagnose",
    "scale": "learn",
    "workflow": "learn",
}
# Names whose task is not that of their package.
EXCEPTIONS = {
    "compare": "evaluate",
    "compare_models": "evaluate",
    "workflow.model_comparison.ModelComparisonResult": "evaluate",
    "evaluate": "evaluate",
    "monitor": "evaluate",
    "workflow.monitoring_result.MonitoringResult": "evaluate",
    "workflow.monitoring_result.MonitoredPart": "evaluate",
    "workflow.comparison.ComparisonResult": "evaluate",
    "workflow.evaluation_result.EvaluationResult": "evaluate",
    "workflow.diagnosis.DiagnosisResult": "diagnose",
    "workflow.auditing.AuditResult": "diagnose",
    "diagnose": "diagnose",
    "audit": "diagnose",
    "load": "deploy",
    "data.write.write": "deploy",
}
# Methods that only the package itself calls.
INTERNAL = (
    "analyses, check, column_kinds, fitted_embeddings, from_model, from_stored, group_weights, "
    "lexicon_entries, make_plan, plain_analysis, set_fitted, to_stored, word_analysis"
)
# Classes that do what another does: what they inherit is on the page of that one.
LIKE_ITS_PARENT = {"DaskTextClassifier": "TextClassifier"}
IMPORT = re.compile(r"^(?:>>> )?from (wordplane\.[\w.]+) import ([\w, ]+)$", re.MULTILINE)
SPELLED = re.compile(r"`(wordplane(?:\.\w+)+)")
SHOWN_GUIDES = 3
TABLE = ["| name | what it is |", "| --- | --- |"]


@dataclass(frozen=True)
class Entry:
    """A documented object, the path that it is documented under, and its page."""

    path: str
    thing: Any
    task: str
    page: str
    is_result: bool

    @property
    def name(self) -> str:
        return self.path.rpartition(".")[2]

    @property
    def shown(self) -> str:
        """What to import, without the package that all names share."""
        return self.path.removeprefix("wordplane.") if not self.is_result else self.name


class Reference:
    """All that is documented, by its path."""

    def __init__(self) -> None:
        self.entries: dict[str, Entry] = {}
        for name in wordplane.__all__:
            thing = getattr(wordplane, name)
            members = members_of(thing) if isinstance(thing, ModuleType) else [""]
            for member in members:
                self._add(f"wordplane.{name}.{member}".rstrip("."))
        for package in WITH_CLASSES:
            for name in members_of(import_module(f"wordplane.{package}")):
                self._add(f"wordplane.{package}.{name}")
        for path in named_on_pages():
            self._add(path)

    def _add(self, path: str, task: str = "", is_result: bool = False) -> None:
        thing = resolve(path)
        if any(entry.thing is thing for entry in self.entries.values()):
            return
        if not (inspect.isfunction(thing) or inspect.isclass(thing)):
            return
        module, _, name = path.rpartition(".")
        of_package = inspect.isclass(thing) and module.count(".") == 1
        page = name if module == "wordplane" or is_result or of_package else module
        if page.lower() in {e.page.lower() for e in self.entries.values() if e.page != module}:
            page = path
        task = task or task_of(path, thing)
        self.entries[path] = Entry(path, thing, task, page, is_result)
        for result in results_of(thing):
            self._add(f"{result.__module__}.{result.__name__}", task, is_result=True)

    def of_task(self, task: str, are_results: bool = False) -> list[Entry]:
        """Those of a task: what the package itself has first, modules after that."""
        found = [e for e in self.entries.values() if (e.task, e.is_result) == (task, are_results)]
        first = [e for e in found if e.thing.__module__.startswith("wordplane.model")]
        return sorted(found, key=lambda e: (e.page.count("."), e not in first, e.path.lower()))


def resolve(path: str) -> Any:
    """The object of a dotted path; None if there is none."""
    parent, _, name = path.rpartition(".")
    thing = getattr(resolve(parent), name, None) if parent else None
    if thing is None:
        try:
            return import_module(path)
        except ImportError:
            return None
    return thing


def members_of(module: ModuleType) -> list[str]:
    """The public functions and classes that a module defines or says it has."""
    defined = [
        name
        for name, thing in vars(module).items()
        if getattr(thing, "__module__", None) == module.__name__ and not name.startswith("_")
    ]
    return getattr(module, "__all__", defined)


@cache
def guides() -> dict[str, str]:
    """The texts of the pages that explain things, by their paths."""
    paths = [*DOCS.glob("*.md"), *DOCS.glob("learners/*.md")]
    texts = {path.relative_to(DOCS).as_posix(): path.read_text("utf-8") for path in sorted(paths)}
    return {path: text for path, text in texts.items() if path != "index.md"}


def named_on_pages() -> Iterator[str]:
    """The dotted paths that the pages of the reference import or spell out.

    A page that spells out a module means those of its members that it names, too; of a package
    that says what it has, all.
    """
    for text in guides().values():
        for module, names in IMPORT.findall(text):
            yield from (f"{module}.{name.split()[0]}" for name in names.split(","))
        code = set(re.findall(r"`(\w+)", text))
        for path in SPELLED.findall(text):
            yield path
            module = resolve(path)
            if isinstance(module, ModuleType) and module is not wordplane:
                wanted = members_of(module) if hasattr(module, "__all__") else code
                yield from (f"{path}.{name}" for name in members_of(module) if name in wanted)


def task_of(path: str, thing: Any) -> str:
    package = thing.__module__.split(".")[1]
    return EXCEPTIONS.get(path.removeprefix("wordplane."), PACKAGES.get(package, "deploy"))


def results_of(thing: Any) -> list[type]:
    """The data classes and named tuples of ours that a function, method or field holds."""
    found = []
    if inspect.isfunction(thing):
        found += classes_in(thing.__annotations__.get("return"), thing)
    else:
        for name, member in inspect.getmembers(thing):
            member = member.fget if isinstance(member, property) else member
            if not name.startswith("_") and name not in INTERNAL.split(", "):
                annotations = getattr(member, "__annotations__", {})
                found += classes_in(annotations.get("return"), member)  # it may be inherited
        if is_record(thing):
            for annotation in inspect.get_annotations(thing).values():
                found += classes_in(annotation, thing)
    return [result for result in found if is_record(result)]


def is_record(thing: type) -> bool:
    return is_dataclass(thing) or hasattr(thing, "_fields")


def classes_in(annotation: Any, owner: Any) -> Iterator[type]:
    """The classes of ours in an annotation; those of a string are found by their names."""
    if isinstance(annotation, str):
        module = inspect.getmodule(owner)
        for name in re.findall(r"\b[A-Z]\w+", annotation):
            # Some are imported for the type checker only.
            imported = re.search(
                rf"from (wordplane\S+) import [^\n]*\b{name}\b", inspect.getsource(module)
            )
            found = resolve(f"{imported[1]}.{name}") if imported else vars(module).get(name)
            yield from classes_in(found, owner)
    elif inspect.isclass(annotation) and not get_args(annotation):
        if annotation.__module__.startswith("wordplane."):
            yield annotation
    else:
        for part in get_args(annotation):
            yield from classes_in(part, owner)


def summary(thing: Any) -> str:
    """The first sentence of a docstring."""
    text = inspect.getdoc(thing) or ""
    first = re.split(r"(?<=[.!?])\s+(?=[A-Z`])", text.partition("\n\n")[0])[0]
    return re.sub(r"([|<*])", r"\\\1", " ".join(first.split()))


def directive(entry: Entry) -> str:
    module, _, name = entry.path.rpartition(".")
    kind = "class" if inspect.isclass(entry.thing) else "function"
    lines = [f".. currentmodule:: {module}", "", f".. auto{kind}:: {name}"]
    if kind == "class":
        without = LIKE_ITS_PARENT.get(name, "")
        inherited = f"   :inherited-members: {without}".rstrip()
        lines += ["   :members:", inherited, f"   :exclude-members: {INTERNAL}"]
    return "\n".join(["```{eval-rst}", *lines, "```", ""])


def method(entry: Entry) -> str:
    """What the file of a learner says about its algorithm."""
    module = entry.thing.__module__
    if not module.startswith("wordplane.learners.") or entry.is_result:
        return ""
    lines = [f".. automodule:: {module}", "   :no-index:"]
    return "\n".join(["\n## Method\n", "```{eval-rst}", *lines, "```", ""])


def explained_on(entry: Entry) -> str:
    """Links to the pages that name it most."""
    named = re.compile(
        rf"`{entry.name}\b|\bimport [^\n]*\b{entry.name}\b|wordplane\.{entry.name}\b"
    )
    counts = {path: len(named.findall(text)) for path, text in guides().items()}
    best = max(counts.values())
    paths = [path for path in counts if 2 * counts[path] > best > 0]
    paths.sort(key=lambda path: -counts[path])
    links = [f"[{_title(guides()[path])}](../{path})" for path in paths[:SHOWN_GUIDES]]
    return f"Explained in {', '.join(links)}.\n\n" if links else ""


def _title(text: str) -> str:
    return re.search(r"^# (.*)$", text, re.MULTILINE)[1]


def page_of(name: str, entries: list[Entry]) -> str:
    """A page of one name, or of what the pages use of a module."""
    if len(entries) == 1 and entries[0].page == entries[0].name:
        entry = entries[0]
        return f"# {name}\n\n{explained_on(entry)}{directive(entry)}{method(entry)}"
    about = summary(resolve(name))
    return f"# {name}\n\n{about}\n\n" + "\n".join(directive(entry) for entry in entries)


def link(entry: Entry, code: str) -> str:
    """A link to the object itself, which may be one of several on its page."""
    return f"{{py:obj}}`{code} <{entry.path}>`"


def task_page(task: str, found: Reference) -> str:
    title, about = TASKS[task]
    entries, results = found.of_task(task), found.of_task(task, are_results=True)
    direct = [entry for entry in entries if "." not in entry.page]
    others = [entry for entry in entries if "." in entry.page]
    lines = [f"# {title}", "", about, ""]
    if direct:
        lines += [*TABLE, *(f"| {link(e, e.shown)} | {summary(e.thing)} |" for e in direct), ""]
    if others:
        lines += ["## In modules", "", *TABLE]
        lines += [*(f"| {link(e, e.path)} | {summary(e.thing)} |" for e in others), ""]
    if results:
        lines += ["## What they return", "", *TABLE]
        lines += [*(f"| {link(e, e.name)} | {summary(e.thing)} |" for e in results), ""]
    pages = dict.fromkeys(entry.page for entry in [*direct, *others, *results])
    return "\n".join([*lines, "```{toctree}", ":hidden:", *pages, "```", ""])


def index_page(found: Reference) -> str:
    """The tasks, and the names of each."""
    lines = ["# API reference", "", "Names are importable from `wordplane` itself, unless they are"]
    lines += ["given with their module. A page per name has parameters, attributes, methods and"]
    lines += ["examples; [source] leads to the code.", ""]
    for task, (title, about) in TASKS.items():
        names = {e.page: e for e in found.of_task(task)}
        links = [
            f"[`{page}`]({page}.md)" if "." in page else link(entry, entry.shown)
            for page, entry in names.items()
        ]
        lines += [f"## [{title}](task-{task}.md)", "", about, "", " · ".join(links), ""]
    tasks = (f"task-{task}" for task in TASKS)
    return "\n".join([*lines, "```{toctree}", ":hidden:", *tasks, "```", ""])


def write_pages(app: "Sphinx") -> None:
    """Write the pages that have changed, and remove those of names that are gone."""
    found = Reference()
    texts = {"index": index_page(found)}
    texts |= {f"task-{task}": task_page(task, found) for task in TASKS}
    for name in {entry.page for entry in found.entries.values()}:
        texts[name] = page_of(name, [e for e in found.entries.values() if e.page == name])
    folder = Path(app.srcdir) / "api"
    folder.mkdir(exist_ok=True)
    for path in folder.glob("*.md"):
        if path.name.removesuffix(".md") not in texts:
            path.unlink()
    for name, text in texts.items():
        path = folder / f"{name}.md"
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")


def setup(app: "Sphinx") -> dict[str, bool]:
    app.connect("builder-inited", write_pages)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
