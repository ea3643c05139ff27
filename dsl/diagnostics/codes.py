"""THE list of codes: every code a diagnostic may carry, with its title.

A code is listed here if and only if it has a page in `docs/errors/` and is raised somewhere; tests hold the
three together. A code is never given a second meaning: one that falls out of use is deleted with its page.
Read next: `explain`, which finds the pages.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType

FAMILIES: Mapping[str, str] = MappingProxyType(
    {
        "E01": "syntax",
        "E02": "names and modules",
        "E03": "dtypes and types",
        "E04": "shapes",
        "E05": "stages",
        "E06": "immutability and keys",
        "E07": "effects",
        "E08": "transformations",
        "E09": "run-time checks, the Python boundary, files",
        "E10": "devices",
        "W": "lints",
    }
)

TITLES: Mapping[str, str] = MappingProxyType(
    {
        # E01: syntax
        "E0101": "unexpected token",
        "E0102": "unclosed bracket",
        "E0103": "unmatched closing bracket",
        "E0104": "wrong indentation",
        "E0105": "missing body",
        "E0106": "block without a value",
        "E0107": "tab in the source",
        "E0108": "unexpected character",
        "E0109": "malformed string literal",
        "E0110": "unused value",
        "E0111": "malformed number literal",
        "E0112": "comparison chain in several directions",
        "E0113": "misplaced `*` in parameters",
        "E0114": "unsupported statement",
        "E0115": "unknown operator",
        "E0116": "Python spelling of a constant",
        "E0117": "`=` and `==` confused",
        "E0118": "misplaced colon",
        "E0119": "nested too deeply",
        "E0120": "Python conditional",
        "E0121": "declaration inside a block",
        "E0122": "not a declaration",
        "E0124": "keyword used as a name",
        "E0125": "unsupported form of parameter",
        "E0126": "`if` without `else`",
        "E0127": "`not` needs parentheses",
        "E0128": "malformed pattern",
        "E0129": "lambda in Python's form",
        "E0130": "argument or parameter out of order",
        # E02: names and modules
        "E0201": "undefined name",
        "E0202": "undefined type",
        "E0203": "module not found",
        "E0204": "circular import",
        "E0205": "name not exported by a module",
        "E0206": "duplicate name",
        "E0207": "wrong number of type arguments",
        "E0208": "unused type parameter",
        "E0209": "undefined variant",
        "E0210": "undefined effect",
        "E0211": "undefined effect operation",
        "E0212": "undefined class",
        "E0213": "constant defined in terms of itself",
        "E0214": "type defined in terms of itself",
        # E03: dtypes and types
        "E0301": "dtypes differ",
        "E0302": "dtype mismatch",
        "E0303": "type mismatch",
        "E0304": "number does not fit its dtype",
        "E0305": "`/` between integers",
        "E0306": "positional axis",
        "E0307": "wrong number of arguments",
        "E0308": "invalid keyword argument",
        "E0309": "no such field",
        "E0310": "carry changes its type",
        "E0311": "value is not callable",
        "E0312": "branches of an `if` have different types",
        "E0313": "list items of different types",
        "E0314": "pattern does not match",
        "E0315": "operator not defined for its operands",
        "E0316": "negative power of an integer",
        "E0317": "non-exhaustive `match`",
        "E0318": "parameter without a type",
        "E0319": "arithmetic on a tree that is not a vector space",
        "E0320": "recursive function without a result type",
        "E0321": "invalid cast",
        "E0322": "axes on a type that cannot have them",
        "E0323": "dtype cannot be inferred",
        "E0324": "condition must be a scalar bool",
        "E0325": "not iterable",
        "E0326": "`range`, `zip` or `enumerate` used as a value",
        "E0327": "format string mismatch",
        "E0328": "unknown array update",
        "E0329": "argument not in the class of its parameter",
        "E0330": "not supported in this version",
        "E0331": "cannot be indexed, or used as an index",
        "E0332": "dtype not in its class",
        # E04: shapes
        "E0401": "shapes do not match",
        "E0402": "shape mismatch",
        "E0403": "axis out of range",
        "E0404": "size not inferable from a call",
        "E0405": "size not inferable from the arguments",
        "E0406": "reshape changes the number of elements",
        "E0407": "condition on sizes does not hold",
        "E0409": "size may be negative",
        "E0410": "size divided by a number below 1",
        "E0411": "not a size",
        "E0412": "branches or items of different shapes",
        "E0414": "too many indices",
        "E0416": "malformed `einsum`",
        "E0417": "carry changes its shape",
        "E0418": "leaves of a tree without a common leading axis",
        "E0420": "boolean mask used as an index",
        "E0421": "index out of bounds",
        "E0422": "slice out of bounds",
        "E0423": "slice length is not static",
        "E0424": "invalid slice step",
        # E05: stages
        "E0501": "run-time value where a static one is required",
        "E0502": "type and stage of a parameter disagree",
        "E0503": "static evaluation exceeds its budget",
        "E0504": "constant is not static",
        "E0505": "recursion on run-time values",
        "E0506": "static value is too large",
        "E0509": "static value selected at run time",
        # E06: immutability and keys
        "E0601": "assignment",
        "E0602": "in-place update",
        "E0603": "assignment to an element or a field",
        "E0604": "wrong operator for a cell",
        "E0605": "accumulator is read",
        "E0610": "key used twice",
        "E0611": "key used in a body that runs many times",
        "E0612": "key is not mapped",
        "E0613": "key stored where it could be used again",
        # E07: effects
        "E0701": "undeclared effect",
        "E0702": "effects of a function not allowed here",
        "E0703": "effect in a constant, a default or a type",
        "E0705": "`resume` outside of a handler",
        "E0706": "handler clause does not end with `resume`",
        "E0717": "assertion always fails",
        "E0720": "state write in a body that runs in parallel",
        "E0721": "printing in a body that runs in parallel",
        # E08: transformations
        "E0801": "gradient of a function that does not return a scalar",
        "E0802": "derivative with respect to a value that is not differentiable",
        "E0803": "operation without a derivative",
        "E0805": "reverse-mode derivative of an unbounded loop",
        "E0806": "mapped axis out of range",
        "E0807": "mapped axes of different sizes",
        "E0808": "no mapped argument",
        "E0809": "wrong number of `in_axes` entries",
        "E0810": "collective over an undefined axis",
        "E0811": "derivative with respect to an argument that does not exist",
        "E0812": "invalid transformation option",
        "E0813": "custom rule of the wrong type",
        "E0814": "transformation of a value that is not a function",
        "E0815": "tangents do not match the primals",
        "E0816": "forward-mode derivative of a custom_vjp",
        "E0817": "custom rule is not linear",
        "E0818": "custom rule captures a differentiated value",
        # E0901 to E0939: arguments at the Python boundary
        "E0901": "argument of the wrong type",
        "E0902": "conversion may lose information",
        "E0903": "argument of the wrong shape",
        "E0904": "arguments disagree about a size",
        "E0905": "missing argument",
        "E0906": "too many arguments",
        "E0907": "argument given twice",
        "E0908": "record with the wrong fields",
        "E0909": "static argument of the wrong type",
        "E0910": "number not representable in its dtype",
        "E0911": "condition of the function is not met",
        "E0912": "index out of range in an argument",
        "E0913": "size equation without a solution",
        "E0914": "missing or invalid key",
        "E0915": "tuple of the wrong length",
        "E0916": "not a function of this program",
        "E0917": "result not representable in Python",
        "E0918": "artifact without a program for the arguments",
        # E0940 to E0959: run-time checks
        "E0940": "run-time check failed",
        # E0960 to E0999: files and the command line
        "E0960": "cannot read a file",
        "E0961": "file is not UTF-8 text",
        "E0962": "malformed input file",
        "E0963": "input file has no value for a parameter",
        "E0964": "input value does not fit its parameter",
        "E0965": "no such function in the program",
        "E0966": "cannot write a file",
        "E0967": "invalid static argument on the command line",
        "E0968": "damaged artifact",
        "E0969": "artifact of another version",
        "E0970": "function that an artifact cannot hold",
        # E1001 to E1099: devices
        "E1001": "out of device memory",
        "E1002": "arrays on different devices",
        "E1003": "number of processor devices cannot be set",
        "E1004": "unknown device or platform",
        "E1005": "platform without a working device",
        "E1006": "axis not divisible over devices",
        "E1007": "mapped axis not divisible over devices",
        "E1008": "invalid mesh",
        "E1009": "unknown axis of a mesh",
        "E1010": "invalid spec of how an array is cut",
        "E1011": "result that differs along an axis of a mesh",
        "E1012": "axis not divisible by that of a mesh",
        # W: lints
        "W0201": "suspicious size variable",
        "W0301": "unreachable arm",
    }
)

_CODE = re.compile(r"E(0[1-9]|10)\d{2}|W\d{2}(\d{2})?")


def is_code(text: str) -> bool:
    """Whether `text` has the form of a code, listed or not."""
    return _CODE.fullmatch(text) is not None


def family(code: str) -> str:
    """What the family of a code is about: `family("E0401")` is `"shapes"`."""
    return FAMILIES["W" if code.startswith("W") else code[:3]]
