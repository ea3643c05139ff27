"""Addresses that carry a program, as the page writes and reads them (`page/text.js`)."""

from __future__ import annotations

import json
import zlib
from base64 import urlsafe_b64encode


def fragment(text: str, expression: str = "") -> str:
    """The fragment of an address of the page that carries a program and an expression."""
    state = json.dumps({"text": text, "expression": expression}, ensure_ascii=False)
    packer = zlib.compressobj(9, wbits=-zlib.MAX_WBITS)
    packed = packer.compress(state.encode()) + packer.flush()
    return urlsafe_b64encode(packed).rstrip(b"=").decode()
