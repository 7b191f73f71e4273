"""ResNet-50 v1 of Keras as a tf.function on one thread. Arguments: batch size, calls."""
import os
import sys

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
os.environ["CUDA_VISIBLE_DEVICES"] = ""
import numpy as np
import tensorflow as tf

batch, calls = (int(argument) for argument in sys.argv[1:3])
tf.config.threading.set_inter_op_parallelism_threads(1)
tf.config.threading.set_intra_op_parallelism_threads(1)
net = tf.keras.applications.ResNet50(weights=None)


@tf.function
def resnet50(images):
    return net(images, training=False)


images = tf.constant(np.random.RandomState(0).rand(batch, 224, 224, 3).astype("float32"))
for _ in range(calls):
    resnet50(images).numpy()
