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
        "E0101": "something else was expected here",
        "E0102": "a bracket is never closed",
        "E0103": "a closing bracket without its opening one",
        "E0104": "a line is indented wrongly",
        "E0105": "a body is missing",
        "E0106": "a block ends without a value",
        "E0107": "a tab",
        "E0108": "a character that is not part of the language",
        "E0109": "a text that is not written rightly",
        "E0110": "the value of a statement is dropped",
        "E0111": "a number that is not written rightly",
        "E0112": "a chain of comparisons in several directions",
        "E0113": "a misplaced `*` in parameters",
        "E0114": "a statement that does not exist",
        "E0115": "an operator that does not exist",
        "E0116": "a constant in Python's spelling",
        "E0117": "`=` and `==` are mixed up",
        "E0118": "a colon where the body begins",
        "E0119": "nested too deeply",
        "E0120": "a condition in Python's order",
        "E0121": "a declaration inside a block",
        "E0122": "no declaration at top level",
        "E0124": "a keyword used as a name",
        "E0125": "a form of parameter that does not exist",
        "E0126": "an `if` without its `else`",
        "E0127": "`not` needs parentheses here",
        "E0128": "a pattern that is not written rightly",
        "E0129": "a lambda in Python's form",
        "E0130": "an argument or a parameter out of order",
        # E02: names and modules
        "E0201": "an unknown name",
        "E0202": "an unknown type",
        "E0203": "a module that cannot be found",
        "E0204": "modules that import each other",
        "E0205": "a name that a module does not offer",
        "E0206": "a name declared twice",
        "E0207": "the wrong number of type parameters",
        "E0208": "a type parameter that is not used",
        "E0209": "an unknown variant",
        "E0210": "an unknown effect",
        "E0211": "an unknown effect operation",
        "E0212": "an unknown class",
        "E0213": "a constant that is defined by itself",
        "E0214": "a type that is defined by itself",
        # E03: dtypes and types
        "E0301": "dtypes differ",
        "E0302": "a dtype other than the expected one",
        "E0303": "a type other than the expected one",
        "E0304": "a number that does not fit its dtype",
        "E0305": "`/` between integers",
        "E0306": "a positional axis",
        "E0307": "the wrong number of arguments",
        "E0308": "a keyword argument that does not fit",
        "E0309": "no such field",
        "E0310": "a carry that changes its type",
        "E0311": "a call of what is no function",
        "E0312": "the branches of an `if` differ",
        "E0313": "a list whose items differ",
        "E0314": "a pattern that does not match",
        "E0315": "an operator that is not defined for its operands",
        "E0316": "a negative power of an integer",
        "E0317": "a `match` that does not cover everything",
        "E0318": "a parameter without a type",
        "E0319": "arithmetic on a tree that is no vector space",
        "E0320": "a recursive function without a result type",
        "E0321": "a cast that is not defined",
        "E0322": "axes on a type that takes none",
        "E0323": "a dtype that no argument determines",
        "E0324": "a condition that is no single bool",
        "E0325": "something that cannot be iterated",
        "E0326": "`range`, `zip` or `enumerate` as a value",
        "E0327": "a format that does not fit",
        "E0328": "an unknown update",
        "E0329": "an argument outside the class of its parameter",
        "E0330": "something that is not in this version",
        "E0331": "a value or an index of the wrong kind",
        "E0332": "a dtype outside its class",
        # E04: shapes
        "E0401": "shapes do not match",
        "E0402": "a shape other than the expected one",
        "E0403": "an axis that does not exist",
        "E0404": "a size that a call does not determine",
        "E0405": "a size that no argument determines",
        "E0406": "a reshape that changes the number of elements",
        "E0407": "a condition on sizes that does not hold",
        "E0409": "a size that may be negative",
        "E0410": "a size divided by something below 1",
        "E0411": "something that is no size",
        "E0412": "branches or items of different shapes",
        "E0414": "too many indices",
        "E0416": "a malformed `einsum`",
        "E0417": "a carry that changes its shape",
        "E0418": "a tree whose leaves share no leading axis",
        "E0420": "a boolean mask as an index",
        "E0421": "an index out of bounds",
        "E0422": "a slice out of bounds",
        "E0423": "a slice whose length depends on the data",
        "E0424": "a step that no slice can have",
        # E05: stages
        "E0501": "a run-time value where a static one is needed",
        "E0502": "a parameter whose type and stage disagree",
        "E0503": "static evaluation beyond its budget",
        "E0504": "a constant that would be computed at run time",
        "E0505": "a recursion on run-time values",
        "E0506": "a static value that grows too large",
        "E0509": "a static value chosen at run time",
        # E06: immutability and keys
        "E0601": "an assignment",
        "E0602": "an update in place",
        "E0603": "an assignment to a part",
        "E0604": "the wrong operator for a cell",
        "E0605": "an accumulator that is read",
        "E0610": "a key used twice",
        "E0611": "a key used in a body that runs many times",
        "E0612": "a key that is not mapped",
        "E0613": "a key where it could be used again",
        # E07: effects
        "E0701": "an effect that the type does not declare",
        "E0702": "a function with effects that are not allowed here",
        "E0703": "an effect in a constant or a default",
        "E0705": "`resume` outside a handler",
        "E0706": "a handler clause that does not resume at its end",
        "E0717": "an assertion that never holds",
        "E0720": "a write in a body that runs in parallel",
        "E0721": "printing in a body that runs in parallel",
        # E08: transformations
        "E0801": "a gradient of a function that gives no single number",
        "E0802": "a derivative with respect to what is not continuous",
        "E0803": "an operation without a derivative",
        "E0805": "a reverse derivative through an unbounded loop",
        "E0806": "a mapped axis that does not exist",
        "E0807": "mapped axes of different sizes",
        "E0808": "a map over nothing",
        "E0809": "`in_axes` with the wrong number of entries",
        "E0810": "a collective over an axis that is not there",
        "E0811": "a derivative by an argument that does not exist",
        "E0812": "an option of a transformation that does not fit",
        "E0813": "a rule of the wrong type",
        "E0814": "a transformation of what is no function",
        "E0815": "tangents that do not pair with the primals",
        "E0816": "a custom_vjp differentiated forwards",
        "E0817": "a custom rule that is not linear",
        "E0818": "a custom rule that captures what is differentiated",
        # E0901 to E0939: arguments at the Python boundary
        "E0901": "an argument of another kind",
        "E0902": "a conversion that may lose something",
        "E0903": "an argument of another shape",
        "E0904": "arguments that disagree about a size",
        "E0905": "a missing argument",
        "E0906": "an argument too much",
        "E0907": "an argument given twice",
        "E0908": "a record with other fields",
        "E0909": "a static argument of another kind",
        "E0910": "a number that its dtype cannot hold",
        "E0911": "a condition of the function that is not met",
        "E0912": "an index out of range in an argument",
        "E0913": "a size that cannot be solved for",
        "E0914": "a missing or unusable key",
        "E0915": "a tuple of another length",
        "E0916": "something else than a function of the program",
        "E0917": "a result that Python cannot take",
        # E0940 to E0959: run-time checks
        "E0940": "a check that failed while the program ran",
        # E0960 to E0999: files and the command line
        "E0960": "a file cannot be read",
        "E0961": "a file is not UTF-8 text",
        "E0962": "an input file is malformed",
        "E0963": "an input file has no value for a parameter",
        "E0964": "a value of the input file does not fit its parameter",
        "E0965": "no such function in the program",
        "E0966": "a file cannot be written",
        "E0967": "a static argument on the command line is wrong",
        # E1001 to E1099: devices
        "E1001": "a program that does not fit into the memory of its device",
        # W: lints
        "W0201": "a new size variable that may be a mistake",
        "W0301": "an arm that is never reached",
    }
)

_CODE = re.compile(r"E(0[1-9]|10)\d{2}|W\d{2}(\d{2})?")


def is_code(text: str) -> bool:
    """Whether `text` has the form of a code, listed or not."""
    return _CODE.fullmatch(text) is not None


def family(code: str) -> str:
    """What the family of a code is about: `family("E0401")` is `"shapes"`."""
    return FAMILIES["W" if code.startswith("W") else code[:3]]
