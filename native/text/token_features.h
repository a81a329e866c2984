// Features that a token has by itself, whatever stands around it, and a few of whole texts.
//
//   char:     n-grams of characters inside what stands between white space, with a blank
//             before and after it (scikit-learn's char_wb); web addresses and the like have
//             none where they are replaced by a name
//   prefix:   the first characters of a word that is longer
//   suffix:   the last characters of a word that is longer
//   shape:    ALLCAPS CAPITALISED MIXED DIGITS, ELONGATED (a letter three times or more in a
//             row), EMOTICON, MISSPELT (not among the known words), and, once for a text of two
//             words or more, ALL_WORDS_CAPITALISED
//   length:   of a word in characters: 1 2-3 4-6 7-9 10+
//   trigger:  words of given lists, sought in the raw text, and any:LIST for each of them
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "text/texts.h"
#include "text/tokenizer.h"
#include "text/vocabulary.h"
#include "text/word_table.h"

namespace wordplane {

struct TriggerList {
  std::string name;
  std::vector<std::string> words;
};

// Which of them a text has: a plain value, written to the model file.
struct TokenFeatures {
  bool spaced = false;  // how words are found: as by Tokens::spaced
  Folding folding;
  int min_chars = 0, max_chars = 0;  // 0: no char:
  std::vector<int> prefixes, suffixes;
  bool shapes = false, lengths = false;
  std::vector<std::string> known_words;  // in lower case; none: no shape:MISSPELT
  std::vector<TriggerList> triggers;

  int n_groups() const {
    return (max_chars > 0) + !prefixes.empty() + !suffixes.empty() +
           (shapes || !known_words.empty()) + lengths + !triggers.empty();
  }
};

class TokenFeatureReader final : public Reader {
 public:
  struct Columns {
    std::function<std::uint32_t(std::string_view name)> of;  // kNone: no feature
    std::function<void(std::string_view name)> expect;       // that it will be asked for; or none
  };

  TokenFeatureReader(const TokenFeatures& features, Columns columns);

  const std::vector<Count>& read(std::string_view text) override;
  // The same in any order, which costs less.
  const std::vector<Count>& count(std::string_view text);
  std::vector<Occurrence> trace(std::string_view text) override;

 private:
  using Found = std::function<void(std::string_view name, Span span)>;  // bytes of the text

  // A token in the case that features have, and where its characters stand in it and the text.
  struct Folded {
    std::string text;
    std::vector<std::size_t> at;  // in `text`, and its end
    std::vector<Span> raw;
    std::size_t size() const { return raw.size(); }
    void clear() {
      text.clear();
      at.assign(1, 0);
      raw.clear();
    }
    void add_character(Span span, std::size_t end) {
      at.push_back(end);
      raw.push_back(span);
    }
    void add_blank(Span span) {
      text += ' ';
      add_character(span, text.size());
    }
    void drop(std::size_t n) {  // the first n characters
      const std::size_t bytes = at[n];
      text.erase(0, bytes);
      at.erase(at.begin(), at.begin() + static_cast<std::ptrdiff_t>(n));
      for (std::size_t& end : at) end -= bytes;
      raw.erase(raw.begin(), raw.begin() + static_cast<std::ptrdiff_t>(n));
    }
  };
  struct Trigger {
    std::u32string word;  // folded
    std::string name;
    std::vector<std::string> lists;
  };
  // The features of tokens that were met before.
  struct Cache {
    WordTable tokens;
    std::vector<std::size_t> ends;
    std::vector<std::uint32_t> columns;
  };

  template <class Each>
  void each_token(std::string_view text, Each&& each);
  void find_in_chunk(std::string_view text, Span chunk, const Found& found);
  void find_in_word(std::string_view text, Span word, const Found& found);
  void find_shapes(std::string_view word, Span span, const Found& found);
  void find_in_text(std::string_view text, const Found& found);
  void find_triggers(std::string_view text, const Found& found);
  void start_folding(std::string_view text, Span token);
  void fold_until(std::string_view text, std::size_t end, bool keep);
  void fold_end(std::string_view text, Span token, std::size_t n, bool last);
  void name_part(std::string_view group, std::size_t begin, std::size_t n, const Found& found);
  void add(std::uint32_t column);
  void touch_columns(std::string_view text);
  void sort_touched();
  const std::vector<Count>& take_touched();
  void add_token(Cache& cache, std::string_view text, Span token,
                 void (TokenFeatureReader::*find)(std::string_view, Span, const Found&));

  TokenFeatures features_;
  Columns columns_;
  bool reads_words_;
  WordTable known_words_;
  std::vector<Trigger> triggers_;
  std::unordered_map<char32_t, std::vector<std::size_t>> triggers_by_first_;

  Cache chunk_cache_, word_cache_;
  std::string names_;  // of the features of a token, one after another
  std::vector<std::size_t> name_ends_;
  WordFinder finder_;
  std::vector<Span> words_;
  std::vector<std::uint32_t> sums_, touched_;  // sums_ by column, 0 between documents
  std::vector<std::uint64_t> bits_;            // by column, 0 between documents
  std::vector<Count> counts_;
  Folded folded_;
  std::string lowered_;                      // the whole token
  std::size_t at_raw_ = 0, at_lowered_ = 0;  // how far it is folded, in the text and there
  std::string name_;
  std::vector<Named> named_;
  std::string visible_;  // the text with blanks for what has a name
};

// Counts all token features of documents and gives them columns: those of a group together, by
// descending document frequency, then alphabetical.
class TokenFeatureCounter {
 public:
  explicit TokenFeatureCounter(TokenFeatures features) : features_(std::move(features)) {}
  TokenFeatureCounter(const TokenFeatureCounter&) = delete;

  void add(const Texts& texts, std::size_t begin, std::size_t end, int threads);
  void finish();

  // After finish().
  std::size_t n_docs() const { return rows_.size(); }
  std::size_t n_features() const { return order_.size(); }
  const std::vector<std::int64_t>& document_frequency() const { return document_frequency_; }
  void select(std::span<const bool> keep);  // once

  // After select().
  std::size_t n_selected() const { return selected_.size(); }
  const std::vector<std::int64_t>& indptr() const { return indptr_; }
  void fill(std::int32_t* indices, float* values, int threads) const;
  std::string_view name(std::size_t column) const { return names_.word(order_[selected_[column]]); }
  Vocabulary vocabulary() const;

 private:
  struct Shard {
    explicit Shard(const TokenFeatures& features)
        : reader(features, {[this](std::string_view name) { return names.intern(name).id; },
                            [this](std::string_view name) { names.prefetch(name); }}) {}
    WordTable names;
    TokenFeatureReader reader;
    std::vector<Count> counts;           // columns are numbers in `names`
    std::vector<std::uint32_t> name_of;  // after finish(): feature by number in `names`
  };
  struct Row {
    const Shard* shard;
    std::size_t begin, end;
  };

  enum class State { counting, finished, selected };
  void require(State state) const;

  State state_ = State::counting;
  TokenFeatures features_;
  std::vector<std::unique_ptr<Shard>> shards_;
  std::vector<Row> rows_;
  WordTable names_;                   // of all shards
  std::vector<std::uint32_t> order_;  // after finish(): numbers in `names_`, as features come
  std::vector<std::int64_t> document_frequency_;
  std::vector<std::uint32_t> selected_;  // features by column
  std::vector<std::int32_t> column_of_;  // by name; -1: not kept
  std::vector<std::int64_t> indptr_;
};

}  // namespace wordplane
