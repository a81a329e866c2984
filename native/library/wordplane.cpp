// The C interface, which no exception leaves.
#pragma GCC visibility push(default)
#include "library/wordplane.h"
#pragma GCC visibility pop

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <memory>
#include <new>
#include <string>

#include "library/model.h"
#include "model/refusal.h"
#include "text/unicode.h"

struct wordplane_model {
  wordplane::Model model;
};

namespace wordplane {

namespace {

constexpr std::size_t kMostTextBytes = std::size_t{1} << 30;

wordplane_status fail(wordplane_status status, const char* what, wordplane_error* error) {
  if (error) {
    std::size_t size = std::min(std::strlen(what), sizeof(error->text) - 1);
    while (size > 0 && what[size] != '\0' && (static_cast<unsigned char>(what[size]) >> 6) == 2)
      --size;  // no part of a character
    std::memcpy(error->text, what, size);
    error->text[size] = '\0';
  }
  return status;
}

// Runs work(), which returns a status; what it throws becomes one. `refused` is that of what the
// core refuses.
template <class Work>
wordplane_status guarded(wordplane_status refused, wordplane_error* error, Work&& work) {
  try {
    return work();
  } catch (const Unsupported& unsupported) {
    return fail(WORDPLANE_UNSUPPORTED, unsupported.what(), error);
  } catch (const Refused& problem) {
    return fail(refused, problem.what(), error);
  } catch (const std::invalid_argument& problem) {
    const bool is_model = refused == WORDPLANE_REFUSED;
    const std::string what = (is_model ? "not a usable model: " : "") + std::string(problem.what());
    return fail(refused, what.c_str(), error);
  } catch (const std::bad_alloc&) {
    return fail(WORDPLANE_MEMORY, "not enough memory", error);
  } catch (const std::length_error&) {
    return fail(WORDPLANE_MEMORY, "not enough memory", error);
  } catch (const std::exception& problem) {
    return fail(refused, problem.what(), error);
  }
}

// The texts of a document, checked; otherwise nothing, and `error` says why.
std::vector<std::string_view> read_document(const wordplane_model* model,
                                            const wordplane_text* document, std::size_t n_fields,
                                            wordplane_error* error) {
  std::vector<std::string_view> texts;
  const auto wrong = [&](const std::string& what) {
    fail(WORDPLANE_ARGUMENT, what.c_str(), error);
    return std::vector<std::string_view>();
  };
  if (!model || !document) return wrong("the model or the document is NULL");
  if (n_fields != model->model.n_fields())
    return wrong("the document has " + std::to_string(n_fields) + " texts, expected " +
                 std::to_string(model->model.n_fields()));
  for (std::size_t field = 0; field < n_fields; ++field) {
    const auto [bytes, size] = document[field];
    if (!bytes && size > 0) return wrong("a text is NULL");
    if (size > kMostTextBytes) return wrong("a text has more than 1,073,741,824 bytes");
    const std::string_view text(bytes ? bytes : "", size);
    if (const std::size_t valid = valid_utf8_prefix(text); valid != size)
      return wrong("a text is not valid UTF-8 at byte " + std::to_string(valid));
    texts.push_back(text);
  }
  return texts;
}

const char* name_of(const std::string* name, std::size_t* size) {
  if (size) *size = name ? name->size() : 0;
  return name ? name->c_str() : nullptr;
}

// An explanation with the memory that it points to.
struct OwnedExplanation : wordplane_explanation {
  std::vector<ExplainedFeature> features;
  std::vector<wordplane_contribution> all;

  explicit OwnedExplanation(Explained explained)
      : wordplane_explanation{}, features(std::move(explained.features)) {
    for (const ExplainedFeature& one : features)
      all.push_back(
          {one.name.c_str(), one.name.size(), one.value, one.field, one.span.begin, one.span.end});
    score = explained.score;
    bias = explained.bias;
    n_contributions = all.size();
    contributions = all.data();
  }
};

struct FileCloser {
  void operator()(std::FILE* file) const { std::fclose(file); }
};

}  // namespace
}  // namespace wordplane

using wordplane::fail;
using wordplane::guarded;

