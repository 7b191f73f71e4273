"""A small Keras network, called five times in the way that the first argument names. Prints the outputs' bytes.

    function   a tf.function             session    a frozen graph in a Session
    predict    Keras' predict            call       eager
    fit        two epochs of training    threads    two functions, each called by a thread of its own, at the same time
    fork       a function, called by the program and by a child from before its first call
    compiled   a function that XLA compiles; writes its HLO to hlo.txt
    profiled   the same, and TensorFlow's own profiler from the third call on
    step_stats a session whose last call collects StepStats, written to step_stats.json
"""
import hashlib
import json
import os
import sys
import threading

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
os.environ["CUDA_VISIBLE_DEVICES"] = ""
import numpy as np
import tensorflow as tf

CALLS = 5
way = sys.argv[1]


def network(name, channels):
    layers = tf.keras.layers
    return tf.keras.Sequential([
        tf.keras.Input((32, 32, 3)),
        layers.Conv2D(channels, 3, strides=2, activation="relu", name="conv"),
        layers.BatchNormalization(name="norm"),
        layers.GlobalAveragePooling2D(name="pool"),
        layers.Dense(10, name="dense"),
    ], name=name)  # fmt: skip


def say(what, array):
    # In one write: a child writes to the same pipe.
    os.write(1, f"{what} {hashlib.sha256(np.asarray(array).tobytes()).hexdigest()}\n".encode())


def frozen(model):
    from tensorflow.python.framework.convert_to_constants import convert_variables_to_constants_v2

    def call(x):
        return model(x, training=False)

    concrete = tf.function(call).get_concrete_function(tf.TensorSpec(images.shape))
    function = convert_variables_to_constants_v2(concrete)
    graph = tf.Graph()
    with graph.as_default():
        tf.import_graph_def(function.graph.as_graph_def(), name="")
    return graph, function.inputs[0].name, function.outputs[0].name


# Before TensorFlow has threads: it does not survive a fork later.
child = os.fork() if way == "fork" else None
getattr(tf.keras.utils, "set_random_seed", tf.random.set_seed)(1)  # the first since 2.7
images = np.random.RandomState(0).rand(4, 32, 32, 3).astype("float32")
net = network("net", 8)
if way == "predict":
    for _ in range(CALLS):
        say("predict", net.predict(images, verbose=0))
elif way == "call":
    for _ in range(CALLS):
        say("call", net(images, training=False))
elif way == "fit":
    net.compile("sgd", "sparse_categorical_crossentropy")
    history = net.fit(images, np.zeros(4), batch_size=2, epochs=2, verbose=0)
    print(history.history)
elif way in ("function", "fork"):

    @tf.function
    def infer(x):
        return net(x, training=False)

    x = tf.constant(images)
    for _ in range(CALLS):
        say("child" if child == 0 else way, infer(x))
    if child == 0:
        os._exit(7)
    if child is not None:
        print("status", os.WEXITSTATUS(os.waitpid(child, 0)[1]))
elif way == "threads":
    nets = [network("first", 8), network("second", 16)]

    def function_of(model):
        def infer(x):
            return model(x, training=False)

        infer.__name__ = model.name
        return tf.function(infer)

    functions = [function_of(model) for model in nets]
    x = tf.constant(images)
    expected = [function(x).numpy() for function in functions]
    start = threading.Barrier(2)

    def call(index):
        start.wait()
        for _ in range(100):
            assert (functions[index](x).numpy() == expected[index]).all()

    threads = [threading.Thread(target=call, args=(index,)) for index in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    print("equal")
elif way in ("compiled", "profiled"):

    @tf.function(jit_compile=True)
    def infer(x):
        x = net(x, training=False)
        x = tf.linalg.matmul(x, x, transpose_a=True)
        return tf.while_loop(lambda i, x: i < 3, lambda i, x: (i + 1, tf.linalg.matmul(x, x)), (0, x))[1]

    x = tf.constant(images)
    for call in range(CALLS):
        if way == "profiled" and call == 2:
            tf.profiler.experimental.start("own_profile")
        say(way, infer(x))
    if way == "profiled":
        tf.profiler.experimental.stop()
        say(way, infer(x))
    with open("hlo.txt", "w") as file:
        file.write(infer.experimental_get_compiler_ir(x)("optimized_hlo"))
elif way in ("session", "step_stats"):
    graph, x, y = frozen(net)
    v1 = tf.compat.v1
    with v1.Session(graph=graph) as session:
        for _ in range(CALLS - 1):
            say("session", session.run(y, {x: images}))
        options, metadata = None, None
        if way == "step_stats":
            options = v1.RunOptions(trace_level=v1.RunOptions.SOFTWARE_TRACE)
            metadata = v1.RunMetadata()
        say("session", session.run(y, {x: images}, options, metadata))
    if way == "step_stats":
        nodes = []
        for device in metadata.step_stats.dev_stats:
            for node in device.node_stats:
                shapes = [[d.size for d in output.tensor_description.shape.dim] for output in node.output]
                allocated = sum(r.alloc_bytes for used in node.memory for r in used.allocation_records if r.alloc_bytes > 0)
                total = sum(used.total_bytes for used in node.memory)
                kind = node.timeline_label.partition(" = ")[2].partition("(")[0]
                nodes.append([node.node_name, kind, shapes, max(allocated, total)])
        with open("step_stats.json", "w") as file:
            json.dump(nodes, file)
else:
    sys.exit(f"unknown way {way}")
