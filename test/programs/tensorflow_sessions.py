"""A small network as a graph of TensorFlow 1, in every version from 1.15 on. A session runs it five times in the way that the first
argument names. Prints the outputs' bytes.

    run       Session.run, the last time with StepStats, which are written to step_stats.json
    callable  Session.make_callable
    predict   Keras' predict in graph mode (1.15)
    fit       two epochs of Keras' training in graph mode (1.15)
    fails     make_callable and Session.run with values that a kernel refuses, then once more with others
"""
import hashlib
import json
import os
import sys

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
os.environ["CUDA_VISIBLE_DEVICES"] = ""
import numpy as np
import tensorflow

tf = tensorflow.compat.v1
tf.logging.set_verbosity(tf.logging.ERROR)
tf.disable_eager_execution()
CALLS = 5
way = sys.argv[1]
images = np.random.RandomState(0).rand(4, 32, 32, 3).astype("float32")


def say(what, array):
    print(what, hashlib.sha256(np.asarray(array).tobytes()).hexdigest(), flush=True)


def weights(name, *sizes):
    return tf.get_variable(name, initializer=np.random.RandomState(1).rand(*sizes).astype("float32"))


def network():
    image = tf.placeholder(tf.float32, (None, 32, 32, 3), name="image")
    scale = tf.placeholder(tf.float32, None, name="scale")
    with tf.name_scope("conv"):
        x = tf.nn.relu(tf.nn.bias_add(tf.nn.conv2d(image, weights("kernel", 3, 3, 3, 8), 2, "SAME"), weights("bias", 8)))
    with tf.name_scope("pool"):
        x = tf.reduce_mean(x, [1, 2])
    with tf.name_scope("dense"):
        x = tf.matmul(x, weights("matrix", 8, 10))
    return image, scale, tf.multiply(x, scale, name="scaled")


def nodes_of(step_stats):
    for device in step_stats.dev_stats:
        for node in device.node_stats:
            shapes = [[d.size for d in output.tensor_description.shape.dim] for output in node.output]
            kind = node.timeline_label.partition(" = ")[2].partition("(")[0]
            allocated = sum(r.alloc_bytes for used in node.memory for r in used.allocation_records if r.alloc_bytes > 0)
            yield node.node_name, kind, shapes, max(allocated, sum(used.total_bytes for used in node.memory))


def keras_network():
    layers = tf.keras.layers
    return tf.keras.Sequential([
        layers.Conv2D(8, 3, strides=2, activation="relu", name="conv", input_shape=(32, 32, 3)),
        layers.GlobalAveragePooling2D(name="pool"),
        layers.Dense(10, name="dense"),
    ])  # fmt: skip


if way in ("predict", "fit"):
    tf.set_random_seed(1)
    net = keras_network()
    if way == "predict":
        for _ in range(CALLS):
            say(way, net.predict(images))
    else:
        net.compile("sgd", "sparse_categorical_crossentropy")
        print(net.fit(images, np.zeros(4), batch_size=2, epochs=2, verbose=0).history)
    sys.exit()

image, scale, y = network()
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    feed = {image: images, scale: np.float32(2)}
    if way == "fails":
        call = session.make_callable(y, [image, scale])
        three = np.ones(3, "float32")
        for run in (lambda: call(images, three), lambda: session.run(y, {image: images, scale: three})):
            try:
                run()
            except tf.errors.InvalidArgumentError as error:
                print(type(error).__name__, len(str(error)) > 0)
        say(way, call(images, np.float32(2)))
    elif way == "callable":
        call = session.make_callable(y, [image, scale])
        for _ in range(CALLS):
            say(way, call(images, np.float32(2)))
    else:
        for _ in range(CALLS - 1):
            say(way, session.run(y, feed))
        metadata = tf.RunMetadata()
        say(way, session.run(y, feed, tf.RunOptions(trace_level=tf.RunOptions.SOFTWARE_TRACE), metadata))
        with open("step_stats.json", "w") as file:
            json.dump(list(nodes_of(metadata.step_stats)), file)
