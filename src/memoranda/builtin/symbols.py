"""Finds the functions, classes and methods of a file with tree-sitter (extra `code`).

One table says which grammar reads which file, one which nodes define something; a name is the names around it joined by
dots (`Store.world`), as a person would write it, whatever the language writes between them. Its lines are whole lines,
with what belongs to it before its name: decorators, `export`, `template<…>`.
"""

from __future__ import annotations

import os
import re
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from typing import Any, Iterator

from memoranda.model.errors import Unavailable

#: Longer files are not parsed: a megabyte takes about a second.
BYTES = 2 << 20
#: Definitions inside more definitions than this are not looked for.
_DEPTH = 200

#: Ending of a file's name -> (module of the grammar, the function in it).
_GRAMMARS = {
    ending: (f"tree_sitter_{module}", function)
    for endings, module, function in (
        (".py .pyi", "python", "language"),
        (".js .jsx .mjs .cjs", "javascript", "language"),
        (".ts .mts .cts", "typescript", "language_typescript"),
        (".tsx", "typescript", "language_tsx"),
        (".go", "go", "language"),
        (".rs", "rust", "language"),
        (".java", "java", "language"),
        (".c .h", "c", "language"),
        (".cc .cpp .cxx .hh .hpp .hxx", "cpp", "language"),
        (".rb", "ruby", "language"),
        (".cs", "c_sharp", "language"),
        (".php", "php", "language_php"),
        (".sh .bash", "bash", "language"),
        (".swift", "swift", "language"),
    )
    for ending in endings.split()
}

#: Nodes that define what their field `name` (or, in C, their declarator) calls it.
_NODES = """
    function_definition class_definition function_declaration generator_function_declaration class_declaration
    abstract_class_declaration method_definition abstract_method_signature interface_declaration type_alias_declaration
    enum_declaration internal_module module_declaration type_spec const_spec var_spec method_declaration struct_item
    enum_item union_item trait_item function_item function_signature_item const_item static_item mod_item type_item
    macro_definition constructor_declaration record_declaration annotation_type_declaration struct_specifier
    union_specifier enum_specifier class_specifier namespace_definition module class method singleton_method
    namespace_declaration struct_declaration property_declaration delegate_declaration trait_declaration
    protocol_declaration preproc_function_def preproc_def
"""
_DEFINES = frozenset(_NODES.split())
#: Nodes that only name a type unless they have a body.
_BODIED = frozenset({"struct_specifier", "union_specifier", "enum_specifier", "class_specifier"})
#: Nodes that belong to the definition they hold.
_WRAPS = frozenset({"decorated_definition", "export_statement", "template_declaration", "type_declaration"})
_WRAPS |= {"lexical_declaration"}
#: What a name may be: one word, or words with `::`, `\\` or type parameters.
_NAME = re.compile(r"[a-z_]*(?:identifier|name|constant|word|scope_resolution|generic_type|user_type)").fullmatch


class TreeSitter:
    """A `SymbolReader`."""

    def definitions(self, path: str, data: bytes) -> list[tuple[str, tuple[int, int]]]:
        """(whole name, lines) of every definition, in the order of the file. Raises `Unavailable`."""
        grammar = _GRAMMARS.get(os.path.splitext(path)[1].lower())
        if grammar is None:
            raise Unavailable("symbols of such files are not read", "anchor lines instead: #L10-L24")
        if len(data) > BYTES:
            raise Unavailable(f"symbols of files above {BYTES} bytes are not read", "anchor lines instead: #L10-L24")
        if find_spec("tree_sitter") is None or find_spec(grammar[0]) is None:
            missing = "tree_sitter" if find_spec("tree_sitter") is None else grammar[0]
            raise Unavailable(f"{missing} is not installed", 'pip install "memoranda[code]"')
        return list(_walk(_parser(*grammar).parse(data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")).root_node))


def make() -> TreeSitter:
    """The entry point."""
    return TreeSitter()


@cache
def _parser(module: str, function: str) -> Any:
    from tree_sitter import Language, Parser

    return Parser(Language(getattr(import_module(module), function)()))


def _walk(root: Any) -> Iterator[tuple[str, tuple[int, int]]]:
    """Every definition below a node, each before what stands inside it."""
    todo: list[tuple[Any, tuple[str, ...], int | None]] = [(root, (), None)]
    while todo:
        node, names, start = todo.pop()
        first = node.start_point[0] if start is None else start
        inner = _inner(node, names)
        if inner != names and node.type != "impl_item":
            yield ".".join(inner), (first + 1, _last(node) + 1)
        keep = first if node.type in _WRAPS else None
        if len(inner) < _DEPTH:
            todo.extend((child, inner, keep) for child in reversed(node.named_children) if child.child_count)


def _inner(node: Any, names: tuple[str, ...]) -> tuple[str, ...]:
    """The names around what stands inside a node."""
    if node.type == "impl_item":  # Rust: methods stand outside the type they belong to
        named = node.child_by_field_name("type")
    elif node.type in _BODIED and node.child_by_field_name("body") is None:
        return names
    elif node.type in _DEFINES:
        named = node.child_by_field_name("name") or _declared(node)
    elif node.type == "variable_declarator" and _is_function(node.child_by_field_name("value")):
        named = node.child_by_field_name("name")
    else:
        return names
    if named is None or not _NAME(named.type):
        return names
    text = named.text.decode("utf-8", "replace").partition("<")[0]
    receiver = _receiver(node)
    parts = [part for part in text.replace("::", ".").replace("\\", ".").split(".") if part]
    return (*names, *receiver, *parts)


def _declared(node: Any) -> Any:
    """C and C++: the name stands inside declarators (pointers, parameters)."""
    found = node.child_by_field_name("declarator")
    while found is not None and found.child_by_field_name("declarator") is not None:
        found = found.child_by_field_name("declarator")
    return found if found is not None and not found.type.endswith("_declarator") else None


def _receiver(node: Any) -> tuple[str, ...]:
    """Go: the type that a method is of."""
    receiver = node.child_by_field_name("receiver")
    if receiver is None or node.type != "method_declaration":
        return ()
    words = receiver.text.decode("utf-8", "replace").strip("()").replace("*", " ").split()
    return (words[-1].partition("[")[0],) if words else ()


def _is_function(node: Any) -> bool:
    return node is not None and node.type in ("arrow_function", "function_expression", "generator_function", "class")


def _last(node: Any) -> int:
    """The last line that holds something of the node, counted from 0."""
    row: int
    row, column = node.end_point
    return row - 1 if column == 0 and row > node.start_point[0] else row
