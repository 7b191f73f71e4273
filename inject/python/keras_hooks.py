# Keras: calls of layers. Part of bootstrap.py's namespace.


def hook_keras(module):
    """Keras 3, on any of its backends."""
    from keras.src import backend
    from keras.src.backend.common.stateless_scope import in_stateless_scope

    name = backend.backend()
    is_eager = None
    if name == "tensorflow":
        is_eager = use_eager_tensors()
    elif name == "jax":
        arrays = sys.modules.get("jax._src.array")
        if hasattr(arrays, "ArrayImpl"):
            use_arrays(arrays.ArrayImpl, "shape", False)
    named = {"tensorflow": "TensorFlow", "torch": "PyTorch", "jax": "JAX"}
    use_keras(module.Layer, named.get(name, name), is_eager, in_stateless_scope)


def hook_keras_of_tensorflow(module):
    """Keras 2, which has no other backend."""
    use_keras(module.Layer, "TensorFlow", use_eager_tensors(), None)


def use_eager_tensors():
    """Returns the function that tells whether the caller is outside of any graph."""
    from tensorflow.python.eager import context
    from tensorflow.python.framework import ops

    use_arrays(ops.EagerTensor, "_shape_tuple", True)
    return context.executing_eagerly


HOOKS["keras.src.layers.layer"] = hook_keras
HOOKS["keras.src.engine.base_layer"] = hook_keras_of_tensorflow
HOOKS["keras.engine.base_layer"] = hook_keras_of_tensorflow
