// Unpacks what zlib packed (RFC 1950 and 1951).
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace wordplane {

// The `size` bytes that a whole zlib stream unpacks to. Throws Refused if the stream is damaged, is
// followed by anything, or unpacks to another size; never takes more memory than that.
std::string unpack_zlib(std::string_view packed, std::size_t size);

}  // namespace wordplane