wordplane_status wordplane_load(const void* content, size_t size, wordplane_model** model,
                                wordplane_error* error) {
  if (model) *model = nullptr;
  if (!model || (!content && size > 0))
    return fail(WORDPLANE_ARGUMENT, "the content or the model is NULL", error);
  return guarded(WORDPLANE_REFUSED, error, [&] {
    const std::string_view bytes(content ? static_cast<const char*>(content) : "", size);
    *model = new wordplane_model{wordplane::read_model(bytes)};
    return WORDPLANE_OK;
  });
}

wordplane_status wordplane_load_file(const char* path, wordplane_model** model,
                                     wordplane_error* error) {
  if (model) *model = nullptr;
  if (!path || !model) return fail(WORDPLANE_ARGUMENT, "the path or the model is NULL", error);
  return guarded(WORDPLANE_REFUSED, error, [&] {
    const std::unique_ptr<std::FILE, wordplane::FileCloser> file(std::fopen(path, "rb"));
    if (!file) return fail(WORDPLANE_UNREADABLE, "the file cannot be opened", error);
    std::string content;
    char buffer[1 << 14];
    while (const std::size_t n = std::fread(buffer, 1, sizeof(buffer), file.get())) {
      content.append(buffer, n);
      if (content.size() == n && !content.starts_with("WORDPLN")) break;  // it may be anything
    }
    if (std::ferror(file.get()))
      return fail(WORDPLANE_UNREADABLE, "the file cannot be read", error);
    return wordplane_load(content.data(), content.size(), model, error);
  });
}

void wordplane_free(wordplane_model* model) { delete model; }

size_t wordplane_n_classes(const wordplane_model* model) { return model->model.classes().size(); }

const char* wordplane_class(const wordplane_model* model, size_t k, size_t* size) {
  const auto& classes = model->model.classes();
  return wordplane::name_of(k < classes.size() ? &classes[k] : nullptr, size);
}

int wordplane_is_multilabel(const wordplane_model* model) {
  return model->model.calibration().is_multilabel();
}

size_t wordplane_n_fields(const wordplane_model* model) { return model->model.n_fields(); }

const char* wordplane_field(const wordplane_model* model, size_t field, size_t* size) {
  const bool is_there = field < model->model.n_fields();
  return wordplane::name_of(is_there ? &model->model.field_name(field) : nullptr, size);
}

size_t wordplane_n_scores(const wordplane_model* model) { return model->model.n_scores(); }

wordplane_status wordplane_scores(const wordplane_model* model, const wordplane_text* document,
                                  size_t n_fields, double* scores, wordplane_error* error) {
  return guarded(WORDPLANE_ARGUMENT, error, [&] {
    const auto texts = wordplane::read_document(model, document, n_fields, error);
    if (texts.empty()) return WORDPLANE_ARGUMENT;
    std::ranges::copy(model->model.scores(texts), scores);
    return WORDPLANE_OK;
  });
}

wordplane_status wordplane_probabilities(const wordplane_model* model, const double* scores,
                                         double* probabilities, wordplane_error* error) {
  return guarded(WORDPLANE_ARGUMENT, error, [&] {
    model->model.calibration().probabilities({scores, model->model.n_scores()}, probabilities);
    return WORDPLANE_OK;
  });
}

size_t wordplane_labels(const wordplane_model* model, const double* scores, size_t* classes) {
  return model->model.calibration().labels({scores, model->model.n_scores()}, classes);
}

wordplane_status wordplane_explain(const wordplane_model* model, const wordplane_text* document,
                                   size_t n_fields, size_t k, wordplane_explanation** explanation,
                                   wordplane_error* error) {
  if (!explanation) return fail(WORDPLANE_ARGUMENT, "the explanation is NULL", error);
  *explanation = nullptr;
  return guarded(WORDPLANE_ARGUMENT, error, [&] {
    const auto texts = wordplane::read_document(model, document, n_fields, error);
    if (texts.empty()) return WORDPLANE_ARGUMENT;
    if (k >= std::max<std::size_t>(model->model.classes().size(), 1))
      return fail(WORDPLANE_ARGUMENT, "there is no such class", error);
    *explanation = new wordplane::OwnedExplanation(model->model.explain(texts, k));
    return WORDPLANE_OK;
  });
}

void wordplane_free_explanation(wordplane_explanation* explanation) {
  delete static_cast<wordplane::OwnedExplanation*>(explanation);
}
