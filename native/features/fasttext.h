// Supervised models of fastText: text in, outputs out. Python side: model/fasttext/weights.py
//
// A text is a list of rows of the input matrix A:
//
//   of each word     its own row, if it is listed, and those of its subwords: the runs of min_n to
//                    max_n characters of "<word>", whose hashes choose buckets
//   of each n-gram   of two or more words, the row of the bucket that its hash chooses
//
// White space ends a word, and "</s>" is the last word of every text. With B the output matrix,
//
//   h = (sum of the n rows) / n        o_k = B_k . h
//
// Sums are of 32 bits and in the order of fastText, so that o has the bits that fastText computes
// where it is compiled without fused multiply-add: its probabilities have steps, and a last bit
// decides on which side of one a text is.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "text/texts.h"
#include "text/word_finder.h"
#include "text/word_table.h"

namespace wordplane {

// The rows of a matrix, as numbers or product-quantized: a row is then cut into parts of `part`
// columns (the last may be shorter), and each part is one of 256 centroids, times the row's norm.
class FastTextMatrix {
 public:
  static constexpr std::size_t kCodes = 256;

  struct Codes {
    std::span<const std::uint8_t> codes;       // n_rows x n_parts
    std::span<const float> centroids;          // by part: 256 of its columns each
    std::span<const std::uint8_t> norm_codes;  // by row; empty if all norms are 1
    std::span<const float> norms;              // by norm code
  };

  // Throw std::invalid_argument unless the sizes agree.
  FastTextMatrix(std::span<const float> values, std::size_t n_columns,
                 std::shared_ptr<const void> owner);
  FastTextMatrix(const Codes& codes, std::size_t n_columns, std::size_t part,
                 std::shared_ptr<const void> owner);

  std::size_t n_rows() const { return n_rows_; }
  std::size_t n_columns() const { return n_columns_; }
  std::span<const float> values() const { return values_; }  // empty if quantized

  void add(std::size_t row, float* x) const;         // x += the row
  float dot(std::size_t row, const float* x) const;  // the row . x
  void prefetch(std::size_t row) const;

 private:
  float norm(std::size_t row) const {
    return codes_.norm_codes.empty() ? 1.0F : codes_.norms[codes_.norm_codes[row]];
  }
  // Calls visit(first column, centroid, its columns) for every part of a row.
  template <class Visit>
  void each_part(std::size_t row, Visit&& visit) const;

  std::size_t n_rows_, n_columns_, part_ = 0, n_parts_ = 0;
  std::span<const float> values_;
  Codes codes_;
  std::shared_ptr<const void> owner_;
};

class FastTextReader {
 public:
  struct Settings {
    std::size_t n_buckets = 0;
    int min_n = 0, max_n = 0;  // characters of a subword; none if max_n is 0
    int word_ngrams = 1;
    bool is_pruned = false;  // only the buckets that are kept have a row
  };
  struct Kept {
    std::int32_t bucket, row;  // the row is counted from the first after those of words
  };
  struct Token {
    std::int32_t hash;
    Span span;
  };
  // A row of the input, and what it stands for.
  struct Place {
    std::size_t row;
    Span span;  // bytes of the text; empty for "</s>"
    std::string name;
  };

  // Throws std::invalid_argument if a word or label occurs twice, or if a row would be beyond
  // n_rows. Labels are left out of texts.
  FastTextReader(const std::vector<std::string_view>& words,
                 const std::vector<std::string_view>& labels, const Settings& settings,
                 std::span<const Kept> kept, std::size_t n_rows);

  std::size_t n_words() const { return n_words_; }
  std::size_t n_rows() const { return n_rows_; }

  // The rows of a text; `tokens` is memory that is kept from one to the next.
  void read(std::string_view text, std::vector<Token>& tokens,
            std::vector<std::uint32_t>& rows) const;

  // The rows of a listed word.
  void read_word(std::size_t word, std::vector<std::uint32_t>& rows) const;

  std::vector<Place> places(std::string_view text) const;

 private:
  enum class Kind { word, subword, ngram };
  struct Origin {
    Kind kind;
    Span span;
    bool opens, closes;  // whether a subword has the mark before the word, and the one behind it;
  };  // an n-gram that closes ends with "</s>"

  // Calls found(row, Origin).
  template <class Found>
  void visit(std::string_view text, std::vector<Token>& tokens, Found&& found) const;
  template <class Found>
  void visit_subwords(std::string_view text, Span word, Found&& found) const;
  template <class Found>
  void visit_bucket(std::uint64_t bucket, Found&& found) const;

  Settings settings_;
  std::size_t n_words_, n_rows_;
  WordTable table_;  // words, then labels
  PairTable kept_;   // buckets
  std::vector<std::uint32_t> kept_rows_;
};

class FastText {
 public:
  // Throws std::invalid_argument unless the matrices have the same columns, and the input as many
  // rows as the reader finds.
  FastText(FastTextReader reader, FastTextMatrix input, FastTextMatrix output);

  const FastTextReader& reader() const { return reader_; }
  std::size_t n_columns() const { return input_.n_columns(); }
  std::size_t n_outputs() const { return output_.n_rows(); }

  // o of the documents begin .. end-1, a row for each; zeros if a document has no rows.
  void outputs(const Texts& texts, std::size_t begin, std::size_t end, float* o, int threads) const;

  // The means of the rows of the listed words begin .. end-1.
  void word_vectors(std::size_t begin, std::size_t end, float* vectors, int threads) const;

 private:
  void mean(const std::vector<std::uint32_t>& rows, float* h) const;
  void multiply(const float* h, float* o) const;

  FastTextReader reader_;
  FastTextMatrix input_, output_;
  std::vector<float> columns_;  // of the output, one after another; empty if it is quantized
};

}  // namespace wordplane
