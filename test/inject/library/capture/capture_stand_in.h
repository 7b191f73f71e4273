#pragma once

#include <string>

#include "inject/library/call.h"

namespace xsp::test {

/// The text for an id that xsp_text returned in this test; empty for 0.
std::string text_of(uint32_t id);

/// Texts passed to notify.
const std::string& notices();

/// Replaces a function of the called library by a stand-in, until it is replaced by null.
void replace_function(const std::string& name, void* function);

/// A call of a library that was loaded with dlopen: captures find its functions by name.
xsp_call call_of(void* library);

/// Opens the first of the names that exists; null, with a warning, if none does.
void* open_library(const char* const* names);

/// Reads the captured values one after another.
class ValueReader {
 public:
  explicit ValueReader(const xsp_values& values) : bytes_(values.bytes), length_(values.length) {}
  template <typename Value>
  Value next() {
    Value value{};
    if (at_ + sizeof value <= length_) memcpy(&value, bytes_ + at_, sizeof value);
    at_ += sizeof value;
    return value;
  }
  bool at_end() const { return at_ == length_; }

 private:
  const uint8_t* bytes_;
  size_t length_;
  size_t at_ = 0;
};

void* symbol_of(void* library, const char* name);  // null fails the test

template <typename Function>
Function* function_of(void* library, const char* name) {
  return reinterpret_cast<Function*>(symbol_of(library, name));
}

}  // namespace xsp::test
