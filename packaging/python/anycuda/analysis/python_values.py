# SPDX-License-Identifier: Apache-2.0
"""The strings that an expression of a Python file may have at run time, without running it. Pure."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from typing import Callable, NamedTuple, TypeVar

from .python_names import ANY, Binding, Call, Import, Names, Parameter, Place, Test, Value, last

_DEEPEST = 40  # steps from an expression to a value
_MOST_STEPS = 200_000  # in one file
_SAME_ELEMENTS = ("sorted", "tuple", "list", "set", "frozenset", "reversed", "iter", "fromkeys", "copy", "keys")
_PAIR = 2
_T = TypeVar("_T")


class Found(NamedTuple):
    """An expression that is not a name with known values."""

    node: ast.expr
    place: Place


class Values:
    """`is_exhausted`: some values were not looked for, since the file takes too many steps."""

    def __init__(self, names: Names) -> None:
        self.names, self.steps, self.depth = names, 0, 0
        self.open: set[int] = set()  # bindings that are being followed

    def strings(self, node: ast.expr, place: Place) -> tuple[list[str], bool]:
        """(the strings, whether there may be others)"""
        found, others = [], False
        for one, _ in self._of(node, place):
            if isinstance(one, ast.Constant) and isinstance(one.value, str):
                found.append(one.value)
            elif not (isinstance(one, ast.Constant) and one.value is None):  # a value before the first assignment
                others = True
        return list(dict.fromkeys(found)), others or not found

    def dotted(self, node: ast.expr, place: Place) -> set[str]:
        """The full names of a function or module: a.b.c, whatever name the file gives it."""
        if self._is_too_much():
            return set()
        if isinstance(node, ast.Attribute):
            found = {f"{one}.{node.attr}" for one in self._deeper(self.dotted, node.value, place)}
            return found | self._dotted_values(self.names.attributes.get(node.attr, []))
        if isinstance(node, ast.Name):
            bindings = place.scope.find(node.id)
            found = {one.dotted for one in bindings if isinstance(one, Import)}
            found |= self._dotted_values(one for one in bindings if isinstance(one, Value))
            return found or {node.id, *(f"{module}.{node.id}" for module in self.names.stars)}
        if isinstance(node, ast.Call) and node.args:
            called = last(node.func)
            if called in ("import_module", "__import__"):
                names = self.strings(node.args[0], place)[0]
                return {one.partition(".")[0] if called == "__import__" and len(node.args) == 1 else one
                        for one in names}
            if called == "getattr" and len(node.args) >= _PAIR:
                return {f"{one}.{name}" for one in self._deeper(self.dotted, node.args[0], place)
                        for name in self.strings(node.args[1], place)[0]}
        return set()

    def _dotted_values(self, values: Iterable[Value]) -> set[str]:
        return {name for one in values for name in self._follow(one, self.dotted)}

    def _of(self, node: ast.expr, place: Place) -> Iterable[Found]:
        """The expressions that `node` stands for."""
        if self._is_too_much():
            return [Found(ANY, place)]
        if isinstance(node, ast.Name):
            return self._of_name(node, place)
        if isinstance(node, ast.Attribute):
            values = self.names.attributes.get(node.attr)
            return [one for value in values for one in self._follow(value, self._of)] if values else [
                Found(node, place)]
        if isinstance(node, ast.IfExp):
            return [*self._deeper(self._of, node.body, Place(place.scope, Test(node.test, False, place.tests))),
                    *self._deeper(self._of, node.orelse, Place(place.scope, Test(node.test, True, place.tests)))]
        if isinstance(node, ast.BoolOp):
            return [one for value in node.values for one in self._deeper(self._of, value, place)]
        if isinstance(node, ast.NamedExpr):
            return self._deeper(self._of, node.value, place)
        if isinstance(node, ast.Subscript):
            return self._item(node.value, node.slice, place)
        if isinstance(node, ast.Call) and last(node.func) == "str" and len(node.args) == 1:
            return self._deeper(self._of, node.args[0], place)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "get":
            return self._got(node, node.func.value, place)
        return [Found(node, place)]

    def _of_name(self, node: ast.Name, place: Place) -> Iterable[Found]:
        bindings = place.scope.find(node.id)
        found: list[Found] = []
        tested = self._tested(node.id, place)
        if tested:  # values from before the test count only if the test lists them
            line, found = tested
            bindings = [one for one in bindings if line < one.line]
        elif not bindings:
            found = [Found(node, place)]
        return [*found, *(one for binding in bindings for one in self._bound(binding, place))]

    def _bound(self, binding: Binding, place: Place) -> Iterable[Found]:
        if isinstance(binding, Value):
            return self._follow(binding, self._of)
        if isinstance(binding, Parameter):
            return self._argument(binding)
        return [Found(ANY, place)]

    def _follow(self, value: Value, how: Callable[[ast.expr, Place], Iterable[_T]]) -> list[_T]:
        """Follows a value once: x = x.lower() does not lead back to x."""
        if id(value) in self.open:
            return []
        self.open.add(id(value))
        try:
            return self._deeper(how, value.node, value.place)
        finally:
            self.open.discard(id(value))

    def _argument(self, one: Parameter) -> list[Found]:
        """The values that calls in the file give a parameter; without a call, they are unknown."""
        if id(one) in self.open:
            return []
        name = getattr(one.function, "name", "")
        calls = self.names.calls.get(name, []) if name else []
        given: list[tuple[ast.expr, Place]] = [(one.default, one.place)] if one.default else []
        for call in calls:
            argument = self._given(one, call)
            given += [(argument or ANY, call.place)] if argument or not one.default else []
        self.open.add(id(one))
        found = [each for node, place in given for each in self._deeper(self._of, node, place)]
        self.open.discard(id(one))
        return found if calls else [*found, Found(ANY, one.place)]

    @staticmethod
    def _given(one: Parameter, call: Call) -> ast.expr | None:
        if one.name in call.keywords:
            return call.keywords[one.name]
        if None in call.keywords or any(isinstance(each, ast.Starred) for each in call.args):
            return ANY
        if one.position is None:
            return None
        is_of_class = isinstance(one.place.scope.node, ast.ClassDef) and call.is_method
        position = one.position - is_of_class  # without self
        return call.args[position] if 0 <= position < len(call.args) else None

    def _tested(self, name: str, place: Place) -> tuple[int, list[Found]] | None:
        """(line, values) of the innermost test that limits a name to values: name in values, name == value"""
        test = place.tests
        while test:
            for one in _parts(test):
                left = one.left
                if isinstance(left, ast.Name) and left.id == name:
                    right = one.comparators[0]
                    where = Place(place.scope, test.outer)
                    how = self._of if isinstance(one.ops[0], (ast.Eq, ast.NotEq)) else self._elements
                    return one.lineno, list(self._deeper(how, right, where))
            test = test.outer
        return None

    def _elements(self, node: ast.expr, place: Place) -> list[Found]:
        return [each for one in self._of(node, place) for each in self._elements_once(*one)]

    def _elements_once(self, node: ast.expr, place: Place) -> list[Found]:
        """Does not go in circles: x += [one]."""
        if id(node) in self.open:
            return []
        self.open.add(id(node))
        found = self._deeper(self._elements_of, node, place)
        self.open.discard(id(node))
        return found

    def _elements_of(self, node: ast.expr, place: Place) -> Iterator[Found]:
        if isinstance(node, (ast.Tuple, ast.List, ast.Set)):
            for one in node.elts:
                yield from (self._deeper(self._elements, one.value, place) if isinstance(one, ast.Starred) else
                            self._deeper(self._of, one, place))
        elif isinstance(node, ast.Dict):
            for key, value in zip(node.keys, node.values):
                yield from self._deeper(self._of, key, place) if key else self._deeper(self._elements, value, place)
        elif isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Add, ast.BitOr)):
            yield from self._deeper(self._elements, node.left, place)
            yield from self._deeper(self._elements, node.right, place)
        elif isinstance(node, (ast.ListComp, ast.SetComp, ast.GeneratorExp)):
            yield from self._deeper(self._of, node.elt, place)
        elif isinstance(node, ast.Call):
            yield from self._elements_of_call(node, place)
        else:
            yield Found(ANY, place)

    def _elements_of_call(self, node: ast.Call, place: Place) -> Iterator[Found]:
        called = last(node.func)
        of = node.args[0] if node.args else node.func.value if isinstance(node.func, ast.Attribute) else None
        if called in _SAME_ELEMENTS and of:
            yield from self._deeper(self._elements, of, place)
        elif called == "enumerate" and of:
            pairs = [ast.Tuple([ANY, one.node], ast.Load()) for one in self._deeper(self._elements, of, place)]
            yield from (Found(pair, place) for pair in pairs)
        elif called in ("items", "values") and of:
            for one, where in self._of(of, place):
                if not isinstance(one, ast.Dict):
                    yield Found(ANY, place)
                    continue
                for key, value in zip(one.keys, one.values):
                    pair = ast.Tuple([key or ANY, value], ast.Load())
                    yield from [Found(pair, where)] if called == "items" else self._deeper(self._of, value, where)
        elif called in ("set", "list", "tuple", "dict", "frozenset"):
            return  # an empty one
        else:
            yield Found(ANY, place)

    def _item(self, value: ast.expr, index: ast.expr, place: Place) -> list[Found]:
        """The values of value[index]; of all elements if the index is unknown."""
        key = index.value if isinstance(index, ast.Constant) else None
        found: list[Found] = []
        for one, where in self._deeper(self._of, value, place):
            if isinstance(one, ast.Dict) and index is not ANY:
                same = [each for name, each in zip(one.keys, one.values)
                        if key is not None and isinstance(name, ast.Constant) and name.value == key]
                found += [each for item in same or one.values for each in self._deeper(self._of, item, where)]
            elif isinstance(one, (ast.Tuple, ast.List)) and isinstance(key, int) and _has(one, key):
                found += self._deeper(self._of, one.elts[key], where)
            else:
                found += self._elements_once(one, where)
        return found

    def _got(self, node: ast.Call, mapping: ast.expr, place: Place) -> list[Found]:
        """The values of x.get(key, default)."""
        found = self._item(mapping, node.args[0] if node.args else ANY, place)
        return [*found, *(each for one in node.args[1:2] for each in self._deeper(self._of, one, place))]

    def _deeper(self, how: Callable[[ast.expr, Place], Iterable[_T]], node: ast.expr, place: Place) -> list[_T]:
        self.depth += 1
        try:
            return list(how(node, place))
        finally:
            self.depth -= 1

    def _is_too_much(self) -> bool:
        self.steps += 1
        return self.is_exhausted or self.depth > _DEEPEST

    @property
    def is_exhausted(self) -> bool:
        return self.steps > _MOST_STEPS


def _has(one: ast.Tuple | ast.List, index: int) -> bool:
    return 0 <= index < len(one.elts) and not any(isinstance(each, ast.Starred) for each in one.elts[:index + 1])


def _parts(test: Test) -> Iterator[ast.Compare]:
    """The comparisons that hold: both of `a in x and b`; a in x after `if a not in x or b: raise`."""
    waiting = [(test.node, test.negated)]
    while waiting:
        one, negated = waiting.pop()
        if isinstance(one, ast.BoolOp) and isinstance(one.op, ast.Or if negated else ast.And):
            waiting += [(value, negated) for value in one.values]
        elif isinstance(one, ast.UnaryOp) and isinstance(one.op, ast.Not):
            waiting.append((one.operand, not negated))
        elif isinstance(one, ast.Compare) and len(one.ops) == 1 and isinstance(
                one.ops[0], (ast.NotIn, ast.NotEq) if negated else (ast.In, ast.Eq)):
            yield one
