#include "learners/svm_l1.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "common/parallel.h"

namespace wordplane {

namespace {

constexpr int kPassesUnmeasured = 20;

}  // namespace

L1Svm::L1Svm(const LabeledRows& rows, float bias)
    : bias_(bias),
      C_(rows.weight.begin(), rows.weight.end()),
      begin_(static_cast<std::size_t>(rows.X.n_cols()) + (bias > 0) + 1),
      squares_(n_features()),
      outputs_(rows.n_outputs()) {
  const Csr& X = rows.X;
  const auto n_rows = static_cast<std::size_t>(X.n_rows());
  for (const std::int32_t j : X.indices()) ++begin_[static_cast<std::size_t>(j) + 1];
  if (bias > 0) begin_.back() = n_rows;
  for (std::size_t j = 0; j < n_features(); ++j) begin_[j + 1] += begin_[j];
  cells_.resize(begin_.back());
  std::vector<std::size_t> next(begin_.begin(), begin_.end() - 1);
  const auto add = [&](std::size_t i, std::size_t j, float x) {
    cells_[next[j]++] = {static_cast<std::int32_t>(i), x};
    squares_[j] += C_[i] * x * static_cast<double>(x);
  };
  std::visit(
      [&](auto values) {
        for (std::size_t i = 0; i < n_rows; ++i) {
          for (auto e = static_cast<std::size_t>(X.indptr()[i]);
               e < static_cast<std::size_t>(X.indptr()[i + 1]); ++e)
            add(i, static_cast<std::size_t>(X.indices()[e]), static_cast<float>(values[e]));
          if (bias > 0) add(i, n_features() - 1, bias);
        }
      },
      X.values());
  for (const Cell cell : cells_)
    if (!std::isfinite(cell.value))
      throw std::invalid_argument("X has a value above 3e38, too large for single precision");
  for (std::size_t k = 0; k < outputs_.size(); ++k) {
    Output& output = outputs_[k];
    output.w.assign(n_features(), 0.0);
    output.m.assign(n_rows, 1.0);
    output.active.assign(n_features(), 1);
    for (const std::int32_t label : rows.y)
      output.positive.push_back(static_cast<std::size_t>(label) == (outputs_.size() == 1 ? 1 : k));
  }
}

void L1Svm::run(std::span<const std::int32_t> orders, double tol, int threads) {
  parallel_for(outputs_.size(), threads, [&](std::size_t k, int) {
    for (std::size_t p = 0; p < orders.size() && !outputs_[k].result.done; p += n_features())
      pass(outputs_[k], orders.subspan(p, n_features()), tol);
  });
}

void L1Svm::pass(Output& output, std::span<const std::int32_t> order, double tol) const {
  double worst = 0, sum = 0;
  for (const std::int32_t j : order) {
    if (!output.active[static_cast<std::size_t>(j)]) continue;
    const double violation = improve(output, static_cast<std::size_t>(j));
    worst = std::max(worst, violation);
    sum += violation;
  }
  SvmResult& result = output.result;
  ++result.n_passes;
  output.worst = worst;
  if (output.enough < 0) output.enough = 0.1 * sum;
  // At the limits of arithmetic the sum may stay where it is: look every few passes, too.
  if (sum > output.enough && result.n_passes % kPassesUnmeasured != 0) return;
  measure(output);
  result.done = result.primal - result.dual <= tol * result.primal;
  output.enough = 0.3 * sum;
  output.worst = 1e300;
  std::ranges::fill(output.active, 1);
}

double L1Svm::improve(Output& output, std::size_t j) const {
  constexpr double kSlope = 0.01;
  constexpr int kMostHalvings = 20;
  const auto x = column(j);
  double* m = output.m.data();
  const auto signed_value = [&](Cell cell) {
    return output.positive[static_cast<std::size_t>(cell.column)]
               ? static_cast<double>(cell.value)
               : -static_cast<double>(cell.value);
  };
  double& w = output.w[j];
  double G = 0, H = 0;
  for (const Cell cell : x) {
    const auto i = static_cast<std::size_t>(cell.column);
    if (m[i] <= 0) continue;
    const double yx = signed_value(cell), Cyx = C_[i] * yx;
    G -= Cyx * m[i];
    H += Cyx * yx;
  }
  G *= 2;
  H = std::max(2 * H, 1e-12);

  double violation;
  if (w == 0) {
    violation = std::max({0.0, -(G + 1), G - 1});
    const double slack = output.worst / static_cast<double>(C_.size());
    if (G + 1 > slack && G - 1 < -slack) {
      output.active[j] = 0;
      return 0;
    }
  } else {
    violation = std::abs(w > 0 ? G + 1 : G - 1);
  }

  double d = G + 1 <= H * w ? -(G + 1) / H : G - 1 >= H * w ? -(G - 1) / H : -w;
  if (std::abs(d) < 1e-14) return violation;
  const double promised = std::abs(w + d) - std::abs(w) + G * d;
  double part = 1;
  for (int halvings = 0; halvings <= kMostHalvings; ++halvings, part *= 0.5, d *= 0.5) {
    const double rest = std::abs(w + d) - std::abs(w) - kSlope * part * promised;
    // The loss rises by at most G d + sum_i C_i x_ij^2 d^2; often that is enough to know.
    bool accept = rest + G * d + squares_[j] * d * d <= 0;
    if (!accept) {
      double rise = 0;
      for (const Cell cell : x) {
        const auto i = static_cast<std::size_t>(cell.column);
        const double before = std::max(m[i], 0.0);
        const double after = std::max(m[i] - d * signed_value(cell), 0.0);
        rise += C_[i] * (after * after - before * before);
      }
      accept = rest + rise <= 0;
    }
    if (!accept) continue;
    w += d;
    for (const Cell cell : x) m[cell.column] -= d * signed_value(cell);
    break;
  }
  return violation;
}

void L1Svm::measure(Output& output) const {
  // The margins anew from w: what rounding added up in them goes.
  std::ranges::fill(output.m, 1.0);
  double norm = 0;
  for (std::size_t j = 0; j < n_features(); ++j) {
    const double w = output.w[j];
    if (w == 0) continue;
    norm += std::abs(w);
    for (const Cell cell : column(j)) {
      const auto i = static_cast<std::size_t>(cell.column);
      const double wx = w * static_cast<double>(cell.value);
      output.m[i] -= output.positive[i] ? wx : -wx;
    }
  }
  double loss = 0, sum = 0;  // sum of a_i = 2 C_i m_i; sum of a_i^2 / (4 C_i) is the loss
  std::vector<double> ya(C_.size());
  for (std::size_t i = 0; i < C_.size(); ++i) {
    const double m = std::max(output.m[i], 0.0), a = 2 * C_[i] * m;
    loss += C_[i] * m * m;
    sum += a;
    ya[i] = output.positive[i] ? a : -a;
  }
  double most = 0;
  for (std::size_t j = 0; j < n_features(); ++j) {
    double G = 0;
    for (const Cell cell : column(j))
      G += ya[static_cast<std::size_t>(cell.column)] * static_cast<double>(cell.value);
    most = std::max(most, std::abs(G));
  }
  double s = loss > 0 ? sum / (2 * loss) : 0;
  if (s * most > 1) s = 1 / most;
  output.result.primal = norm + loss;
  output.result.dual = std::max(output.result.dual, s * sum - s * s * loss);
}

bool L1Svm::done() const {
  return std::ranges::all_of(outputs_, [](const Output& output) { return output.result.done; });
}

std::vector<SvmResult> L1Svm::results(int threads) {
  parallel_for(outputs_.size(), threads, [&](std::size_t k, int) {
    if (!outputs_[k].result.done) measure(outputs_[k]);
  });
  std::vector<SvmResult> results;
  for (const Output& output : outputs_) results.push_back(output.result);
  return results;
}

void L1Svm::weights(double* W, double* b) const {
  for (std::size_t k = 0; k < n_outputs(); ++k) {
    for (std::size_t j = 0; j < n_columns(); ++j) W[j * n_outputs() + k] = outputs_[k].w[j];
    b[k] = bias_ > 0 ? bias_ * outputs_[k].w.back() : 0;
  }
}

}  // namespace wordplane
