"""ResNet-50 in ONNX Runtime: the leveled set has the model latency of a plain timing loop, and the layer level's overhead
is the difference that the program sees itself."""
from support.timed_levels import check_set
from support.xsp_e2e import ort_python, resnet50_onnx

python = ort_python()
check_set(python, "ort", resnet50_onnx(python), 10)
