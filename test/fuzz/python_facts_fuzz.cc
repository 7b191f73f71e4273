/// Entry for what a program that was named as a Python answers xsp-run --check.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "inject/launch/check/check_frameworks.h"
#include "inject/launch/check/python_facts.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string output =
      std::string(xsp::launch::kFactsMark) + std::string(reinterpret_cast<const char*>(data), size);
  auto facts = xsp::launch::parse_python_facts(output);
  if (!facts) return 0;
  for (auto& [module, framework] : facts->frameworks) {
    // An entry opens no file that its input names.
    framework.libtorch_cpu.clear();
    framework.libc10.clear();
  }
  bool any = false;
  for (const auto& row : xsp::launch::framework_rows(facts->frameworks, &any)) {
    if (row.what.empty()) std::abort();
  }
  return 0;
}
