"""ResNet-50 v1 of MXNet's model zoo, hybridized with static memory, on one thread. Arguments: batch size, calls."""
import os
import sys

os.environ.update(OMP_NUM_THREADS="1", MXNET_CPU_WORKER_NTHREADS="1")
import mxnet as mx
import numpy as np
from mxnet.gluon.model_zoo import vision

batch, calls = (int(argument) for argument in sys.argv[1:3])
net = vision.resnet50_v1(pretrained=False)
net.initialize(mx.init.Xavier())
net.hybridize(static_alloc=True, static_shape=True)
images = mx.nd.array(np.random.RandomState(0).rand(batch, 3, 224, 224).astype("float32"))
for _ in range(calls):
    net(images).asnumpy()
