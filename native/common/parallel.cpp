#include "common/parallel.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

#include "common/interrupt.h"

namespace wordplane {

namespace {

// Starts work(worker) for worker = 1 .. n_workers-1, or as many as the system grants.
template <class Work>
std::vector<std::thread> start_helpers(std::size_t n_workers, const Work& work) {
  std::vector<std::thread> helpers;
  helpers.reserve(n_workers);
  try {
    while (helpers.size() + 1 < n_workers)
      helpers.emplace_back(std::cref(work), static_cast<int>(helpers.size() + 1));
  } catch (const std::system_error&) {  // then those there are do the work
  }
  return helpers;
}

// The threads call `work` after this returns: it must not be a temporary.
template <class Work>
std::vector<std::thread> start_helpers(std::size_t n_workers, const Work&& work) = delete;

}  // namespace

void parallel_for(std::size_t n, int threads, const std::function<void(std::size_t, int)>& job) {
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

bool run_both(const std::function<void()>& ours, const std::function<void()>& theirs) {
  const auto work = [&](int) { theirs(); };
  auto helpers = start_helpers(2, work);
  if (helpers.empty()) return false;
  ours();
  helpers[0].join();
  return true;
}

}  // namespace wordplane
