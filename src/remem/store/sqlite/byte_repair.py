"""Which single byte was changed in a record? Every one is tried until the seal fits again.

The seal has sixty-four bits: a fit is what was written, not a coincidence.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from hashlib import blake2b
from itertools import chain
from typing import Any, Final

from remem.stores.sqlite.seals import seal

_LONGEST: Final = 4_000
"""Longer records take too long: half a million tries a second."""
_BYTES_OF_NUMBER: Final = 8

Values = list[Any]


def mended(values: Sequence[Any], wanted: object) -> Values | None:
    """The values as they were before one byte of them, or of the seal, changed; texts may come
    as bytes. None where more has changed than that."""
    if not isinstance(wanted, int):
        return None
    plain = _plain(values)
    if plain is not None and _in_one_byte(seal(plain) ^ wanted):
        return plain
    parts = [_bytes(value) for value in values]
    if sum(map(len, parts)) > _LONGEST:
        return None
    return next(chain(_texts(values, parts, wanted), _numbers(values, wanted)), None)


def _in_one_byte(difference: int) -> bool:
    changed = (difference & (2**64 - 1)).to_bytes(8, "big")
    return sum(map(bool, changed)) <= 1


def _texts(values: Sequence[Any], parts: Sequence[bytes], wanted: int) -> Iterator[Values]:
    """One byte of one text; the hash of all before it is computed once."""
    target = wanted.to_bytes(8, "big", signed=True)
    for number, part in enumerate(parts):
        if not isinstance(values[number], str | bytes):
            continue
        before = b"".join(each + b"\x1f" for each in parts[:number])
        after = b"".join(b"\x1f" + each for each in parts[number + 1 :])
        for place in range(len(part)):
            head = blake2b(before + part[:place], digest_size=8)
            tail = part[place + 1 :] + after
            for byte in range(256):
                attempt = head.copy()
                attempt.update(bytes([byte]) + tail)
                if attempt.digest() == target:
                    fixed = part[:place] + bytes([byte]) + part[place + 1 :]
                    plain = _plain([*values[:number], fixed, *values[number + 1 :]])
                    if plain is not None:
                        yield plain
                    return


def _numbers(values: Sequence[Any], wanted: int) -> Iterator[Values]:
    for number, value in enumerate(values):
        if not isinstance(value, int):
            continue
        for place in range(_BYTES_OF_NUMBER):
            for bits in range(1, 256):
                other = [*values[:number], value ^ (bits << 8 * place), *values[number + 1 :]]
                plain = _plain(other)
                if plain is not None and seal(plain) == wanted:
                    yield plain
                    return


def _plain(values: Sequence[Any]) -> Values | None:
    try:
        return [each.decode() if isinstance(each, bytes) else each for each in values]
    except UnicodeDecodeError:
        return None


def _bytes(value: Any) -> bytes:
    return value if isinstance(value, bytes) else str(value).encode("utf-8", "surrogatepass")
