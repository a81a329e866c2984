#include "text/csv_rows.h"

#include <algorithm>
#include <array>
#include <functional>
#include <stdexcept>

#include "text/unicode.h"

namespace wordplane {
namespace {

enum class Found { field, row, more, unusual };  // `more`: the data end within a row

class CsvReader {
 public:
  CsvReader(std::string_view data, char delimiter, bool is_end)
      : data_(data), delimiter_(delimiter), is_end_(is_end) {
    for (const char c : {delimiter, '"', '\r', '\n', '\0'}) is_special_[index(c)] = true;
  }

  std::size_t at() const { return at_; }
  std::int64_t n_lines() const { return n_lines_; }
  std::string_view field() const { return field_; }
  bool has_doubled_quotes() const { return has_doubled_quotes_; }
  bool is_at_end() const { return at_ == data_.size(); }

  // Reads a field and what ends it, which is told.
  Found read() {
    has_doubled_quotes_ = false;
    if (at_ < data_.size() && data_[at_] == '"') {
      const Found found = read_quoted();
      if (found != Found::field) return found;
    } else {
      const std::size_t begin = at_;
      while (at_ < data_.size() && !is_special_[index(data_[at_])]) ++at_;
      field_ = data_.substr(begin, at_ - begin);
    }
    return read_end();
  }

 private:
  static std::size_t index(char c) { return static_cast<unsigned char>(c); }

  // The inside of the quotes; behind them.
  Found read_quoted() {
    const std::size_t begin = ++at_;
    for (;;) {
      at_ = data_.find('"', at_);
      if (at_ == data_.npos) return cut_off();
      if (at_ + 1 == data_.size() && !is_end_) return cut_off();
      if (at_ + 1 == data_.size() || data_[at_ + 1] != '"') break;
      has_doubled_quotes_ = true;
      at_ += 2;
    }
    field_ = data_.substr(begin, at_++ - begin);
    if (field_.find('\0') != field_.npos) return Found::unusual;
    for (std::size_t r = field_.find('\r'); r != field_.npos; r = field_.find('\r', r + 1))
      if (r + 1 == field_.size() || field_[r + 1] != '\n') return Found::unusual;
    n_lines_ += std::ranges::count(field_, '\n');
    return Found::field;
  }

  Found read_end() {
    if (at_ == data_.size()) return is_end_ ? Found::row : Found::more;
    const char c = data_[at_++];
    if (c == delimiter_) return Found::field;
    if (c == '\r' && at_ == data_.size()) return cut_off();
    if (c != '\n' && (c != '\r' || data_[at_++] != '\n')) return Found::unusual;
    ++n_lines_;
    return Found::row;
  }

  Found cut_off() const { return is_end_ ? Found::unusual : Found::more; }

  std::string_view data_, field_;
  char delimiter_;
  bool is_end_, has_doubled_quotes_ = false;
  std::array<bool, 256> is_special_{};
  std::size_t at_ = 0;
  std::int64_t n_lines_ = 0;
};

// Without the second of two quotes, behind what is in `room`, which has room for it.
std::string_view unquote(std::string_view field, std::string& room) {
  const std::size_t begin = room.size();
  for (std::size_t at = 0; at < field.size();) {
    const std::size_t quote = std::min(field.find('"', at), field.size() - 1);
    room.append(field, at, quote + 1 - at);
    at = quote + 1 + (field[quote] == '"');
  }
  return std::string_view(room).substr(begin);
}

}  // namespace

std::optional<CsvRows> csv_rows(std::string_view data, const CsvLayout& layout,
                                std::size_t most_rows, bool is_end) {
  const auto& wanted = layout.columns;
  if (std::ranges::adjacent_find(wanted, std::greater_equal()) != wanted.end() ||
      (!wanted.empty() && wanted.back() >= layout.n_fields))
    throw std::invalid_argument("columns in ascending order expected");
  CsvReader reader(data, layout.delimiter, is_end);
  CsvRows rows;
  rows.columns.resize(wanted.size());
  const auto unquoted = std::make_shared<std::string>();
  unquoted->reserve(data.size());  // so that what was written stays where it is
  std::vector<std::string_view> row(wanted.size());
  while (rows.lines.size() < most_rows && !reader.is_at_end()) {
    const std::size_t begin = reader.at();
    Found found = Found::field;
    std::size_t n_fields = 0, k = 0;
    while (found == Found::field && n_fields <= layout.n_fields) {
      found = reader.read();
      if (found != Found::field && found != Found::row) break;
      if (k < wanted.size() && wanted[k] == n_fields)
        row[k++] =
            reader.has_doubled_quotes() ? unquote(reader.field(), *unquoted) : reader.field();
      ++n_fields;
    }
    if (found == Found::more) break;
    const bool is_empty = data[begin] == '\n' || data[begin] == '\r';
    if (found != Found::row || n_fields != layout.n_fields || is_empty) return std::nullopt;
    for (std::size_t c = 0; c < row.size(); ++c) rows.columns[c].push_back(row[c]);
    rows.lines.push_back(rows.n_lines);
    rows.n_bytes = reader.at();
    rows.n_lines = reader.n_lines();
  }
  if (valid_utf8_prefix(data.substr(0, rows.n_bytes)) != rows.n_bytes) return std::nullopt;
  rows.unquoted = unquoted;
  return rows;
}

}  // namespace wordplane
