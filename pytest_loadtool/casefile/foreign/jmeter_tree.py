"""The tree of a plan: elements with what stands below them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from pytest_loadtool.casefile.foreign.building import Left
from pytest_loadtool.casefile.foreign.xml_lines import XmlElement


@dataclass(frozen=True, slots=True)
class PlanElement:
    """An element of a plan, and those below it."""

    element: XmlElement
    below: list[PlanElement] = field(default_factory=list)

    @property
    def kind(self) -> str:
        """The class of what it is, without its package."""
        named = self.element.attributes.get("testclass") or self.element.name
        return named.rpartition(".")[2]

    @property
    def name(self) -> str:
        """Return what a person has called it."""
        return self.element.attributes.get("testname", "").strip()

    @property
    def where(self) -> str:
        """Return the line of the element, and its kind and name."""
        title = f" '{self.name}'" if self.name and self.name != self.kind else ""
        return f"line {self.element.line}, {self.kind}{title}"

    def property(self, name: str) -> PlanElement | None:
        """Return the property of that name."""
        for one in self.element.children:
            if one.attributes.get("name") == name:
                return PlanElement(one)
        return None

    def text(self, name: str) -> str:
        """Return the text of a property; empty if it has none."""
        found = self.property(name)
        return "" if found is None else found.element.text

    def collection(self, name: str) -> list[XmlElement]:
        """Return the elements of a property that is a list."""
        found = self.property(name)
        return [] if found is None else found.element.children

    def entries(self, name: str) -> Iterator[dict[str, str]]:
        """Yield the elements of a property that is a list, each as the texts of its own
        properties."""
        for one in self.collection(name):
            yield {each.attributes.get("name", ""): each.text for each in one.children}

    def walk(self) -> Iterator[PlanElement]:
        """Yield it and all below it."""
        yield self
        for one in self.below:
            yield from one.walk()


def nodes(root: XmlElement) -> tuple[list[PlanElement], list[Left]]:
    """Return what the tree has of elements that are switched on; and those that are not."""
    left: list[Left] = []
    tree = next(root.named("hashTree"), None)
    return ([] if tree is None else _below(tree, left)), left


def _below(tree: XmlElement, left: list[Left]) -> list[PlanElement]:
    found: list[PlanElement] = []
    children = tree.children
    for index, one in enumerate(children):
        if one.name == "hashTree":
            continue
        after = children[index + 1] if index + 1 < len(children) else None
        node = PlanElement(one, [])
        if one.attributes.get("enabled") == "false":
            left.append(Left(node.where, "switched off"))
            continue
        if after is not None and after.name == "hashTree":
            node = PlanElement(one, _below(after, left))
        found.append(node)
    return found
