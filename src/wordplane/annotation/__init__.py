"""Labeling with a model that learns meanwhile: what `wordplane annotate` does, without its page.

project = Project.create("tickets.db", "tickets.csv", labels=["billing", "login"])
item = project.next()
project.label(item.text, "billing")
project.learn()
"""

from wordplane.annotation.items import Item
from wordplane.annotation.project import Project

__all__ = ["Item", "Project"]
