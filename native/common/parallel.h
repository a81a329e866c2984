// The only place that starts threads. It is compiled once, whatever the jobs are.
#pragma once

#include <cstddef>
#include <functional>

namespace wordplane {

// Calls job(i, worker) for i = 0 .. n-1 on at most `threads` workers, numbered from 0;
// the caller is worker 0. Each worker takes its jobs in increasing order. The first
// exception stops the handing out of jobs and is thrown to the caller. If the system grants
// fewer threads, those there are do the work. Between jobs the caller looks for Ctrl-C.
void parallel_for(std::size_t n, int threads, const std::function<void(std::size_t, int)>& job);

// Runs `theirs` on another thread while the caller runs `ours`; neither may throw. If the system
// grants no thread, neither is run and the result is false.
bool run_both(const std::function<void()>& ours, const std::function<void()>& theirs);

// A moment's rest for a thread that waits awake for another.
inline void pause() {
#if defined(__x86_64__) && defined(__GNUC__)
  __builtin_ia32_pause();
#elif defined(__aarch64__) && defined(__GNUC__)
  asm volatile("yield");
#endif
}

}  // namespace wordplane
