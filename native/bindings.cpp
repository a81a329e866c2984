// The files bindings*.cpp alone know Python: arguments in, results out, the GIL released in
// between. Here: the module.
#include "bindings.h"

#include <nanobind/stl/string_view.h>

#include "common/interrupt.h"
#include "model/refusal.h"
#include "text/unicode.h"

namespace wordplane {

NB_MODULE(_core, m) {
  nb::set_leak_warnings(false);
  // What the core refuses is wrong input: wordplane.common.errors.InputError, which is a
  // ValueError; or a model file.
  nb::register_exception_translator([](const std::exception_ptr& thrown, void*) {
    const auto raise = [](const char* name, const std::exception& error) {
      const nb::object type = nb::module_::import_("wordplane.common.errors").attr(name);
      PyErr_SetString(type.ptr(), error.what());
    };
    try {
      std::rethrow_exception(thrown);
    } catch (const Refused& error) {
      raise("ModelFileError", error);
    } catch (const std::invalid_argument& error) {
      raise("InputError", error);
    }
  });
  // Python tells its main thread alone. A thread that we started never asks: the one that waits
  // for it may hold the GIL.
  stop_if_asked = [] {
    if (!PyGILState_GetThisThreadState()) return;
    nb::gil_scoped_acquire gil;
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
  };
  m.attr("unicode_version") = nb::str(kUnicodeVersion);
  m.def(
      "lower",
      [](std::string_view text) {
        std::string out;
        lower(text, out);
        return to_str(out);
      },
      "text"_a, "str.lower() as the core computes it.");
  bind_texts(m);
  bind_analysis(m);
  bind_features(m);
  bind_counter(m);
  bind_inner_ngrams(m);
  bind_matrix(m);
  bind_weighting(m);
  bind_scorer(m);
  bind_search(m);
  bind_learners(m);
  bind_online(m);
  bind_svm(m);
  bind_logistic(m);
  bind_hashing(m);
  bind_text_blocks(m);
  bind_fasttext(m);
  bind_model_file(m);
}

}  // namespace wordplane
