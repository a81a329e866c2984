// A vector for large tables: it asks for huge pages, without which much of the time would go
// into address translation and page faults, and it does not clear its memory: a new element has
// no value until it is given one.
#pragma once

#include <cstdlib>
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

  T* allocate(std::size_t n) {
    std::size_t bytes = n * sizeof(T);
    if (bytes < kHugePage) return static_cast<T*>(::operator new(bytes));
    bytes = (bytes + kHugePage - 1) / kHugePage * kHugePage;
    void* memory = std::aligned_alloc(kHugePage, bytes);
    if (!memory) throw std::bad_alloc();
#ifdef __linux__
    madvise(memory, bytes, MADV_HUGEPAGE);  // a wish: where it is refused, small pages serve
#endif
    return static_cast<T*>(memory);
  }

  void deallocate(T* memory, std::size_t n) {
    if (n * sizeof(T) < kHugePage)
      ::operator delete(memory);
    else
      std::free(memory);
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

  friend bool operator==(const HugeAllocator&, const HugeAllocator&) { return true; }
};

template <class T>
using HugeVector = std::vector<T, HugeAllocator<T>>;

}  // namespace wordplane
