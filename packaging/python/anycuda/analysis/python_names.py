# SPDX-License-Identifier: Apache-2.0
"""The names in a Python file: where each gets its values, who calls which function, and the tests that hold at a place.
Pure. No code runs; the order of statements counts only for tests."""

from __future__ import annotations

import ast
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple, Union

Function = Union[ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda]
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
_LEAVES = (ast.Raise, ast.Return, ast.Continue, ast.Break)
_ADDS_ONE, _ADDS_ALL = ("append", "add", "insert", "appendleft"), ("extend", "update")
ANY = ast.Name("", ast.Load())  # an unknown value


class Test(NamedTuple):
    """`node` holds (or, if `negated`, does not hold) at a place, as does `outer`."""

    node: ast.expr
    negated: bool
    outer: Test | None


class Place(NamedTuple):
    scope: Scope
    tests: Test | None


class Value(NamedTuple):
    """A name may have the value of `node`. `line`: where it gets the value."""

    node: ast.expr
    place: Place
    line: int


class Parameter(NamedTuple):
    """A name is a parameter of `function`, with this position (None: only a keyword). `default`: None if it has none.
    """

    function: Function
    name: str
    position: int | None
    default: ast.expr | None
    place: Place
    line: int


class Import(NamedTuple):
    """A name is an imported module, or a name in it: a.b.c, .b.c."""

    dotted: str
    line: int


Binding = Union[Value, Parameter, Import]


class Call(NamedTuple):
    """A call of a function, or one by another function that got it: map(function, args)."""

    args: list[ast.expr]
    keywords: dict[str | None, ast.expr]
    place: Place
    is_method: bool


@dataclass
class Scope:
    """A module, class or function."""

    node: ast.AST
    outer: Scope | None
    names: dict[str, list[Binding]] = field(default_factory=dict)
    globals: set[str] = field(default_factory=set)

    @property
    def module(self) -> Scope:
        found = self
        while found.outer:
            found = found.outer
        return found

    def find(self, name: str) -> list[Binding]:
        """The bindings of a name that is used in this scope; a method does not see the names of its class."""
        scope: Scope | None = self
        while scope:
            if name in scope.names and (scope is self or not isinstance(scope.node, ast.ClassDef)):
                return scope.names[name]
            scope = scope.outer
        return []


@dataclass
class Names:
    """`uses`: the calls in the file, each with its place. `attributes`: attribute -> values (x.attribute = value, and
    those of classes). `calls`: last part of a function's name -> its calls. `stars`: modules of `from a import *`."""

    uses: list[tuple[ast.Call, Place]] = field(default_factory=list)
    attributes: dict[str, list[Value]] = field(default_factory=dict)
    calls: dict[str, list[Call]] = field(default_factory=dict)
    stars: list[str] = field(default_factory=list)


def last(function: ast.expr) -> str:
    """The last part of a name: c of a.b.c."""
    return function.attr if isinstance(function, ast.Attribute) else function.id if isinstance(function, ast.Name) \
        else ""


def passed(call: ast.Call) -> Iterator[tuple[ast.expr, list[ast.expr]]]:
    """(function, its arguments) for each argument of a call that is a name: map(f, x), partial(f, x), submit(f, x)"""
    for number, one in enumerate(call.args):
        rest = call.args[number + 1:]
        if last(call.func) == "map":
            rest = [ast.Subscript(each, ANY, ast.Load()) for each in rest]
        yield one, rest
    yield from ((one.value, []) for one in call.keywords)


def read(tree: ast.Module) -> Names:
    return _Reader().read(tree)


