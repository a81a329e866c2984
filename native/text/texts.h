// A column of documents: views of valid UTF-8 that someone else owns.
#pragma once

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

struct ArrowArray;
struct ArrowArrayStream;
struct ArrowSchema;

namespace wordplane {

class Texts {
 public:
  Texts() = default;

  // Keeps `owner` alive as long as the views are. Throws std::invalid_argument
  // naming the first row that is not UTF-8.
  Texts(std::vector<std::string_view> rows, std::shared_ptr<const void> owner);

  // The same for rows that are known to be UTF-8.
  static Texts from_valid(std::vector<std::string_view> rows, std::shared_ptr<const void> owner);

  // One document per line: "\n" or "\r\n" ends a line, the last one needs no end.
  static Texts from_lines(std::string_view data, std::shared_ptr<const void> owner);

  // The documents of all parts, one after another.
  static Texts join(const std::vector<const Texts*>& parts);

  // Consume an Arrow C stream, or one array, of strings (utf8, large utf8, string view).
  static Texts from_arrow(ArrowArrayStream* stream);
  static Texts from_arrow(ArrowSchema* schema, ArrowArray* array);

  std::size_t size() const { return rows_.size(); }
  std::string_view operator[](std::size_t row) const { return rows_[row]; }

  // Which documents are empty or white space.
  std::vector<std::size_t> blank() const;

  // The end of a run of documents that starts at `begin` and holds about `bytes` bytes.
  std::size_t batch_end(std::size_t begin, std::size_t bytes) const;

  // The documents `rows`, in that order. Throws std::out_of_range.
  Texts take(const std::int64_t* rows, std::size_t n) const;

 private:
  std::vector<std::string_view> rows_;
  std::shared_ptr<const void> owner_;
};

// Runs read(), which reads the document `row`, and names the row in what it refuses.
template <class Read>
decltype(auto) naming_row(std::size_t row, Read&& read) {
  try {
    return read();
  } catch (const std::invalid_argument& error) {
    throw std::invalid_argument("document " + std::to_string(row) + ": " + error.what());
  }
}

}  // namespace wordplane
