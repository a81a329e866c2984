// A vector for large tables: it asks for huge pages, without which much of the time would go
// into address translation and page faults, and it does not clear its memory: a new element has
// no value until it is given one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <new>
#include <utility>
#include <vector>

#ifdef __linux__
#include <sys/mman.h>
#endif

namespace wordplane {

template <class T>
struct HugeAllocator {
  using value_type = T;
  static constexpr std::size_t kHugePage = std::size_t{1} << 21;

  HugeAllocator() = default;
  template <class U>
  HugeAllocator(const HugeAllocator<U>&) {}

  // Large blocks come from the system and go back to it: what is freed is not held by a heap.
  T* allocate(std::size_t n) {
    if (n > static_cast<std::size_t>(-1) / 2 / sizeof(T)) throw std::bad_alloc();
    const std::size_t bytes = n * sizeof(T);
    if (bytes < kHugePage) return static_cast<T*>(::operator new(bytes));
#ifdef __linux__
    // More than needed, then what stands before and behind the huge pages is given back.
    const std::size_t size = whole_pages(bytes);
    void* mapped =
        mmap(nullptr, size + kHugePage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (mapped == MAP_FAILED) throw std::bad_alloc();
    char* const begin = static_cast<char*>(mapped);
    const std::size_t before = -reinterpret_cast<std::uintptr_t>(begin) % kHugePage;
    if (before > 0) munmap(begin, before);
    munmap(begin + before + size, kHugePage - before);
    madvise(begin + before, size, MADV_HUGEPAGE);  // a wish: if refused, small pages serve
    return reinterpret_cast<T*>(begin + before);
#else
    return static_cast<T*>(::operator new(bytes));
#endif
  }

  void deallocate(T* memory, std::size_t n) {
#ifdef __linux__
    if (n * sizeof(T) >= kHugePage) {
      munmap(static_cast<void*>(memory), whole_pages(n * sizeof(T)));
      return;
    }
#endif
    ::operator delete(memory);
  }

  // Elements are left as they are, not set to zero, unless a value is given.
  template <class U>
  void construct(U* at) noexcept {
    ::new (static_cast<void*>(at)) U;
  }
  template <class U, class... Args>
  void construct(U* at, Args&&... args) {
    ::new (static_cast<void*>(at)) U(std::forward<Args>(args)...);
  }

  static std::size_t whole_pages(std::size_t bytes) {
    return (bytes + kHugePage - 1) / kHugePage * kHugePage;
  }

  friend bool operator==(const HugeAllocator&, const HugeAllocator&) { return true; }
};

template <class T>
using HugeVector = std::vector<T, HugeAllocator<T>>;

}  // namespace wordplane
