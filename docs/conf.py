"""How `make docs` builds the pages: offline, executed, and every warning is an error."""

import os
import sys
from pathlib import Path

import wordplane

sys.path.insert(0, str(Path(__file__).parent / "_ext"))

# Of the kernels and commands that run when the pages are built.
os.environ["PYTHONPATH"] = os.pathsep.join([sys.path[0], os.environ.get("PYTHONPATH", "")])
os.environ["PYDEVD_DISABLE_FILE_VALIDATION"] = "1"  # they would warn of frozen modules

project = "Wordplane"
author = "The Wordplane developers"
project_copyright = author
version = release = wordplane.__version__

extensions = [
    "myst_nb",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "sphinx.ext.viewcode",
    "api",
    "demo_cells",
    "docstrings",
    "examples",
    "links",
    "live_report",
    "mathml",
    "policy",
    "verbs",
]
# Of the files in measured/, those that begin with a table are included by pages.
measured_tables = [
    f"measured/{path.name}"
    for path in (Path(__file__).parent / "measured").glob("*.md")
    if path.read_text(encoding="utf-8").startswith("|")
]
exclude_patterns = ["_build", "_ext", "verbs/_*", *measured_tables]
html_math_renderer = "mathml"

myst_enable_extensions = ["dollarmath", "attrs_inline", "attrs_block", "colon_fence"]
myst_heading_anchors = 3
add_module_names = False

autodoc_member_order = "bysource"
autodoc_typehints = "none"  # the docstrings say what a parameter may be
napoleon_google_docstring = False
napoleon_attr_annotations = False
napoleon_custom_sections = [("Attributes", "params_style")]
smartquotes_action = "D"  # dashes only

nb_execution_mode = "force"
nb_execution_timeout = 600
nb_execution_raise_on_error = True
nb_merge_streams = True
nb_output_stderr = "error"

html_theme = "furo"
html_title = "Wordplane"
html_static_path = ["_static"]
html_css_files = ["wordplane.css"]
html_show_sphinx = False
html_copy_source = False
html_show_sourcelink = False
