// Exceptions where nothing can be caught: the host is told what was thrown, and throws in its turn,
// which leaves WebAssembly. Afterwards the instance must not be used again.
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <exception>

extern "C" {

// Does not return.
__attribute__((import_module("host"), import_name("throw"))) void host_throw(const char* text,
                                                                             std::size_t size);

void* __cxa_allocate_exception(std::size_t size) { return std::malloc(size); }

void __cxa_free_exception(void* exception) { std::free(exception); }

// All that the core throws derives from std::exception, as its first base.
[[noreturn]] void __cxa_throw(void* exception, void*, void (*)(void*)) {
  const char* text = static_cast<const std::exception*>(exception)->what();
  host_throw(text, std::strlen(text));
  std::abort();
}
}
