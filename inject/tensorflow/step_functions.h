#pragma once

#include "inject/tensorflow/tensorflow_objects.h"

namespace xsp::guest {

/// Replaces the functions that begin a step, in the tables through which TensorFlow's libraries call each other and
/// themselves: they tell an open call its step. A session that is run by another way than the C API gets its call here.
void hook_steps(const TensorflowObjects& libraries);

}  // namespace xsp::guest
