// Why a model is not read.
#pragma once

#include <stdexcept>
#include <string>

namespace wordplane {

// The content of a file is not what it should be.
struct Refused : std::invalid_argument {
  using std::invalid_argument::invalid_argument;
};

// The content may be right, but this library cannot predict with it.
struct Unsupported : std::invalid_argument {
  using std::invalid_argument::invalid_argument;
};

[[noreturn]] inline void refuse(const std::string& what) {
  throw Refused("not a usable model: " + what);
}

inline void refuse_unless(bool holds, const char* what) {
  if (!holds) refuse(what);
}

inline void refuse_unsupported(bool found, const std::string& what) {
  if (found) throw Unsupported("libwordplane does not read models with " + what + "; use Python");
}

}  // namespace wordplane
