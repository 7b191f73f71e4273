#pragma once

#include <cstdint>

#include "inject/python/cpython.h"

namespace xsp::guest {

/// String id of a str. Some are remembered by their address, for names and scopes that are asked for again and again;
/// not for texts that are made for each call. 0 for other objects, and when the guest is off. The GIL must be held.
uint32_t text_id(PyObject* text);

}  // namespace xsp::guest
