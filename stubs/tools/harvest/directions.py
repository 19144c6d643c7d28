# SPDX-License-Identifier: Apache-2.0
"""Which parameters are single-object outputs: drawn from type, name and a comment's words.

A mark means "a failing call may set this to zero". Being wrong by writing destroys the caller's
data, being wrong by not writing leaves a variable unset, so everything doubtful gets no mark.
"""

import re

_PARAM = re.compile(
    r"[\\@]param(?:\s*\[(in|out|in\s*,\s*out)\])?\s+(\w+)\s+(.*?)"
    r"(?=[\\@](?:param|return|retval|note|sa|brief|see|addtogroup|ref\b)|\n\s*\*?\s*\n|\*/|\Z)",
    re.S,
)
_OUTPUT_WORDS = re.compile(
    r"^(the |a |an )?(optional(ly)? )?(non-null )?"
    r"(return(s|ed|ing)?\b|output\b|receives?\b|newly\b|resulting\b|generated\b|retrieved\b"
    r"|(pointer|address|location|place|handle|variable|reference)\b.*"
    r"\b(return(s|ed)?\b|store|written|receive|write(?! from\b)|be (set|filled)|output|newly|new|created"
    r"|allocated|in which)"
    r"|pointer to (the )?(output|new|location|device pointer|CUDA (array|object))"
    r"|CUDA (Runtime Compilation )?(major|minor) version number)",
    re.I | re.S,
)
_MANY_WORDS = re.compile(
    r"\barrays? (of|that|for|containing|to)\b|\b(an|output|optional) array\b|\blist of\b"
    r"|\bin(put)?[ /]*(and|/)?[ ]*out(put)?\b|\bon input\b|\bas input\b"
    r"|\bsee description\b|\buser[- ](allocated|provided) buffer\b|\bto be (mapped|unmapped)\b",
    re.I,
)
_PLURAL_NAME = re.compile(r"(?i)(s|list|array|_arr|from|to|data|args|values|params|attrs)(_out)?$")
_SINGULAR_NAME = re.compile(r"(?i)(status|flags|address|class|bytes|isBypass|caps)(_out)?$")
_COUNT_NAME = re.compile(
    r"^p?([nN]um\w*|[cC]ount\w*|\w*Count|nb[A-Z]\w*|[sS]ize\w*|[lL]en\w*)(_out)?$"
)
_MAKER = re.compile(
    r"(Create\w*|Alloc\w*|Malloc\w*|Import\w*|Instantiate\w*|Clone|Add\w*Node(_v\d)?|EndCapture"
    r"|Open\w*|Retain|Get\w*|Load\w*|Register\w*)$"
)
_MAKER_DESTROYS = re.compile(
    r"(Destroy|Unload|Unregister|Disconnect|Release|Free|Set\w*|Exchange\w*)$"
)
_SCALARS = {
    "char",
    "signed char",
    "unsigned char",
    "short",
    "unsigned short",
    "int",
    "unsigned int",
    "long",
    "unsigned long",
    "long long",
    "unsigned long long",
    "float",
    "double",
    "_Bool",
}


def parameter_texts(comment: str) -> dict[str, str]:
    """What a comment says about each parameter; used for the marks, never stored."""
    text = re.sub(r"^\s*\*+ ?", "", comment, flags=re.M)
    words: dict[str, str] = {}
    for direction, name, about in _PARAM.findall(text):
        mark = {"out": "Returned ", "in": "In "}.get(direction or "", "")
        words[name] = mark + " ".join(about.lstrip("- ").split())
    return words


def base_name(name: str) -> str:
    """cuMemAlloc for cuMemAlloc_v2_ptsz: the name that carries the comment."""
    return re.sub(r"(_v\d+)?(_ptsz|_ptds)?$", "", name)


def docs_for(name: str, docs: dict[str, dict[str, str]]) -> dict[str, str]:
    for candidate in (
        name,
        re.sub(r"(_ptsz|_ptds)$", "", name),
        base_name(name),
        base_name(name) + "_v2",
    ):
        if candidate in docs:
            return docs[candidate]
    return {}


def _resolve(text: str, types: dict[str, tuple[str, ...]]) -> str:
    while f"typedef {text}" in types:
        text = types[f"typedef {text}"][0]
    return text


def outputs(
    function: str,
    params: list[tuple[str, str]],
    docs: dict[str, str],
    types: dict[str, tuple[str, ...]],
) -> list[bool]:
    """For each (type, name): is it a pointer to one scalar or handle that the call fills?"""
    return [
        _is_output(function, index, params, docs.get(name, ""), types)
        for index, (_, name) in enumerate(params)
    ]


def _pointee(kind: str, types: dict[str, tuple[str, ...]]) -> str:
    """What a non-const pointer to one scalar, enumeration or handle points to; "" for all else."""
    kind = _resolve(kind, types)
    if not kind.endswith(" *"):
        return ""
    pointee = _resolve(kind[:-2], types)
    if pointee.endswith(" *"):
        return "handle"
    if pointee in _SCALARS and pointee not in ("char", "unsigned char", "signed char"):
        return "scalar"
    return "scalar" if pointee.startswith("enum ") else ""


def _is_output(
    function: str,
    index: int,
    params: list[tuple[str, str]],
    words: str,
    types: dict[str, tuple[str, ...]],
) -> bool:
    kind, name = params[index]
    what = _pointee(kind, types)
    if not what or _MANY_WORDS.search(words):
        return False
    stem = base_name(function)
    if _COUNT_NAME.match(name):
        if _has_buffer(index, params, types):
            return False
    elif _PLURAL_NAME.search(name) and not _SINGULAR_NAME.search(name):
        return False
    if _OUTPUT_WORDS.search(words):
        return True
    if _MAKER_DESTROYS.search(stem) or not _MAKER.search(stem):
        return False
    return what == "handle" and kind != "void * *" and (index == 0 or "Get" in stem)


def _has_buffer(
    index: int, params: list[tuple[str, str]], types: dict[str, tuple[str, ...]]
) -> bool:
    """Is another parameter memory that a count could be the length of?"""
    for other, (kind, name) in enumerate(params):
        if other == index:
            continue
        resolved = _resolve(kind, types)
        if not resolved.endswith(" *"):
            continue
        pointee = _resolve(resolved[:-2], types)
        if (
            pointee in ("void", "char", "unsigned char")
            or pointee.startswith(("struct", "union"))
            and not pointee.endswith("*")
        ):
            if _resolve(kind, types) == kind:
                return True
        elif _PLURAL_NAME.search(name) and not _SINGULAR_NAME.search(name):
            return True
    return False
