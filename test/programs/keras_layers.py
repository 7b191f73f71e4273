"""A network of Keras with a block of its own, called five times outside of any graph, then by predict, and by a function of
TensorFlow where that is the backend. Prints the outputs' bytes.
"""
import hashlib
import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
os.environ["CUDA_VISIBLE_DEVICES"] = ""
import keras
import numpy as np

keras.utils.set_random_seed(1)
layers = keras.layers


class Block(layers.Layer):
    def __init__(self, channels, **options):
        super().__init__(**options)
        self.conv = layers.Conv2D(channels, 3, padding="same", name="conv")
        self.norm = layers.BatchNormalization(name="norm")

    def call(self, x):
        return self.norm(self.conv(x))


def say(what, output):
    array = output if isinstance(output, np.ndarray) else keras.ops.convert_to_numpy(output)
    print(what, hashlib.sha256(np.asarray(array).tobytes()).hexdigest(), flush=True)


inputs = keras.Input((16, 16, 3))
hidden = Block(8, name="block1")(inputs)
hidden = Block(8, name="block2")(hidden)
hidden = layers.GlobalAveragePooling2D(name="pool")(hidden)
net = keras.Model(inputs, layers.Dense(10, name="dense")(hidden), name="net")
images = np.random.RandomState(0).rand(4, 16, 16, 3).astype("float32")
backend = keras.backend.backend()
if backend == "tensorflow":
    import tensorflow

    arrays = tensorflow.constant(images)
else:
    arrays = keras.ops.convert_to_tensor(images)
for _ in range(5):
    output = net(arrays)
if backend == "tensorflow":
    say("call", output.numpy())
    function = tensorflow.function(lambda x: net(x, training=False))
    say("function", function(arrays).numpy())
else:
    say("call", output)
say("predict", net.predict(images, verbose=0))
