"""The last texts of every worker, so that feedback may name a text by the id of its answer.

Each slot is a ring in memory that all workers share. An id says where a text is: its slot, its
place and a random tag that is stored with it; once the place is written again, tag or checksum do
not match and the text is forgotten. One process writes a slot, all may read it.

    entry = tag (8 bytes), length (4), checksum of the text (4), text
"""

from __future__ import annotations

import mmap
import os
import re
import struct
import zlib

RING_BYTES = 1 << 22  # of a slot
MAX_TEXT = RING_BYTES // 16
HEAD = struct.Struct("<8sII")
ID = re.compile(r"([0-9a-f]{1,4})-([0-9a-f]{1,8})-([0-9a-f]{16})")


class Rings:
    """The rings of all slots."""

    def __init__(self, n_slots: int) -> None:
        self.n_slots = n_slots
        self._memory = mmap.mmap(-1, n_slots * RING_BYTES)

    def find(self, id: str) -> str | None:
        """The text that an id was given to, if it is still there."""
        match = ID.fullmatch(id)
        if match is None:
            return None
        slot, place, tag = int(match[1], 16), int(match[2], 16), bytes.fromhex(match[3])
        if slot >= self.n_slots or place + HEAD.size > RING_BYTES:
            return None
        start = slot * RING_BYTES + place
        stored, length, checksum = HEAD.unpack_from(self._memory, start)
        if stored != tag or place + HEAD.size + length > RING_BYTES:
            return None
        data = self._memory[start + HEAD.size : start + HEAD.size + length]
        return data.decode() if zlib.crc32(data) == checksum else None

    def writer(self, slot: int) -> RingWriter:
        """What writes to a slot."""
        return RingWriter(self._memory, slot)


class RingWriter:
    """Writes texts to one slot, the newest over the oldest."""

    def __init__(self, memory: mmap.mmap, slot: int) -> None:
        self._memory, self._slot, self._at = memory, slot, 0

    def add(self, text: str) -> str | None:
        """The id of the text; None if it is too long to be kept."""
        data = text.encode("utf-8", "replace")
        if len(data) > MAX_TEXT:
            return None
        if self._at + HEAD.size + len(data) > RING_BYTES:
            self._at = 0
        place, tag = self._at, os.urandom(8)
        start = self._slot * RING_BYTES + place
        HEAD.pack_into(self._memory, start, tag, len(data), zlib.crc32(data))
        self._memory[start + HEAD.size : start + HEAD.size + len(data)] = data
        self._at = place + HEAD.size + len(data)
        return f"{self._slot:x}-{place:x}-{tag.hex()}"
