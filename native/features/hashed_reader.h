// Words and n-grams as counts of columns that their hashes choose: no vocabulary is needed. The
// column of a feature is that of HashedRows (features/hashing.h); its sign is not used, so that
// counts stay counts.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "features/hashing.h"
#include "text/tokenizer.h"
#include "text/vocabulary.h"

namespace wordplane {

class HashedReader final : public Reader {
 public:
  HashedReader(const Analysis& analysis, std::uint32_t n_columns)
      : analysis_(analysis), n_columns_(n_columns), words_(analysis) {}

  const std::vector<Count>& read(std::string_view text) override;
  std::vector<Occurrence> trace(std::string_view text) override;

 private:
  // Calls found(column, i, n) for the n-grams of words i .. i+n-1, whose name is
  // joined_[starts_[i], end_of(i + n - 1)).
  template <class Found>
  void each_ngram(Found&& found);
  std::size_t joint() const { return analysis_.tokens == Tokens::chars ? 0 : 1; }

  Analysis analysis_;
  std::uint32_t n_columns_;
  WordReader words_;
  std::string joined_;  // the words of a text, with a blank after each that is no character
  std::vector<std::size_t> starts_;
  std::vector<Count> counts_;
};

}  // namespace wordplane
