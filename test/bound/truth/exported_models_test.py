#!/usr/bin/env python3
"""Models that PyTorch, torchvision and scikit-learn export have the shapes that ONNX Runtime finds, and each of their layers
with work can be measured:

    PYTHON exported_models_test.py XSP_BOUND

where PYTHON has torch, torchvision, onnx, onnxruntime, scikit-learn and skl2onnx; skipped where one is missing.
"""
import importlib.util
import os
import pathlib
import subprocess
import sys
import tempfile
import warnings

NEEDED = ("torch", "torchvision", "onnx", "onnxruntime", "sklearn", "skl2onnx")
VISION = {"resnet50": 224, "mobilenet_v2": 224, "googlenet": 224, "inception_v3": 299, "squeezenet1_1": 224, "densenet121": 224,
          "efficientnet_b0": 224, "shufflenet_v2_x1_0": 224, "vit_b_32": 224, "swin_t": 224}


def export_vision(folder):
    import torch
    import torchvision
    for name, size in VISION.items():
        options = {"init_weights": False} if name in ("googlenet", "inception_v3") else {}
        network = torchvision.models.get_model(name, weights=None, **options).eval()
        torch.onnx.export(network, torch.zeros(2, 3, size, size), f"{folder}/{name}.onnx", opset_version=17, dynamo=False)


def export_encoders(folder):
    import torch
    from torch import nn
    torch.backends.mha.set_fastpath_enabled(False)
    encoder = nn.TransformerEncoder(nn.TransformerEncoderLayer(64, 4, 128, batch_first=True), 2).eval()
    for opset in (14, 17):
        torch.onnx.export(encoder, torch.zeros(2, 24, 64), f"{folder}/encoder_{opset}.onnx", opset_version=opset, dynamo=False,
                          input_names=["x"], dynamic_axes={"x": {0: "batch"}})
    torch.onnx.export(nn.LSTM(16, 32, 2, bidirectional=True).eval(), torch.zeros(7, 3, 16), f"{folder}/lstm.onnx",
                      opset_version=17, dynamo=False)


def export_estimators(folder):
    import numpy
    from skl2onnx import to_onnx
    from sklearn.ensemble import RandomForestClassifier
    from sklearn.linear_model import LogisticRegression
    from sklearn.neural_network import MLPClassifier
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler
    from sklearn.svm import SVC
    values = numpy.random.default_rng(0).standard_normal((60, 5)).astype(numpy.float32)
    classes = (values.sum(axis=1) > 0).astype(int)
    for name, estimator in {"logistic": make_pipeline(StandardScaler(), LogisticRegression()), "svc": SVC(),
                            "forest": RandomForestClassifier(5), "mlp": MLPClassifier((10,), max_iter=20)}.items():
        model = to_onnx(estimator.fit(values, classes), values[:1], options={"zipmap": False}, target_opset=18)
        pathlib.Path(folder, f"sklearn_{name}.onnx").write_bytes(model.SerializeToString())


def main():
    missing = [name for name in NEEDED if importlib.util.find_spec(name) is None]
    if missing:
        print("skipped: no", ", ".join(missing), "(scripts/setup --strangers)")
        sys.exit(77)
    warnings.filterwarnings("ignore")
    with tempfile.TemporaryDirectory() as folder:
        for export in (export_vision, export_encoders, export_estimators):
            export(folder)
        models = sorted(map(str, pathlib.Path(folder).glob("*.onnx")))
        script = os.path.join(os.path.dirname(os.path.abspath(__file__)), "shapes_of_onnxruntime.py")
        done = subprocess.run([sys.executable, script, sys.argv[1], *models], capture_output=True, text=True, check=False)
        print(done.stdout + done.stderr)
        lines = [line for line in done.stdout.splitlines() if " same, 0 wrong, 0 unknown of " in line]
        if done.returncode != 0 or len(lines) != len(models) or len(models) < 12:
            sys.exit(f"{len(lines)} of {len(models)} models have all their shapes")


if __name__ == "__main__":
    main()
