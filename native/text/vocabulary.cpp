#include "text/vocabulary.h"

#include <algorithm>
#include <bit>
#include <stdexcept>

#include "text/unicode.h"

namespace wordplane {

namespace {

void require(bool holds, const char* what) {
  if (!holds) throw std::invalid_argument(std::string("the vocabulary is damaged: ") + what);
}

}  // namespace

Vocabulary::Vocabulary(std::string_view bytes, std::span<const std::int64_t> word_ends,
                       std::span<const std::uint32_t> firsts, std::span<const std::uint32_t> lasts,
                       std::span<const std::int32_t> columns, Parts parts)
    : parts_(parts), columns_(columns.begin(), columns.end()) {
  const std::size_t n_words = word_ends.size(), n_ngrams = firsts.size();
  require(n_words <= kMaxId && n_ngrams <= kMaxId, "too many entries");
  require(lasts.size() == n_ngrams, "n-gram arrays of different length");
  require(columns.size() == n_words + n_ngrams, "as many columns as words and n-grams expected");

  constexpr std::size_t kAhead = 16;
  words_.reserve(n_words, bytes.size());
  ngrams_.reserve(n_ngrams);
  std::int64_t begin = 0;
  for (const std::int64_t end : word_ends) {
    require(begin <= end && end <= static_cast<std::int64_t>(bytes.size()), "word ends");
    const auto word =
        bytes.substr(static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin));
    require(valid_utf8_prefix(word) == word.size(), "a word is not UTF-8");
    const std::size_t known = words_.size();
    words_.intern(word).mark = static_cast<std::uint32_t>(columns[known]);
    require(words_.size() == known + 1, "a word twice");
    begin = end;
  }
  require(begin == static_cast<std::int64_t>(bytes.size()), "bytes after the last word");

  for (std::size_t i = 0; i < n_ngrams; ++i) {
    require(firsts[i] < n_words + i && lasts[i] < n_words, "an n-gram of unknown words");
    if (i + kAhead < n_ngrams)
      ngrams_.prefetch(PairTable::key_of(firsts[i + kAhead], lasts[i + kAhead]));
    ngrams_.intern(PairTable::key_of(firsts[i], lasts[i])).mark =
        static_cast<std::uint32_t>(columns[n_words + i]);
    require(ngrams_.size() == i + 1, "an n-gram twice");
  }

  const auto n_features =
      static_cast<std::size_t>(std::ranges::count_if(columns, [](auto c) { return c >= 0; }));
  node_of_.assign(n_features, kNone);
  for (std::size_t node = 0; node < columns.size(); ++node) {
    if (columns[node] < 0) continue;
    require(static_cast<std::size_t>(columns[node]) < n_features, "a column out of range");
    require(node_of_[static_cast<std::size_t>(columns[node])] == kNone, "a column twice");
    node_of_[static_cast<std::size_t>(columns[node])] = static_cast<std::uint32_t>(node);
  }
}

Vocabulary Vocabulary::from_names(const std::vector<std::string>& names, Parts parts) {
  const auto part_end = [&](std::string_view name, std::size_t begin) {
    if (parts == Parts::words) return std::min(name.find(' ', begin), name.size());
    if (parts == Parts::whole || begin == name.size()) return name.size();
    const char* at = name.data() + begin;
    decode(at);
    return static_cast<std::size_t>(at - name.data());
  };
  const std::size_t joint = parts == Parts::words ? 1 : 0;
  const auto each_word = [&](std::string_view name, auto&& each) {
    std::size_t begin = 0;
    do {
      const std::size_t end = part_end(name, begin);
      each(name.substr(begin, end - begin));
      begin = end + joint;
    } while (begin < name.size() + joint);
  };
  Vocabulary vocabulary;
  vocabulary.parts_ = parts;
  for (const std::string& name : names)
    each_word(name, [&](std::string_view word) { vocabulary.words_.intern(word); });
  const auto n_words = static_cast<std::uint32_t>(vocabulary.n_words());
  for (const std::string& name : names) {
    std::uint32_t node = kNone;
    each_word(name, [&](std::string_view word) {
      const std::uint32_t last = vocabulary.words_.find(word);
      node = node == kNone ? last
                           : n_words + vocabulary.ngrams_.intern(PairTable::key_of(node, last)).id;
    });
    vocabulary.node_of_.push_back(node);
  }
  vocabulary.columns_.assign(n_words + vocabulary.n_ngrams(), -1);
  for (std::size_t column = 0; column < names.size(); ++column) {
    std::int32_t& held = vocabulary.columns_[vocabulary.node_of_[column]];
    if (held >= 0)
      throw std::invalid_argument("'" + names[column] + "' is twice in the vocabulary");
    held = static_cast<std::int32_t>(column);
  }
  for (std::uint32_t i = 0; i < n_words; ++i)
    vocabulary.words_.intern(vocabulary.words_.word(i)).mark =
        static_cast<std::uint32_t>(vocabulary.columns_[i]);
  for (std::uint32_t i = 0; i < vocabulary.n_ngrams(); ++i)
    vocabulary.ngrams_.intern(vocabulary.ngrams_.key(i)).mark =
        static_cast<std::uint32_t>(vocabulary.columns_[n_words + i]);
  return vocabulary;
}

