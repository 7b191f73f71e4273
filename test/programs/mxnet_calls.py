"""A small network of MXNet, called five times in the way that the first argument names. Prints the outputs' bytes.

    imperative, hybrid, static   Gluon: as it is, hybridize(), and with static memory
    module       an executor      symbol_block  a network that was exported and read again
    train        Gluon, trained   train_module  a Module, trained
    threads      two networks, each called by a thread of its own, at the same time
    queue        all calls are made before the first is waited for; prints how long the calls took to return, and all
    fork         a network, called by the program and by a child
    error        a call that fails, and one that does not
    profiler     by MXNet's own profiler, of which it prints the operators, by name, of the last call
    names        prints the names and types of the network's layers and the shapes of their outputs, as its symbol has them
"""
import hashlib
import json
import os
import sys
import threading
import time

import numpy as np

import mxnet as mx
from mxnet import autograd, gluon
from mxnet.gluon import nn

CALLS = 5
way = sys.argv[1]


def network(prefix, channels=8):
    net = nn.HybridSequential(prefix=prefix)
    with net.name_scope():
        net.add(nn.Conv2D(channels, 3, strides=2, activation="relu"), nn.BatchNorm(), nn.GlobalAvgPool2D(), nn.Dense(10))
    net.initialize(mx.init.Xavier())
    return net


def say(what, array):
    # In one write: a child writes to the same pipe.
    os.write(1, f"{what} {hashlib.sha256(array.asnumpy().tobytes()).hexdigest()}\n".encode())


mx.random.seed(1)
np.random.seed(1)
images = mx.nd.array(np.random.RandomState(0).rand(4, 3, 32, 32).astype("float32"))
labels = mx.nd.array([1, 2, 3, 4])
net = network("net_")
if way in ("hybrid", "module", "symbol_block", "queue", "error"):
    net.hybridize()
if way == "static":
    net.hybridize(static_alloc=True, static_shape=True)

if way in ("imperative", "hybrid", "static"):
    for _ in range(CALLS):
        say(way, net(images))
elif way in ("module", "symbol_block"):
    net(images).wait_to_read()
    net.export("net")
    if way == "module":
        symbol, arguments, states = mx.model.load_checkpoint("net", 0)
        module = mx.mod.Module(symbol, data_names=["data"], label_names=None)
        module.bind([("data", images.shape)], for_training=False)
        module.set_params(arguments, states)
        for _ in range(CALLS):
            module.forward(mx.io.DataBatch([images]), is_train=False)
            say(way, module.get_outputs()[0])
    else:
        block = gluon.SymbolBlock.imports("net-symbol.json", ["data"], "net-0000.params")
        for _ in range(CALLS):
            say(way, block(images))
elif way == "train":
    trainer = gluon.Trainer(net.collect_params(), "adam")
    loss = gluon.loss.SoftmaxCrossEntropyLoss()
    for _ in range(CALLS):
        with autograd.record():
            value = loss(net(images), labels)
        value.backward()
        trainer.step(4)
        say(way, value)
elif way == "train_module":
    data = mx.sym.var("data")
    layer = mx.sym.FullyConnected(mx.sym.flatten(data), num_hidden=10, name="fc")
    module = mx.mod.Module(mx.sym.SoftmaxOutput(layer, name="softmax"))
    batches = mx.io.NDArrayIter(images, labels, batch_size=4)
    module.fit(batches, num_epoch=CALLS, optimizer="sgd", initializer=mx.init.Xavier(), kvstore=None)
    say(way, module.get_outputs()[0])
elif way == "threads":
    nets = {"first": network("first_"), "second": network("second_", 16)}

    def call(name):
        for _ in range(100):
            output = nets[name](images)
            output.wait_to_read()
        say(name, output)

    for name in nets:
        nets[name](images).wait_to_read()
    threads = [threading.Thread(target=call, args=(name,)) for name in nets]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
elif way == "queue":
    net(images).wait_to_read()
    large = mx.nd.array(np.random.RandomState(0).rand(64, 3, 128, 128).astype("float32"))
    net(large).wait_to_read()
    begin = time.monotonic_ns()
    outputs = [net(large) for _ in range(CALLS)]
    returned = time.monotonic_ns()
    mx.nd.waitall()
    print(json.dumps({"returned_ns": returned - begin, "all_ns": time.monotonic_ns() - begin}))
elif way == "fork":
    say("before", net(images))
    child = os.fork()
    say("child" if child == 0 else "parent", net(images))
    if child == 0:
        os._exit(0)
    os.waitpid(child, 0)
elif way == "error":
    say("before", net(images))
    try:
        net(mx.nd.zeros((1, 5, 8, 8))).wait_to_read()
    except Exception as error:
        print("failed as it should", type(error).__name__)
    say("after", net(images))
elif way == "profiler":
    net(images).wait_to_read()
    mx.profiler.set_config(profile_symbolic=True, profile_imperative=True, filename="profile.json", aggregate_stats=False)
    mx.profiler.set_state("run")
    say(way, net(images))
    mx.profiler.set_state("stop")
    mx.profiler.dump()
    with open("profile.json") as file:
        events = json.load(file)["traceEvents"]
    print(json.dumps(sorted(event["name"] for event in events if event["ph"] == "B")))
elif way == "names":
    symbol = net(mx.sym.var("data")).get_internals()
    operators = {node["name"]: node["op"] for node in json.loads(symbol.tojson())["nodes"] if node["op"] != "null"}
    outputs = symbol.list_outputs()
    _, shapes, _ = symbol.infer_shape(data=images.shape)
    first_shapes = {}
    for output, shape in zip(outputs, shapes):
        name = output.rsplit("_output", 1)[0]
        first_shapes.setdefault(name, list(shape))
    net.hybridize()
    for _ in range(CALLS):
        say(way, net(images))
    print(json.dumps([[name, operator, first_shapes[name]] for name, operator in operators.items()]))
