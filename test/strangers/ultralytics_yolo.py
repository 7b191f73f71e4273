"""ultralytics makes YOLO from its description, finds things in pictures.
needs: torch torchvision ultralytics cv2
unclaimed: C2f ClassificationModel Concat Conv Detect SPPF Upsample
"""
import logging

import numpy
import torch
from ultralytics import YOLO

torch.manual_seed(0)
torch.set_num_threads(1)
logging.getLogger("ultralytics").setLevel(logging.ERROR)
pictures = [numpy.random.default_rng(i).integers(0, 255, (64, 96, 3), dtype=numpy.uint8) for i in range(3)]
for name in ("yolov8n.yaml", "yolo11n-cls.yaml"):
    torch.manual_seed(0)
    yolo = YOLO(name)
    for picture in pictures:
        for result in yolo.predict(picture, imgsz=64, conf=0.001, max_det=5, device="cpu", verbose=False):
            print(name, result.boxes.data.tolist() if result.boxes is not None else result.probs.top5)
print("models", {"AutoBackend": 2 * len(pictures), **dict.fromkeys(("Resize", "CenterCrop", "Normalize"), len(pictures))})
