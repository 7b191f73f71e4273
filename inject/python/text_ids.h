#pragma once

#include <cstdint>

#include "inject/python/cpython.h"

namespace xsp::guest {

/// String id of a str, remembered by its address for a few that are asked for again and again: names and scopes, and no
/// texts that are made for each call. 0 for what is no str, and when the guest is off. The GIL is held.
uint32_t text_id(PyObject* text);

}  // namespace xsp::guest
