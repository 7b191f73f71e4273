/// Tracy's client by its C functions, from a shared library that exports them: span_cost_tracy LIBRARY [options]. A
/// Python extension is one too (the library of the interpreter is loaded first, where there is one).

#include <cstdio>

#include <dlfcn.h>
#include <unistd.h>

#include "test/bench/span_cost/span_cost.h"

namespace {

// The ABI of Tracy's C functions, the same in all its versions since 0.8.
struct SourceLocation {
  const char* name;
  const char* function;
  const char* file;
  uint32_t line;
  uint32_t color;
};
struct Zone {
  uint32_t id;
  int32_t active;
};

Zone (*zone_begin)(const SourceLocation*, int);
void (*zone_end)(Zone);
constexpr SourceLocation kHere = {"span", "tracy_zone", __FILE__, __LINE__, 0};

void tracy_zone() { zone_end(zone_begin(&kHere, 1)); }

constexpr int kConnectTries = 1000;

}  // namespace

int main(int argc, char** argv) {
  using namespace xsp::bench;
  if (argc < 2) return 2;
  dlopen("libpython3.11.so.1.0", RTLD_NOW | RTLD_GLOBAL);
  void* library = dlopen(argv[1], RTLD_LAZY | RTLD_LOCAL);
  if (library == nullptr) {
    std::fprintf(stderr, "span_cost_tracy: %s\n", dlerror());
    return 1;
  }
  zone_begin = reinterpret_cast<decltype(zone_begin)>(dlsym(library, "___tracy_emit_zone_begin"));
  zone_end = reinterpret_cast<decltype(zone_end)>(dlsym(library, "___tracy_emit_zone_end"));
  auto* connected = reinterpret_cast<int (*)()>(dlsym(library, "___tracy_connected"));
  if (zone_begin == nullptr || zone_end == nullptr) {
    std::fprintf(stderr, "span_cost_tracy: %s exports no Tracy client\n", argv[1]);
    return 1;
  }
  for (int i = 0; connected != nullptr && connected() == 0; ++i) {
    if (i == kConnectTries) {
      std::fprintf(stderr, "span_cost_tracy: no capture has connected\n");
      _exit(1);  // the client's own end would wait for one
    }
    usleep(10'000);
  }
  return measure(argc - 1, argv + 1, {subject<tracy_zone>("tracy")});
}
