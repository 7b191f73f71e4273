// What captures call, without a guest: strings in a vector, functions by dlsym.
#include "test/inject/library/capture/capture_stand_in.h"

#include <dlfcn.h>

#include <map>
#include <string_view>
#include <vector>

#include "inject/record/process.h"
#include "test/catch.h"

namespace {

std::vector<std::string> texts;
std::string noticed;
std::map<std::string, void*> replaced;

}  // namespace

extern "C" uint32_t xsp_text(const char* text, uint64_t length) {
  const std::string wanted(text, length);
  for (size_t i = 0; i < texts.size(); ++i) {
    if (texts[i] == wanted) return static_cast<uint32_t>(i + 1);
  }
  texts.push_back(wanted);
  return static_cast<uint32_t>(texts.size());
}

extern "C" void* xsp_sibling_function(const xsp_call* call, const char* name, xsp_sibling* /*cache*/) {
  const auto found = replaced.find(name);
  return found != replaced.end() ? found->second : dlsym(call->real, name);
}

namespace xsp::guest {

void notify(uint32_t /*severity*/, std::string_view component, std::string_view text) {
  noticed.append(component).append(": ").append(text).append("\n");
}

}  // namespace xsp::guest

namespace xsp::test {

std::string text_of(uint32_t id) { return id == 0 || id > texts.size() ? "" : texts[id - 1]; }

const std::string& notices() { return noticed; }

void replace_function(const std::string& name, void* function) {
  if (function == nullptr) {
    replaced.erase(name);
  } else {
    replaced[name] = function;
  }
}

xsp_call call_of(void* library) {
  xsp_call call{};
  call.real = library;
  return call;
}

void* open_library(const char* const* names) {
  for (const char* const* name = names; *name != nullptr; ++name) {
    if (void* library = dlopen(*name, RTLD_NOW | RTLD_LOCAL)) return library;
  }
  WARN("skipped: no " << names[0] << " here");
  return nullptr;
}

void* symbol_of(void* library, const char* name) {
  void* symbol = dlsym(library, name);
  INFO(name);
  REQUIRE(symbol != nullptr);
  return symbol;
}

}  // namespace xsp::test
