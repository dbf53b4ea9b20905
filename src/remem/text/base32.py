"""Write numbers in Crockford's base 32, whose digits are hard to confuse."""

from __future__ import annotations

from typing import Final

_DIGITS: Final = "0123456789abcdefghjkmnpqrstvwxyz"


def to_base32(number: int, length: int) -> str:
    """Return the last `length` digits of a number."""
    return "".join([_DIGITS[number >> shift & 31] for shift in range(5 * length - 5, -1, -5)])


def from_base32(digits: str) -> int:
    """Return the number that some digits stand for."""
    number = 0
    for digit in digits:
        number = number << 5 | _DIGITS.index(digit)
    return number
