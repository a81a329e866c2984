// What is done to a text before its words are compared: lower case, no accents, and one name for
// all web addresses, for all mentions of users, for all numbers.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "text/word_finder.h"

namespace wordplane {

struct Folding {
  bool lowercase = true;
  bool accents = false;                                  // strip them
  bool urls = false, mentions = false, numbers = false;  // replace them by <url> ...

  bool has_names() const { return urls || mentions || numbers; }
};

// Replaces `out` by the text in lower case and without accents, as far as `folding` says so.
void fold(std::string_view text, const Folding& folding, std::string& out);

// By byte of the folded text: the character that it comes from.
std::vector<Span> fold_origins(std::string_view text, const Folding& folding);

// What is replaced by a name.
struct Named {
  Span span;
  std::string_view name;  // 16 bytes from its start can be read
};

//   <url>      from http:// https:// ftp:// or www. to white space, < > or ", without the
//              punctuation marks at its end
//   <mention>  @ and letters, digits and underscores, not after one of them
//   <number>   digits, with one of . , : / - between two of them, that are no part of a word
void find_named(std::string_view text, const Folding& folding, std::vector<Named>& found);

// Puts blanks in their places.
void blank_named(const std::vector<Named>& found, std::string& text);

}  // namespace wordplane
