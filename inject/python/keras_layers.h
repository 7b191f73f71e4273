#pragma once

#include <cstddef>

#include "inject/python/cpython.h"

namespace xsp::guest {

/// Calls of Keras' layers outside of a graph: the outermost one is the call of a model, those inside are its layers.
/// While a function is traced (tf.function, predict, fit, jax.jit) layers are called too, but compute nothing: such
/// calls are not recorded.
///   use_keras(Layer, backend, is_eager, is_traced)     the last two: functions that tell it, or None
///   use_arrays(type, name, is_method)                  see ArrayType
bool add_keras_functions(PyObject* globals);

/// Copies the name of a layer, such as "conv2d_1". False for what is none, or has none.
bool keras_layer_name(PyObject* object, char* to, size_t bytes);

}  // namespace xsp::guest
