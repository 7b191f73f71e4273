#include "inject/python/text_ids.h"

#include "inject/record/process.h"

namespace xsp::guest {
namespace {

constexpr uint64_t kKnownTexts = 1024;

/// The reference keeps any other object from getting the address. A forked child has its parent's ids.
struct KnownText {
  PyObject* text;
  uint32_t id;
};
constinit KnownText known_texts[kKnownTexts] = {};

}  // namespace

uint32_t text_id(PyObject* text) {
  KnownText& known = known_texts[(reinterpret_cast<uintptr_t>(text) >> 4) * 0x9e3779b97f4a7c15 >> 54];
  static_assert(kKnownTexts == 1 << (64 - 54));
  if (known.text == text && known.id != 0) return known.id;
  Py_ssize_t length = 0;
  const char* bytes = python.PyUnicode_AsUTF8AndSize(text, &length);
  if (bytes == nullptr) {
    python.PyErr_Clear();
    return 0;
  }
  const uint32_t id = intern({bytes, static_cast<size_t>(length)});
  if (id == 0) return 0;
  const Owned replaced(known.text);
  python.Py_IncRef(text);
  known = {.text = text, .id = id};
  return id;
}

}  // namespace xsp::guest
