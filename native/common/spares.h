// Objects that are expensive to make, lent to one thread at a time.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <memory>

namespace wordplane {

// Keeps up to kMost objects for the next caller. No thread waits for another: a caller that finds
// none makes its own, and an object for which there is no room is deleted.
template <class T>
class Spares {
 public:
  Spares() = default;
  Spares(const Spares&) = delete;
  Spares& operator=(const Spares&) = delete;
  ~Spares() {
    for (auto& slot : slots_) delete slot.load();
  }

  // One that was kept, or nullptr.
  std::unique_ptr<T> take() {
    for (auto& slot : slots_)
      if (slot.load(std::memory_order_relaxed))
        if (T* kept = slot.exchange(nullptr, std::memory_order_acquire))
          return std::unique_ptr<T>(kept);
    return nullptr;
  }

  void keep(std::unique_ptr<T> spare) {
    for (auto& slot : slots_) {
      T* empty = nullptr;
      if (slot.compare_exchange_strong(empty, spare.get(), std::memory_order_release,
                                       std::memory_order_relaxed)) {
        spare.release();
        return;
      }
    }
  }

 private:
  static constexpr std::size_t kMost = 8;
  std::array<std::atomic<T*>, kMost> slots_{};
};

}  // namespace wordplane
