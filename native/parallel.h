// The only place that starts threads.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <type_traits>
#include <vector>

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
  auto helpers = start_helpers(std::min(n, static_cast<std::size_t>(std::max(threads, 1))), work);
  work(0);
  for (auto& helper : helpers) helper.join();
  if (error) std::rethrow_exception(error);
}

// Threads that stay, for many calls with jobs of microseconds each: they wait awake for a while
// before they sleep. The caller is one of them and never waits for a job to be begun.
class Crew {
 public:
  explicit Crew(int threads)
      : helpers_(start_helpers(static_cast<std::size_t>(std::max(threads, 1)),
                               [this](int) { help(); })) {}

  ~Crew() {
    open_.store(kEnd, std::memory_order_release);
    open_.notify_all();
    for (auto& helper : helpers_) helper.join();
  }

  Crew(const Crew&) = delete;
  Crew& operator=(const Crew&) = delete;

  std::size_t size() const { return helpers_.size() + 1; }

  // Calls job(i), which does not throw, for i = 0 .. n-1, and returns when all are done.
  template <class Job>
  void run(std::uint32_t n, Job&& job) {
    if (helpers_.empty() || n < 2) {
      for (std::uint32_t i = 0; i < n; ++i) job(i);
      return;
    }
    call_ = [](void* of, std::uint32_t i) { (*static_cast<std::remove_reference_t<Job>*>(of))(i); };
    job_ = &job;
    n_ = n;
    done_.store(0, std::memory_order_relaxed);
    round_ += kRound;
    open_.store(round_ + n, std::memory_order_release);
    open_.notify_all();
    while (take(open_.load(std::memory_order_acquire))) {
    }
    for (std::uint32_t waited = 1; done_.load(std::memory_order_acquire) < n; ++waited)
      waited % 4096 == 0 ? std::this_thread::yield() : pause();
  }

 private:
  static constexpr std::uint64_t kRound = std::uint64_t{1} << 32;
  static constexpr std::uint64_t kEnd = ~std::uint64_t{0} << 32;  // no job of it is open

  static std::uint32_t n_open(std::uint64_t open) { return static_cast<std::uint32_t>(open); }

  static void pause() {
#if defined(__x86_64__) && defined(__GNUC__)
    __builtin_ia32_pause();
#elif defined(__aarch64__) && defined(__GNUC__)
    asm volatile("yield");
#endif
  }

  // Does one of the jobs that are open, if there is one. What a job is changes only after all
  // that were taken are done.
  bool take(std::uint64_t open) {
    while (n_open(open) > 0) {
      if (!open_.compare_exchange_weak(open, open - 1, std::memory_order_acq_rel)) continue;
      call_(job_, n_ - n_open(open));
      done_.fetch_add(1, std::memory_order_release);
      return true;
    }
    return false;
  }

  void help() {
    constexpr int kAwake = 4096;
    for (int idle = 0;;) {
      const std::uint64_t open = open_.load(std::memory_order_acquire);
      if (open == kEnd) return;
      if (take(open)) {
        idle = 0;
      } else if (++idle < kAwake) {
        pause();
      } else {
        open_.wait(open, std::memory_order_acquire);
      }
    }
  }

  std::atomic<std::uint64_t> open_{0};  // the number of the call, and of its jobs not taken
  std::atomic<std::uint32_t> done_{0};
  std::uint64_t round_ = 0;
  std::uint32_t n_ = 0;
  void* job_ = nullptr;
  void (*call_)(void*, std::uint32_t) = nullptr;
  std::vector<std::thread> helpers_;  // last: they use what stands before
};

}  // namespace wordplane
