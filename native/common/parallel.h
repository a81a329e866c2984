// The only place that starts threads.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

#include "common/interrupt.h"

namespace wordplane {

// Starts work(worker) for worker = 1 .. n_workers-1, or as many as the system grants.
template <class Work>
std::vector<std::thread> start_helpers(std::size_t n_workers, const Work& work) {
  std::vector<std::thread> helpers;
  helpers.reserve(n_workers);
  try {
    while (helpers.size() + 1 < n_workers)
      helpers.emplace_back(work, static_cast<int>(helpers.size() + 1));
  } catch (const std::system_error&) {  // then those there are do the work
  }
  return helpers;
}

// Calls job(i, worker) for i = 0 .. n-1 on at most `threads` workers, numbered from 0;
// the caller is worker 0. Each worker takes its jobs in increasing order. The first
// exception stops the handing out of jobs and is thrown to the caller. If the system grants
// fewer threads, those there are do the work. Between jobs the caller looks for Ctrl-C.
template <class Job>
void parallel_for(std::size_t n, int threads, Job&& job) {
  std::atomic<std::size_t> next{0};
  std::exception_ptr error;
  std::mutex error_mutex;
  const auto work = [&](int worker) {
    try {
      Interrupt interrupt;
      for (std::size_t i; (i = next.fetch_add(1)) < n;) {
        job(i, worker);
        if (worker == 0) interrupt.poll();
      }
    } catch (...) {
      next = n;
      const std::lock_guard lock(error_mutex);
      if (!error) error = std::current_exception();
    }
  };
  auto helpers = start_helpers(std::min(n, static_cast<std::size_t>(std::max(threads, 1))), work);
  work(0);
  for (auto& helper : helpers) helper.join();
  if (error) std::rethrow_exception(error);
}

// A moment's rest for a thread that waits awake for another.
inline void pause() {
#if defined(__x86_64__) && defined(__GNUC__)
  __builtin_ia32_pause();
#elif defined(__aarch64__) && defined(__GNUC__)
  asm volatile("yield");
#endif
}

}  // namespace wordplane
