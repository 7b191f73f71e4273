#!/usr/bin/env python3
"""demo_infer.py MODEL.onnx: classifies ten images, one at a time. A plain ONNX Runtime program: nothing here knows of XSP."""
import sys

import numpy as np
import onnxruntime


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    session = onnxruntime.InferenceSession(sys.argv[1], providers=["CPUExecutionProvider"])
    name = session.get_inputs()[0].name
    for i in range(10):
        image = np.random.default_rng(i).standard_normal((1, 3, 224, 224)).astype(np.float32)
        (probabilities,) = session.run(None, {name: image})
        print(f"image {i}: class {int(probabilities[0].argmax())}")


if __name__ == "__main__":
    main()
