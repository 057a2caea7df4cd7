"""Definitions in fourteen languages, found by the grammars of tree-sitter."""

from __future__ import annotations

import pytest

from memoranda.builtin import symbols
from memoranda.builtin.symbols import TreeSitter, make
from memoranda.model.errors import Unavailable
from memoranda.ports.contracts.symbols import SymbolReaderContract

_SAMPLES = [
    (
        "a.py",
        "X = 5\n@deco\nclass A:\n    @property\n    def f(self):\n        def g():\n            pass\n",
        {"A": (2, 7), "A.f": (4, 7), "A.f.g": (6, 7)},
    ),
    (
        "a.js",
        "export class A {\n  m() {}\n}\nexport const f = (a) => {\n  return a\n}\nfunction g() {}\nconst n = 5\n",
        {"A": (1, 3), "A.m": (2, 2), "f": (4, 6), "g": (7, 7)},
    ),
    (
        "a.ts",
        "interface I { a: string }\ntype T = string\nenum E { A }\nnamespace N {\n  export function q() {}\n}\n"
        "abstract class B<T> {\n  abstract m(): void\n}\n",
        {"I": (1, 1), "T": (2, 2), "E": (3, 3), "N": (4, 6), "N.q": (5, 5), "B": (7, 9), "B.m": (8, 8)},
    ),
    ("a.tsx", "export const Box = () => {\n  return <div />\n}\n", {"Box": (1, 3)}),
    (
        "a.go",
        "package p\nconst C = 1\ntype T struct {\n\ta int\n}\nfunc F() {\n}\nfunc (t *T) M() {\n}\n",
        {"C": (2, 2), "T": (3, 5), "F": (6, 7), "T.M": (8, 9)},
    ),
    (
        "a.rs",
        "struct S<T> {\n    a: T,\n}\nimpl<T> S<T> {\n    fn m(&self) {\n    }\n}\nmod q {\n    pub fn z() {}\n}\n",
        {"S": (1, 3), "S.m": (5, 6), "q": (8, 10), "q.z": (9, 9)},
    ),
    (
        "a.java",
        "class A {\n  int x;\n  A() {}\n  void m() {\n  }\n}\nenum E { X }\n",
        {"A": (1, 6), "A.A": (3, 3), "A.m": (4, 5), "E": (7, 7)},
    ),
    (
        "a.c",
        "#define X 1\nstruct s { int a; };\nint p(int a);\nint f(struct s *a) {\n  return 1;\n}\n"
        "static char *g(void) {\n  return 0;\n}\n",
        {"X": (1, 1), "s": (2, 2), "f": (4, 6), "g": (7, 9)},
    ),
    (
        "a.cpp",
        "namespace n {\nclass A {\n  void m() {}\n  int k();\n};\n}\nint n::A::k() { return 1; }\n"
        "template<class T>\nT f(T a) { return a; }\n",
        {"n": (1, 6), "n.A": (2, 5), "n.A.m": (3, 3), "n.A.k": (7, 7), "f": (8, 9)},
    ),
    ("a.rb", "module M\n  class A\n    def m; end\n  end\nend\n", {"M": (1, 5), "M.A": (2, 4), "M.A.m": (3, 3)}),
    (
        "a.cs",
        "namespace N {\nclass A {\n  int P { get; set; }\n  void M() {}\n}\n}\n",
        {"N": (1, 6), "N.A": (2, 5), "N.A.P": (3, 3), "N.A.M": (4, 4)},
    ),
    ("a.php", "<?php\nclass A {\n  function m() {}\n}\nfunction f() {}\n", {"A": (2, 4), "A.m": (3, 3), "f": (5, 5)}),
    ("a.sh", "f() {\n  echo\n}\nfunction g {\n  echo\n}\n", {"f": (1, 3), "g": (4, 6)}),
    ("a.swift", "class A {\n  func m() {}\n}\nfunc f() {}\n", {"A": (1, 3), "A.m": (2, 2), "f": (4, 4)}),
]


class TestTreeSitter(SymbolReaderContract):
    def reader(self) -> TreeSitter:
        return make()

    def samples(self):
        return _SAMPLES


def test_without_the_extra_it_says_what_to_install(monkeypatch):
    monkeypatch.setattr(symbols, "find_spec", lambda name: None if name == "tree_sitter_go" else object())
    assert make().definitions("a.py", b"def f(): pass\n")
    with pytest.raises(Unavailable, match="tree_sitter_go is not installed") as caught:
        make().definitions("a.go", b"package p\n")
    assert caught.value.hint == 'pip install "memoranda[code]"'


def test_files_too_long_to_parse_are_refused(monkeypatch):
    monkeypatch.setattr(symbols, "BYTES", 10)
    with pytest.raises(Unavailable, match="above 10 bytes"):
        make().definitions("a.py", b"def f(): pass\n")


def test_definitions_nested_without_end_do_not_run_away():
    deep = "".join(f"{' ' * n}def f{n}():\n" for n in range(400)) + " " * 400 + "pass\n"
    assert len(make().definitions("a.py", deep.encode())) <= 201
