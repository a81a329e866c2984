"""Modules of models in Node."""

import json
import shutil
import subprocess

import pytest

DRIVER = """
import { load } from %s;
import { readFileSync } from "node:fs";
const { documents, isExplained } = JSON.parse(readFileSync(0, "utf8"));
const attempt = (run) => {
  try { return run(); } catch (error) { return { error: error.message }; }
};
try {
  const model = await load();
  const { labels, fields, isMultilabel } = model;
  const answers = documents.map((one) => attempt(() => model.predict(one)));
  const explained = isExplained ? documents : [];
  const explanations = explained.map((one) => attempt(() => model.explain(one)));
  console.log(JSON.stringify({ labels, fields, isMultilabel, answers, explanations }));
} catch (error) {
  console.log(JSON.stringify({ error: error.message }));
}
"""


def run_node(module, documents, *, is_explained=True):
    """What a module says of its model and of documents; `error` if it cannot be loaded."""
    asked = json.dumps({"documents": documents, "isExplained": is_explained})
    node = shutil.which("node")
    if node is None:
        pytest.skip("no Node here: the module was not run")
    driver = module.with_name(f"{module.stem}-driver.mjs")
    driver.write_text(DRIVER % json.dumps(module.as_uri()), encoding="utf-8")
    done = subprocess.run([node, driver], input=asked, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)
