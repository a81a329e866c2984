// The only place that starts threads.
#pragma once

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace wordplane {

// Calls job(i, worker) for i = 0 .. n-1 on at most `threads` workers, numbered from 0;
// the caller is worker 0. Each worker takes its jobs in increasing order. The first
// exception stops the handing out of jobs and is thrown to the caller. If the system grants
// fewer threads, those there are do the work.
template <class Job>
void parallel_for(std::size_t n, int threads, Job&& job) {
  std::atomic<std::size_t> next{0};
  std::exception_ptr error;
  std::mutex error_mutex;
  const auto work = [&](int worker) {
    try {
      for (std::size_t i; (i = next.fetch_add(1)) < n;) job(i, worker);
    } catch (...) {
      next = n;
      const std::lock_guard lock(error_mutex);
      if (!error) error = std::current_exception();
    }
  };
  std::vector<std::thread> helpers;
  helpers.reserve(std::min(n, static_cast<std::size_t>(std::max(threads, 1))));
  for (int worker = 1; worker < threads && static_cast<std::size_t>(worker) < n; ++worker) {
    try {
      helpers.emplace_back(work, worker);
    } catch (const std::system_error&) {
      break;
    }
  }
  work(0);
  for (auto& helper : helpers) helper.join();
  if (error) std::rethrow_exception(error);
}

}  // namespace wordplane
