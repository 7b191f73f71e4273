"""What a program of Keras on TensorFlow may do with its layers, and ask of them: saving, loading, copying, introspection,
subclasses, gradients, errors, XLA. Prints what came out. Writes into the current folder.
"""
import copy
import inspect
import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
os.environ["CUDA_VISIBLE_DEVICES"] = ""
import numpy as np
import tensorflow as tf

keras = tf.keras
layers = keras.layers
keras.utils.set_random_seed(1)


class Block(layers.Layer):
    def __init__(self, units, **options):
        super().__init__(**options)
        self.units = units
        self.dense = layers.Dense(units)

    def call(self, x):
        return tf.nn.relu(self.dense(x))

    def get_config(self):
        return dict(super().get_config(), units=self.units)


class OwnCall(layers.Dense):
    def __call__(self, *arguments, **keywords):
        return super().__call__(*arguments, **keywords)


def total(output):
    return float(np.asarray(output).sum()).hex()


inputs = keras.Input((8,))
net = keras.Model(inputs, layers.Dense(3)(Block(4)(inputs)), name="net")
x = np.random.RandomState(0).rand(2, 8).astype("float32")
print("call", total(net(x)))
net.save("net.keras")
loaded = keras.models.load_model("net.keras", custom_objects={"Block": Block})
print("loaded", total(loaded(x)))
tf.saved_model.save(net, "saved")
signature = tf.saved_model.load("saved").signatures["serving_default"]
print("signature", sorted(total(output) for output in signature(tf.constant(x)).values()))
print("cloned", len(keras.models.clone_model(net, clone_function=lambda one: one.__class__.from_config(one.get_config())).layers))
call = layers.Layer.__call__
print("function", inspect.signature(call), call.__name__, call.__qualname__, call.__module__, inspect.getsource(call)[:200])
print("copied", type(copy.deepcopy(layers.Dense(3))).__name__)
print("own call", total(OwnCall(2, kernel_initializer="ones")(x)))
with tf.GradientTape() as tape:
    loss = tf.reduce_sum(net(x) ** 2)
print("gradients", [total(gradient) for gradient in tape.gradient(loss, net.trainable_variables)])
try:
    net(np.zeros((2, 9), "float32"))
except ValueError as error:
    print("error", error)
print("compiled", total(tf.function(lambda y: net(y), jit_compile=True)(x)))
