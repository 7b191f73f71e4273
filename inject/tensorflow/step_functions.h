#pragma once

#include "inject/tensorflow/tensorflow_objects.h"

namespace xsp::guest {

/// Replaces a function that begins a step, if the slot has one: slots are what TensorFlow's libraries call each other
/// and themselves through. It tells an open call its step. A session that is run by another way than the C API gets its
/// call here.
void hook_step(const TensorflowObjects& libraries, const ElfObject& object, const SymbolSlot& slot);

}  // namespace xsp::guest
