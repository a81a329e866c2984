// Ctrl-C while native code runs.
#pragma once

#include <chrono>

namespace wordplane {

// Throws if the user wants to stop; set once, by the bindings, which know how to ask.
inline void (*stop_if_asked)() = nullptr;

// For loops that may last longer than a second: poll() is cheap and asks about ten times a second.
// One for each loop, in the thread that was called.
class Interrupt {
  using Clock = std::chrono::steady_clock;

 public:
  void poll() {
    if (!stop_if_asked) return;
    const auto now = Clock::now();
    if (now - last_ < std::chrono::milliseconds(100)) return;
    last_ = now;
    stop_if_asked();
  }

 private:
  Clock::time_point last_ = Clock::now();
};

}  // namespace wordplane