class _Reader:
    def __init__(self) -> None:
        self.found = Names()
        self.waiting: deque[tuple[ast.AST, Place]] = deque()
        self.added: list[tuple[str, Value]] = []  # by x.append(...)

    def read(self, tree: ast.Module) -> Names:
        self._block(tree.body, Place(Scope(tree, None), None))
        while self.waiting:
            node, place = self.waiting.popleft()
            self._inner(node, self._node(node, place))
        for name, value in self.added:
            value.place.scope.find(name).append(value)
        return self.found

    def _inner(self, node: ast.AST, place: Place) -> None:
        if isinstance(node, (ast.If, ast.IfExp, ast.While)):
            self.waiting.append((node.test, place))
            for branch, negated in ((node.body, False), (node.orelse, True)):
                inner = Place(place.scope, Test(node.test, negated, place.tests))
                if isinstance(branch, list):
                    self._block(branch, inner)
                else:
                    self.waiting.append((branch, inner))
            return
        for _, value in ast.iter_fields(node):
            if isinstance(value, list) and value and isinstance(value[0], ast.stmt):
                self._block(value, place)
            else:
                self.waiting += [(one, place) for one in (value if isinstance(value, list) else [value])
                                 if isinstance(one, ast.AST)]

    def _block(self, statements: list[ast.stmt], place: Place) -> None:
        """`if name not in x: raise` also is a test of the statements after it."""
        for one in statements:
            self.waiting.append((one, place))
            if isinstance(one, ast.Global):
                place.scope.globals.update(one.names)
            elif isinstance(one, ast.Assert):
                place = Place(place.scope, Test(one.test, False, place.tests))
            elif isinstance(one, ast.If) and isinstance(one.body[-1], _LEAVES):
                place = Place(place.scope, Test(one.test, True, place.tests))

    def _node(self, node: ast.AST, place: Place) -> Place:
        """Records the node's bindings and calls; returns the place of the nodes in it."""
        if isinstance(node, (*_FUNCTIONS, ast.ClassDef)):
            scope = Scope(node, place.scope)
            if isinstance(node, _FUNCTIONS):
                self._parameters(node, scope, place)
            return Place(scope, None)
        if isinstance(node, ast.Import):
            for one in node.names:
                self._bind(one.asname or one.name.partition(".")[0],
                           Import(one.name if one.asname else one.name.partition(".")[0], node.lineno), place)
        elif isinstance(node, ast.ImportFrom):
            module = "." * node.level + (node.module or "")
            self.found.stars += [module] if node.names[0].name == "*" else []
            for one in node.names:
                self._bind(one.asname or one.name, Import(f"{module}.{one.name}", node.lineno), place)
        elif isinstance(node, ast.Assign):
            for target in node.targets:
                self._assign(target, node.value, place)
        elif isinstance(node, ast.AugAssign):
            self._assign(node.target, ast.BinOp(node.target, node.op, node.value), place)
        elif isinstance(node, (ast.AnnAssign, ast.NamedExpr)) and node.value:
            self._assign(node.target, node.value, place)
        elif isinstance(node, (ast.For, ast.AsyncFor, ast.comprehension)):
            self._assign(node.target, ast.Subscript(node.iter, ANY, ast.Load()), place)
        elif isinstance(node, ast.withitem):
            self._assign(node.optional_vars, ANY, place)
        elif isinstance(node, ast.Call):
            self._call(node, place)
        return place

    def _parameters(self, node: Function, scope: Scope, place: Place) -> None:
        args, line = node.args, node.lineno
        positional = [*getattr(args, "posonlyargs", ()), *args.args]
        defaults = [None] * (len(positional) - len(args.defaults)) + args.defaults
        for number, (one, default) in enumerate(zip(positional, defaults)):
            scope.names[one.arg] = [Parameter(node, one.arg, number, default, place, line)]
        for one, default in zip(args.kwonlyargs, args.kw_defaults):
            scope.names[one.arg] = [Parameter(node, one.arg, None, default, place, line)]
        for many in (args.vararg, args.kwarg):
            if many:
                scope.names[many.arg] = [Value(ANY, place, line)]

    def _bind(self, name: str, binding: Binding, place: Place) -> None:
        scope = place.scope.module if name in place.scope.globals else place.scope
        scope.names.setdefault(name, []).append(binding)
        if isinstance(scope.node, ast.ClassDef) and isinstance(binding, Value):
            self.found.attributes.setdefault(name, []).append(binding)

    def _assign(self, target: ast.AST | None, value: ast.expr, place: Place) -> None:
        waiting = [(target, value)]
        while waiting:
            one, node = waiting.pop()
            if isinstance(one, ast.Name):
                self._bind(one.id, Value(node, place, one.lineno), place)
            elif isinstance(one, ast.Attribute):
                self.found.attributes.setdefault(one.attr, []).append(Value(node, place, one.lineno))
            elif isinstance(one, ast.Starred):
                waiting.append((one.value, ANY))
            elif isinstance(one, (ast.Tuple, ast.List)):
                starred = any(isinstance(each, ast.Starred) for each in one.elts)
                waiting += [(each, ANY if starred else ast.Subscript(node, ast.Constant(number), ast.Load()))
                            for number, each in enumerate(one.elts)]
            elif isinstance(one, ast.Subscript) and isinstance(one.value, ast.Name):  # x[key] = value
                self._bind(one.value.id, Value(ast.List([node], ast.Load()), place, one.lineno), place)

    def _call(self, node: ast.Call, place: Place) -> None:
        self.found.uses.append((node, place))
        keywords = {one.arg: one.value for one in node.keywords}
        self._add(node.func, Call(node.args, keywords, place, isinstance(node.func, ast.Attribute)))
        for function, args in passed(node):
            self._add(function, Call(args, {}, place, isinstance(function, ast.Attribute)))
        method = node.func
        if (isinstance(method, ast.Attribute) and method.attr in (*_ADDS_ONE, *_ADDS_ALL) and node.args
                and isinstance(method.value, ast.Name)):
            value = ast.List([node.args[-1]], ast.Load()) if method.attr in _ADDS_ONE else node.args[0]
            self.added.append((method.value.id, Value(value, place, node.lineno)))

    def _add(self, function: ast.expr, call: Call) -> None:
        if last(function):
            self.found.calls.setdefault(last(function), []).append(call)
