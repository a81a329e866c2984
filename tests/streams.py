"""A stream of texts that knows how many of them are still held by someone."""

from collections.abc import Iterator


class TrackedStream(Iterator):
    text = "the cat sat on the mat and looked at the number "

    def __init__(self, n_texts):
        self.n_left = n_texts
        self.alive = self.most_alive = 0

    def __next__(self):
        if self.n_left == 0:
            raise StopIteration
        self.n_left -= 1
        self.alive += 1
        self.most_alive = max(self.most_alive, self.alive)
        text = TrackedText(f"{self.text}{self.n_left}")
        text.stream = self
        return text


class TrackedText(str):
    def __del__(self):
        self.stream.alive -= 1
