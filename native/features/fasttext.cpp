#include "features/fasttext.h"

#include <algorithm>
#include <stdexcept>

#include "common/parallel.h"
#include "common/prefetch.h"

namespace wordplane {
namespace {

constexpr std::string_view kEnd = "</s>";
constexpr std::string_view kLabel = "__label__";
constexpr std::uint32_t kFnvStart = 2166136261U, kFnvFactor = 16777619U;
constexpr std::size_t kRowsAhead = 16;  // a row of a matrix is asked for before it is needed
constexpr std::uint64_t kNgramFactor = 116049371U;
constexpr int kMostCharacters = 50, kMostWords = 100;  // of a subword, of an n-gram

bool is_blank(char c) {
  return c == ' ' || c == '\n' || c == '\r' || c == '\t' || c == '\v' || c == '\f' || c == '\0';
}

bool is_continuation(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

// FNV-1a, with bytes above 127 as negative numbers.
std::uint32_t fnv(std::uint32_t hash, char byte) {
  const auto number = static_cast<std::int32_t>(static_cast<signed char>(byte));
  return (hash ^ static_cast<std::uint32_t>(number)) * kFnvFactor;
}

std::uint32_t fnv(std::string_view word) {
  std::uint32_t hash = kFnvStart;
  for (const char byte : word) hash = fnv(hash, byte);
  return hash;
}

void check_that(bool holds, const char* otherwise) {
  if (!holds) throw std::invalid_argument(otherwise);
}

}  // namespace

FastTextMatrix::FastTextMatrix(std::span<const float> values, std::size_t n_columns,
                               std::shared_ptr<const void> owner)
    : n_rows_(n_columns == 0 ? 0 : values.size() / n_columns),
      n_columns_(n_columns),
      values_(values),
      owner_(std::move(owner)) {
  check_that(n_columns > 0 && values.size() == n_rows_ * n_columns, "a matrix without columns");
}

FastTextMatrix::FastTextMatrix(const Codes& codes, std::size_t n_columns, std::size_t part,
                               std::shared_ptr<const void> owner)
    : n_rows_(0), n_columns_(n_columns), part_(part), codes_(codes), owner_(std::move(owner)) {
  check_that(codes.centroids.size() / kCodes == n_columns && codes.centroids.size() % kCodes == 0,
             "256 centroids of each part expected");
  check_that(part > 0 && part <= n_columns, "parts of a quantized matrix that cannot be");
  n_parts_ = (n_columns + part - 1) / part;
  n_rows_ = codes.codes.size() / n_parts_;
  check_that(codes.codes.size() == n_rows_ * n_parts_, "codes that are not of all parts");
  check_that(codes.norm_codes.empty()
                 ? codes.norms.empty()
                 : codes.norm_codes.size() == n_rows_ && codes.norms.size() == kCodes,
             "a norm of each row, of 256, expected");
}

template <class Visit>
void FastTextMatrix::each_part(std::size_t row, Visit&& visit) const {
  const std::uint8_t* code = codes_.codes.data() + row * n_parts_;
  for (std::size_t m = 0; m < n_parts_; ++m) {
    const std::size_t first = m * part_, n = std::min(part_, n_columns_ - first);
    visit(first, codes_.centroids.data() + first * kCodes + code[m] * n, n);
  }
}

void FastTextMatrix::add(std::size_t row, float* x) const {
  if (!values_.empty()) {
    const float* own = values_.data() + row * n_columns_;
    for (std::size_t j = 0; j < n_columns_; ++j) x[j] += own[j];
    return;
  }
  const float scale = norm(row);
  each_part(row, [&](std::size_t first, const float* centroid, std::size_t n) {
    for (std::size_t j = 0; j < n; ++j) x[first + j] += scale * centroid[j];
  });
}

float FastTextMatrix::dot(std::size_t row, const float* x) const {
  float sum = 0;
  if (!values_.empty()) {
    const float* own = values_.data() + row * n_columns_;
    for (std::size_t j = 0; j < n_columns_; ++j) sum += own[j] * x[j];
    return sum;
  }
  each_part(row, [&](std::size_t first, const float* centroid, std::size_t n) {
    for (std::size_t j = 0; j < n; ++j) sum += x[first + j] * centroid[j];
  });
  return sum * norm(row);
}

void FastTextMatrix::prefetch(std::size_t row) const {
  if (!values_.empty())
    wordplane::prefetch(values_.data() + row * n_columns_, n_columns_);
  else
    __builtin_prefetch(codes_.codes.data() + row * n_parts_);
}

FastTextReader::FastTextReader(const std::vector<std::string_view>& words,
                               const std::vector<std::string_view>& labels,
                               const Settings& settings, std::span<const Kept> kept,
                               std::size_t n_rows)
    : settings_(settings), n_words_(words.size()), n_rows_(n_rows) {
  check_that(n_rows <= kMaxId && n_words_ <= n_rows, "fewer rows than words");
  check_that(settings.n_buckets <= kMaxId, "too many buckets");
  check_that(settings.min_n >= 0 && settings.max_n >= 0 && settings.max_n <= kMostCharacters,
             "subwords of 0 to 50 characters expected");
  check_that(settings.word_ngrams >= 1 && settings.word_ngrams <= kMostWords,
             "n-grams of 1 to 100 words expected");
  check_that(settings.is_pruned || kept.empty(), "buckets that are kept, where none were dropped");
  const bool hashes = settings.max_n > 0 || settings.word_ngrams > 1;
  check_that(!hashes || settings.n_buckets > 0, "subwords or n-grams without buckets");
  check_that(!hashes || settings.is_pruned || n_rows - n_words_ == settings.n_buckets,
             "a row of each bucket expected");
  table_.reserve(words.size() + labels.size(), 0);
  const auto add = [&](std::string_view word) {
    const std::size_t before = table_.size();
    table_.intern(word);
    check_that(table_.size() == before + 1, "a word or label occurs twice");
  };
  for (const std::string_view word : words) add(word);
  for (const std::string_view label : labels) add(label);
  kept_.reserve(kept.size());
  for (const auto& [bucket, row] : kept) {
    check_that(bucket >= 0 && static_cast<std::size_t>(bucket) < settings.n_buckets && row >= 0 &&
                   static_cast<std::size_t>(row) < n_rows - n_words_,
               "a bucket that is kept is out of range");
    const std::size_t before = kept_.size();
    kept_.intern(static_cast<std::uint64_t>(bucket));
    check_that(kept_.size() == before + 1, "a bucket is kept twice");
    kept_rows_.push_back(static_cast<std::uint32_t>(row));
  }
}

template <class Found>
void FastTextReader::visit_bucket(std::uint64_t bucket, Found&& found) const {
  if (settings_.is_pruned) {
    const auto& slot = kept_.find(bucket);
    if (slot.id == kNone) return;
    bucket = kept_rows_[slot.id];
  }
  found(n_words_ + bucket);
}

// The runs of characters of <word>: the mark before the word is byte 0, the one behind it the last.
template <class Found>
void FastTextReader::visit_subwords(std::string_view text, Span word, Found&& found) const {
  const std::size_t length = word.end - word.begin, n_bytes = length + 2;
  const auto byte = [&](std::size_t i) {
    return i == 0 ? '<' : i <= length ? text[word.begin + i - 1] : '>';
  };
  const auto n_buckets = static_cast<std::uint32_t>(settings_.n_buckets);
  for (std::size_t i = 0; i < n_bytes; ++i) {
    if (is_continuation(byte(i))) continue;
    std::uint32_t hash = kFnvStart;
    std::size_t j = i;
    for (int n = 1; j < n_bytes && n <= settings_.max_n; ++n) {
      do hash = fnv(hash, byte(j++));
      while (j < n_bytes && is_continuation(byte(j)));
      const bool opens = i == 0, closes = j == n_bytes;
      if (n < settings_.min_n || (n == 1 && (opens || closes))) continue;
      const Span span{word.begin + i - !opens, word.begin + j - 1 - closes};
      visit_bucket(hash % n_buckets, [&](std::size_t row) {
        found(row, Origin{Kind::subword, span, opens, closes});
      });
    }
  }
}

template <class Found>
void FastTextReader::visit(std::string_view text, std::vector<Token>& tokens, Found&& found) const {
  tokens.clear();
  const auto read_token = [&](std::string_view word, Span span) {
    const std::uint32_t id = table_.find(word);
    const bool is_listed = id < n_words_;
    if (!is_listed && (id != kNone || word.starts_with(kLabel))) return;
    if (is_listed) found(std::size_t{id}, Origin{Kind::word, span, false, false});
    if (settings_.max_n > 0 && word != kEnd) visit_subwords(text, span, found);
    if (settings_.word_ngrams > 1) tokens.push_back({static_cast<std::int32_t>(fnv(word)), span});
  };
  for (std::size_t i = 0; i < text.size();) {
    while (i < text.size() && is_blank(text[i])) ++i;
    const std::size_t begin = i;
    while (i < text.size() && !is_blank(text[i])) ++i;
    const std::string_view word = text.substr(begin, i - begin);
    if (word == kEnd) break;
    if (!word.empty()) read_token(word, {begin, i});
  }
  read_token(kEnd, {text.size(), text.size()});
  const auto most = static_cast<std::size_t>(settings_.word_ngrams);
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    auto hash = static_cast<std::uint64_t>(std::int64_t{tokens[i].hash});
    for (std::size_t j = i + 1; j < std::min(tokens.size(), i + most); ++j) {
      hash = hash * kNgramFactor + static_cast<std::uint64_t>(std::int64_t{tokens[j].hash});
      const bool closes = j + 1 == tokens.size();
      const Span span{tokens[i].span.begin, tokens[closes ? j - 1 : j].span.end};
      visit_bucket(hash % settings_.n_buckets,
                   [&](std::size_t row) { found(row, Origin{Kind::ngram, span, false, closes}); });
    }
  }
}

void FastTextReader::read(std::string_view text, std::vector<Token>& tokens,
                          std::vector<std::uint32_t>& rows) const {
  rows.clear();
  visit(text, tokens,
        [&](std::size_t row, const Origin&) { rows.push_back(static_cast<std::uint32_t>(row)); });
}

void FastTextReader::read_word(std::size_t word, std::vector<std::uint32_t>& rows) const {
  rows.assign(1, static_cast<std::uint32_t>(word));
  const std::string_view text = table_.word(static_cast<std::uint32_t>(word));
  if (settings_.max_n > 0 && text != kEnd)
    visit_subwords(text, {0, text.size()}, [&](std::size_t row, const Origin&) {
      rows.push_back(static_cast<std::uint32_t>(row));
    });
}

std::vector<FastTextReader::Place> FastTextReader::places(std::string_view text) const {
  std::vector<Token> tokens;
  std::vector<Place> places;
  visit(text, tokens, [&](std::size_t row, const Origin& origin) {
    const auto& [kind, span, opens, closes] = origin;
    std::string name = kind == Kind::subword ? "char:" : "";
    if (opens) name += '<';
    for (std::size_t i = span.begin; i < span.end; ++i) {
      if (!is_blank(text[i]))
        name += text[i];
      else if (!is_blank(text[i - 1]))
        name += ' ';
    }
    if (kind == Kind::word && name.empty()) name = kEnd;
    if (closes) name += kind == Kind::subword ? ">" : " </s>";
    places.push_back({row, span, std::move(name)});
  });
  return places;
}

FastText::FastText(FastTextReader reader, FastTextMatrix input, FastTextMatrix output)
    : reader_(std::move(reader)), input_(std::move(input)), output_(std::move(output)) {
  check_that(input_.n_rows() == reader_.n_rows(), "an input matrix of other rows");
  check_that(input_.n_columns() == output_.n_columns(), "matrices of different columns");
  const auto values = output_.values();
  columns_.resize(values.size());
  for (std::size_t e = 0; e < values.size(); ++e)
    columns_[e % n_columns() * n_outputs() + e / n_columns()] = values[e];
}

void FastText::mean(const std::vector<std::uint32_t>& rows, float* h) const {
  std::fill_n(h, n_columns(), 0.0F);
  for (std::size_t e = 0; e < rows.size(); ++e) {
    if (e + kRowsAhead < rows.size()) input_.prefetch(rows[e + kRowsAhead]);
    input_.add(rows[e], h);
  }
  if (rows.empty()) return;
  const auto share = static_cast<float>(1.0 / static_cast<double>(rows.size()));
  for (std::size_t j = 0; j < n_columns(); ++j) h[j] *= share;
}

// Every output is a sum over columns in order; many outputs are summed at a time.
void FastText::multiply(const float* h, float* o) const {
  const std::size_t n = n_outputs();
  if (columns_.empty()) {
    for (std::size_t k = 0; k < n; ++k) o[k] = output_.dot(k, h);
    return;
  }
  std::fill_n(o, n, 0.0F);
  for (std::size_t j = 0; j < n_columns(); ++j) {
    const float* column = columns_.data() + j * n;
    for (std::size_t k = 0; k < n; ++k) o[k] += h[j] * column[k];
  }
}

void FastText::outputs(const Texts& texts, std::size_t begin, std::size_t end, float* o,
                       int threads) const {
  constexpr std::size_t kDocsPerJob = 64;
  if (end > texts.size() || begin > end) throw std::out_of_range("documents out of range");
  const std::size_t n_docs = end - begin;
  parallel_for((n_docs + kDocsPerJob - 1) / kDocsPerJob, threads, [&](std::size_t job, int) {
    std::vector<FastTextReader::Token> tokens;
    std::vector<std::uint32_t> rows;
    std::vector<float> h(n_columns());
    for (std::size_t i = job * kDocsPerJob; i < std::min((job + 1) * kDocsPerJob, n_docs); ++i) {
      reader_.read(texts[begin + i], tokens, rows);
      mean(rows, h.data());
      multiply(h.data(), o + i * n_outputs());
    }
  });
}

void FastText::word_vectors(std::size_t begin, std::size_t end, float* vectors, int threads) const {
  constexpr std::size_t kWordsPerJob = 1024;
  if (end > reader_.n_words() || begin > end) throw std::out_of_range("words out of range");
  const std::size_t n_words = end - begin;
  parallel_for((n_words + kWordsPerJob - 1) / kWordsPerJob, threads, [&](std::size_t job, int) {
    std::vector<std::uint32_t> rows;
    for (std::size_t i = job * kWordsPerJob; i < std::min((job + 1) * kWordsPerJob, n_words); ++i) {
      reader_.read_word(begin + i, rows);
      mean(rows, vectors + i * n_columns());
    }
  });
}

}  // namespace wordplane
