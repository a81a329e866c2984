"""How cost grows with the size of the input, by processor time."""

import gc
import time

MOST = 6.0  # of four times the input; linear is 4


def seconds(call, *arguments):
    gc.collect()
    start = time.process_time()
    call(*arguments)
    return time.process_time() - start


def check_linear(make, call, n, runs=3):
    """Check that `call(make(4 * n))` costs at most MOST times what `call(make(n))` does.

    The least of several runs counts, and 50 milliseconds are forgiven.
    """
    small, large = make(n), make(4 * n)
    call(small)  # whatever is loaded at first use
    for _ in range(6):  # more chances on a busy machine
        a = min(seconds(call, small) for _ in range(runs))
        b = min(seconds(call, large) for _ in range(runs))
        if b <= MOST * a + 0.05:
            return
    raise AssertionError(f"{a:.3f} s for {n}, {b:.3f} s for {4 * n}: {b / a:.1f} times")
