"""torchvision classifies, detects and segments with random weights; transforms, a scripted model, features by torch.fx.
needs: torch torchvision
"""
import torch
import torchvision
from torchvision.models import mobilenet_v3_small, resnet18
from torchvision.models.detection import fasterrcnn_mobilenet_v3_large_320_fpn
from torchvision.models.feature_extraction import create_feature_extractor, get_graph_node_names
from torchvision.models.segmentation import lraspp_mobilenet_v3_large
from torchvision.transforms import v2

torch.manual_seed(0)
torch.set_num_threads(1)
calls = {}


def show(model, *given, name=None):
    with torch.no_grad():
        out = model(*given)
    name = name or type(model).__name__
    calls[name] = calls.get(name, 0) + 1
    return out


def totals(value):
    if isinstance(value, torch.Tensor):
        return [tuple(value.shape), value.double().sum().item()]
    if isinstance(value, dict):
        return {key: totals(one) for key, one in value.items()}
    return [totals(one) for one in value]


prepare = v2.Compose([v2.ToDtype(torch.float32, scale=True), v2.Resize(64, antialias=True), v2.CenterCrop(64),
                      v2.Normalize([0.485, 0.456, 0.406], [0.229, 0.224, 0.225])])
pictures = torch.stack([show(prepare, torch.randint(0, 255, (3, 80, 100), dtype=torch.uint8)) for _ in range(3)])
resnet = resnet18(weights=None, num_classes=10).eval()
for batch in (1, 3):
    print(totals(show(resnet, pictures[:batch])))
print(len(get_graph_node_names(resnet)[0]))
features = create_feature_extractor(resnet, {"layer2": "middle", "avgpool": "end"})
print(totals(show(features, pictures)), type(features).__name__)
scripted = torch.jit.script(mobilenet_v3_small(weights=None, num_classes=10).eval())
print(totals(show(scripted, pictures, name="MobileNetV3")))
detector = fasterrcnn_mobilenet_v3_large_320_fpn(weights=None, weights_backbone=None, num_classes=5, box_detections_per_img=5).eval()
print(totals(show(detector, [pictures[0], pictures[1]])))
detector.train()
target = {"boxes": torch.tensor([[3.0, 4.0, 30.0, 40.0]]), "labels": torch.tensor([2])}
losses = detector([pictures[0]], [target])
calls["FasterRCNN"] += 1
sum(losses.values()).backward()
print({name: loss.item() for name, loss in losses.items()})
print(totals(show(lraspp_mobilenet_v3_large(weights=None, weights_backbone=None, num_classes=3).eval(), pictures)))
print(torchvision.ops.nms(torch.tensor([[0.0, 0, 4, 4], [0, 0, 4, 5]]), torch.tensor([0.3, 0.6]), 0.5))
print("models", calls)