Vocabulary Vocabulary::select(std::span<const bool> keep) const {
  if (keep.size() != n_features()) throw std::invalid_argument("one flag per column expected");
  std::vector<std::int32_t> column_of(n_features(), -1);
  for (std::int32_t column = 0, next = 0; column < std::ssize(keep); ++column)
    if (keep[static_cast<std::size_t>(column)])
      column_of[static_cast<std::size_t>(column)] = next++;
  const std::size_t n_words = this->n_words(), n_nodes = columns_.size();
  const auto new_column = [&](std::size_t node) {
    return columns_[node] < 0 ? -1 : column_of[static_cast<std::size_t>(columns_[node])];
  };
  std::vector<bool> needed(n_nodes);  // an n-gram comes after what it extends
  for (std::size_t node = n_nodes; node-- > 0;) {
    needed[node] = needed[node] || new_column(node) >= 0;
    if (!needed[node] || node < n_words) continue;
    const auto id = static_cast<std::uint32_t>(node - n_words);
    needed[ngrams_.first(id)] = needed[ngrams_.last(id)] = true;
  }
  std::string bytes;
  std::vector<std::int64_t> ends;
  std::vector<std::uint32_t> firsts, lasts, number(n_nodes);
  std::vector<std::int32_t> columns;
  for (std::size_t node = 0; node < n_nodes; ++node) {
    if (!needed[node]) continue;
    number[node] = static_cast<std::uint32_t>(columns.size());
    columns.push_back(new_column(node));
    if (node < n_words) {
      bytes += words_.word(static_cast<std::uint32_t>(node));
      ends.push_back(static_cast<std::int64_t>(bytes.size()));
    } else {
      const auto id = static_cast<std::uint32_t>(node - n_words);
      firsts.push_back(number[ngrams_.first(id)]);
      lasts.push_back(number[ngrams_.last(id)]);
    }
  }
  return Vocabulary(bytes, ends, firsts, lasts, columns, parts_);
}

std::string Vocabulary::name(std::size_t column) const {
  const auto n_words = static_cast<std::uint32_t>(this->n_words());
  std::uint32_t node = node_of_.at(column);
  std::string name;
  for (; node >= n_words; node = ngrams_.first(node - n_words)) {
    name.insert(0, words_.word(ngrams_.last(node - n_words)));
    if (parts_ == Parts::words) name.insert(0, 1, ' ');
  }
  return name.insert(0, words_.word(node));
}

Vocabulary::Extent Vocabulary::extent() const {
  const std::size_t n_words = this->n_words();
  std::vector<Extent> of(n_words + n_ngrams());  // by node
  Extent all;
  for (std::size_t node = 0; node < of.size(); ++node) {
    if (node < n_words) {
      of[node] = {1, words_.word(static_cast<std::uint32_t>(node)).size()};
    } else {
      const auto id = static_cast<std::uint32_t>(node - n_words);
      const Extent &first = of[ngrams_.first(id)], &last = of[ngrams_.last(id)];
      of[node] = {first.longest + 1, first.name_bytes + 1 + last.name_bytes};
    }
    all.longest = std::max(all.longest, of[node].longest);
    if (columns_[node] >= 0) all.name_bytes += of[node].name_bytes;
  }
  return all;
}

const std::vector<Count>& NgramReader::read(std::string_view text) {
  words_.read(text);
  const auto& times = words_.counts();
  occurrences_.clear();
  find([&](std::int32_t column, std::size_t i, std::size_t) {
    occurrences_.push_back({column, times.empty() ? 1 : times[i]});
  });
  counts_.clear();
  const int bits = std::bit_width(2 * occurrences_.size() + 1);  // at most half full
  entry_of_.assign(std::size_t{1} << bits, 0);
  for (const auto& [column, count] : occurrences_) {
    std::size_t at = static_cast<std::uint64_t>(column) * kHashKey.second >> (64 - bits);
    while (entry_of_[at] != 0 && counts_[entry_of_[at] - 1].column != column)
      at = (at + 1) & (entry_of_.size() - 1);
    if (entry_of_[at] == 0) {
      counts_.push_back({column, 0});
      entry_of_[at] = static_cast<std::uint32_t>(counts_.size());
    }
    counts_[entry_of_[at] - 1].count += count;
  }
  return counts_;
}

std::vector<Occurrence> NgramReader::trace(std::string_view text) {
  words_.read(text);
  words_.locate(text);
  std::vector<Occurrence> occurrences;
  find([&](std::int32_t column, std::size_t i, std::size_t n) {
    const std::uint32_t count = words_.counts().empty() ? 1 : words_.counts()[i];
    occurrences.push_back(
        {column, count, {words_.spans()[i].begin, words_.spans()[i + n - 1].end}, {}});
  });
  return occurrences;
}

}  // namespace wordplane
