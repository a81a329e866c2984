"""What the bytes of the fuzzer mean to a target in Python; fuzz/input.h in C++."""


class Input:
    """Numbers, flags and strings, read from the first byte on; zeros once all bytes are used."""

    def __init__(self, data: bytes) -> None:
        self._data, self._at = data, 0

    def number(self, low: int, high: int) -> int:
        """From low to high, both included, by as few bytes as can tell them apart."""
        n = ((high - low).bit_length() + 7) // 8
        value = int.from_bytes(self._data[self._at : self._at + n], "little")
        self._at += n
        return low + value % (high - low + 1)

    def flag(self) -> bool:
        return self.number(0, 1) == 1

    def text(self, most: int) -> str:
        """At most so many bytes of UTF-8."""
        n = self.number(0, most)
        taken = self._data[self._at : self._at + n]
        self._at += n
        return taken.decode("utf-8", "replace")

    def rest(self) -> bytes:
        """All bytes that were not used."""
        taken, self._at = self._data[self._at :], len(self._data)
        return taken
