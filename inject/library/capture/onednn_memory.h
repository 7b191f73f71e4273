#pragma once

#include "inject/library/call.h"
#include "inject/library/capture/text_writer.h"

namespace xsp::guest {

/// Appends a memory descriptor of oneDNN 2 or 3 as type, sizes and layout in oneDNN's notation of tags:
/// "f32[1,64,56,56] aBcd16b" without the space; a layout without a tag is named by its kind ("any", "opaque"). False
/// when it cannot be read.
bool add_memory(const xsp_call* call, int major, const void* memory, TextWriter* text);

}  // namespace xsp::guest
