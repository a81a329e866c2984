// Scores of texts and their probabilities as Python sees them; see bindings.cpp.
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <unordered_map>

#include "bindings.h"
#include "common/probabilities.h"
#include "features/scorer.h"
#include "text/char_offsets.h"
#include "text/texts.h"

namespace wordplane {
namespace {

void bind_scores(nb::module_& m) {
  nb::class_<Scorer>(m, "Scorer", "Text in, scores out: blocks of features with folded weights.")
      .def(
          "__init__",
          [](Scorer* self, const std::vector<const Block*>& blocks, const GroupWeights& weighting,
             Array2<const float> W, Array1<const double> b) {
            require_all(blocks, "a block is None");
            require_size(W.shape(1), b.size(), "columns of weights");
            std::vector<Block> held;
            for (const Block* block : blocks) held.push_back(*block);
            new (self) Scorer(std::move(held), weighting,
                              std::vector<float>(W.data(), W.data() + W.size()),
                              std::vector<double>(b.data(), b.data() + b.size()));
          },
          "blocks"_a, "weighting"_a, nb::kw_only(), "W"_a, "b"_a)
      .def(
          "scores",
          [](const Scorer& self, const Texts& texts, std::size_t begin, Array2<double> out,
             Threads threads) {
            require_size(out.shape(1), self.n_outputs(), "columns of scores");
            nb::gil_scoped_release nogil;
            self.scores(texts, begin, begin + out.shape(0), out.data(), threads);
          },
          "texts"_a, "begin"_a, "out"_a.noconvert(), "threads"_a,
          "Write the scores of as many documents as `out` has rows, from `begin` on.")
      .def(
          "contributions",
          [](const Scorer& self, const Texts& texts, std::size_t row,
             Array1<const double> direction) {
            std::vector<Contribution> found;
            {
              nb::gil_scoped_release nogil;
              found = self.contributions(texts, row, as_span(direction));
            }
            const CharOffsets chars(texts[row]);
            nb::list features;
            std::vector<std::int64_t> starts, ends;
            std::vector<double> values;
            std::unordered_map<std::int32_t, nb::object> names;  // one string for all occurrences
            for (const Contribution& one : found) {
              if (!one.name.empty()) {
                features.append(to_str(one.name));
              } else {
                nb::object& name = names[one.column];
                if (!name.is_valid())
                  name = to_str(self.name(static_cast<std::size_t>(one.column)));
                features.append(name);
              }
              starts.push_back(chars(one.span.begin));
              ends.push_back(chars(one.span.end));
              values.push_back(one.value);
            }
            return nb::make_tuple(features, to_numpy(std::move(starts)), to_numpy(std::move(ends)),
                                  to_numpy(std::move(values)));
          },
          nb::sig("def contributions(self, texts: Texts, row: int, direction: "
                  "NDArray[numpy.float64]) -> tuple[list[str], NDArray[numpy.int64], "
                  "NDArray[numpy.int64], NDArray[numpy.float64]]"),
          "texts"_a, "row"_a, "direction"_a,
          "What every occurrence of a feature adds to scores @ direction, strongest first: names, "
          "first characters, ends, values.");
}

// P is as wide as there are classes: two where there is one score.
template <class Fill>
auto to_probabilities(const Array2<const double>& Z, Fill&& fill) {
  const std::size_t n_classes = std::max<std::size_t>(Z.shape(1), 2);
  std::vector<double> P(Z.shape(0) * n_classes);
  {
    nb::gil_scoped_release nogil;
    fill(P.data());
  }
  return to_numpy(std::move(P), {Z.shape(0), n_classes});
}

void bind_probabilities(nb::module_& m) {
  m.def(
      "power_softmax",
      [](nb::ndarray<const double, nb::c_contig, nb::device::cpu> Z, double power,
         double temperature) {
        if (Z.ndim() < 1 || Z.ndim() > 2) throw std::invalid_argument("one or two dimensions");
        const std::size_t n_rows = Z.shape(0), n_columns = Z.ndim() == 1 ? 1 : Z.shape(1);
        if (n_columns == 0) throw std::invalid_argument("no scores");
        const std::size_t n_classes = std::max<std::size_t>(n_columns, 2);
        auto P = empty_numpy<double>({n_rows, n_classes});
        {
          nb::gil_scoped_release nogil;
          power_softmax({Z.data(), Z.size()}, n_columns, power, temperature, P.data());
        }
        return P;
      },
      "Z"_a, "power"_a, "temperature"_a,
      "Probabilities of scores: softmax(-d^power / temperature), d what a class is behind the "
      "best. One score per row is that of the second of two classes.");
  m.def(
      "sigmoids",
      [](Array2<const double> Z, Array1<const double> a, Array1<const double> b) {
        require_size(a.size(), Z.shape(1), "slopes");
        require_size(b.size(), Z.shape(1), "intercepts");
        auto P = empty_numpy<double>({Z.shape(0), Z.shape(1)});
        {
          nb::gil_scoped_release nogil;
          sigmoids({Z.data(), Z.size()}, as_span(a), as_span(b), P.data());
        }
        return P;
      },
      "Z"_a, "a"_a, "b"_a, "1 / (1 + exp(-(a z + b))), a and b by column.");
  m.def(
      "platt",
      [](Array2<const double> Z, Array1<const double> a, Array1<const double> b) {
        require_size(a.size(), Z.shape(1), "slopes");
        require_size(b.size(), Z.shape(1), "intercepts");
        require(a.size() > 0, "no scores");
        return to_probabilities(
            Z, [&](double* P) { platt({Z.data(), Z.size()}, as_span(a), as_span(b), P); });
      },
      "Z"_a, "a"_a, "b"_a,
      "1 / (1 + exp(-(a m + b))) of the margin m of each class over its best rival, divided by "
      "their sum. One score per row is that of the second of two classes.");
  m.def(
      "isotonic",
      [](Array2<const double> Z, const std::vector<Array1<const double>>& x,
         const std::vector<Array1<const double>>& y) {
        require_size(x.size(), Z.shape(1), "lines");
        require_size(y.size(), Z.shape(1), "lines");
        require(!x.empty(), "no scores");
        std::vector<Line> lines;
        for (std::size_t k = 0; k < x.size(); ++k) {
          require(x[k].size() > 0 && x[k].size() == y[k].size(), "points of two coordinates");
          lines.push_back({as_span(x[k]), as_span(y[k])});
        }
        return to_probabilities(Z, [&](double* P) { isotonic({Z.data(), Z.size()}, lines, P); });
      },
      "Z"_a, "x"_a, "y"_a,
      "The same with a piecewise linear function of the margin for each class.");
  m.def(
      "likeliest",
      [](Array2<const double> P, std::size_t k) {
        const std::size_t n_rows = P.shape(0), n_columns = P.shape(1);
        k = std::min(k, n_columns);
        std::vector<std::int64_t> best(n_rows * k);
        if (k > 0) {
          nb::gil_scoped_release nogil;
          likeliest({P.data(), P.size()}, n_columns, k, best.data());
        }
        return to_numpy(std::move(best), {n_rows, k});
      },
      "P"_a, "k"_a,
      "The k columns with the largest values of each row, the first of equals first.");
}

}  // namespace

void bind_scorer(nb::module_& m) {
  bind_scores(m);
  bind_probabilities(m);
}

}  // namespace wordplane
