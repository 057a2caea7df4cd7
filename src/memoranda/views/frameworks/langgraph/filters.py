"""Filters of a search and conditions of a listing, as LangGraph's own stores read them.

Both look at values that are already at hand. A filter compares one field, or one inside it; an operator that is not
among the six is refused, never passed over.
"""

from __future__ import annotations

import operator
from typing import Any, Callable, Mapping, Sequence

_ORDER: Mapping[str, Callable[[Any, Any], bool]] = {
    "$gt": operator.gt,
    "$gte": operator.ge,
    "$lt": operator.lt,
    "$lte": operator.le,
}


def matches(value: Mapping[str, Any], wanted: Mapping[str, Any] | None) -> bool:
    """Whether a value has all the fields that are wanted. Raises `NotImplementedError` for an unknown operator."""
    return all(_fits(value.get(name), rule) for name, rule in (wanted or {}).items())


def _fits(found: Any, rule: Any) -> bool:
    if isinstance(rule, Mapping) and any(str(name).startswith("$") for name in rule):
        return all(_compares(found, name, with_) for name, with_ in rule.items())
    if isinstance(rule, Mapping):
        return isinstance(found, Mapping) and matches(found, rule)
    return bool(found == (list(rule) if isinstance(rule, tuple) else rule))


def _compares(found: Any, name: str, with_: Any) -> bool:
    if name in ("$eq", "$ne"):
        return bool(found == with_) is (name == "$eq")
    if name not in _ORDER:
        raise NotImplementedError(f"a filter cannot say {name}: it knows $eq, $ne, {', '.join(_ORDER)}")
    try:
        return _ORDER[name](float(found), float(with_))
    except (TypeError, ValueError):
        return False


def namespace_matches(condition: Any, namespace: Sequence[str]) -> bool:
    """Whether a namespace begins, or ends, with a path in which `*` stands for any name."""
    path = tuple(condition.path)
    if condition.match_type not in ("prefix", "suffix"):
        raise NotImplementedError(f"namespaces are matched by prefix or suffix, not by {condition.match_type}")
    if len(namespace) < len(path):
        return False
    part = namespace[: len(path)] if condition.match_type == "prefix" else namespace[len(namespace) - len(path) :]
    return all(wanted in ("*", name) for wanted, name in zip(path, part, strict=True))
