"""The same through the Python module."""
import xsp

for i in range(10):
    with xsp.span("predict", level="model"):
        for step in ("tokenize", "forward", "decode"):
            with xsp.span(step, level="layer"):
                sum(range(100))
print("10 predictions")
