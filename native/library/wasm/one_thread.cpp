// Stands in for common/parallel.cpp: WebAssembly has one thread, which does all the work.
#include "common/parallel.h"

namespace wordplane {

void parallel_for(std::size_t n, int, const std::function<void(std::size_t, int)>& job) {
  for (std::size_t i = 0; i < n; ++i) job(i, 0);
}

bool run_both(const std::function<void()>&, const std::function<void()>&) { return false; }

}  // namespace wordplane
