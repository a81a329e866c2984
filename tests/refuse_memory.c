/* malloc, calloc and realloc that refuse once: the n-th large request after refuse_after(n) gets no
   memory. Small ones hardly ever fail, and if they do, libraries written in Rust end the process,
   and NumPy uses its buffers of 64 KiB without a look at whether it got them.
   Loaded before the C library's by LD_PRELOAD; see tests/test_memory_failure.py. */
#include <errno.h>
#include <stddef.h>

void *__libc_malloc(size_t);
void *__libc_calloc(size_t, size_t);
void *__libc_realloc(void *, size_t);

enum { LARGE = 1 << 17 };

static long left = -1;

void refuse_after(long n) { __atomic_store_n(&left, n, __ATOMIC_SEQ_CST); }

static int refuses(size_t size) {
    if (size < LARGE || __atomic_load_n(&left, __ATOMIC_RELAXED) < 0) return 0;
    if (__atomic_fetch_sub(&left, 1, __ATOMIC_SEQ_CST) != 0) return 0;
    errno = ENOMEM;
    return 1;
}

void *malloc(size_t size) { return refuses(size) ? NULL : __libc_malloc(size); }

void *calloc(size_t n, size_t size) { return refuses(n * size) ? NULL : __libc_calloc(n, size); }

void *realloc(void *old, size_t size) { return refuses(size) ? NULL : __libc_realloc(old, size); }
