"""Matrix products of PyTorch on one thread; prints checksums of their exact bits."""
import hashlib

import torch

torch.manual_seed(0)
torch.set_num_threads(1)


def show(name, result):
    values = torch.view_as_real(result) if result.is_complex() else result
    print(name, hashlib.sha256(values.contiguous().numpy().tobytes()).hexdigest()[:16])


def matrix(*sizes, dtype=torch.float32):
    return torch.randn(*sizes, dtype=dtype)


with torch.no_grad():
    show("mm", torch.mm(matrix(37, 41), matrix(41, 43)))
    show("mm, second transposed", torch.mm(matrix(37, 41), matrix(43, 41).t()))
    show("mm, first transposed", torch.mm(matrix(41, 37).t(), matrix(41, 43)))
    show("mm, float64", torch.mm(matrix(31, 29, dtype=torch.float64), matrix(29, 23, dtype=torch.float64)))
    show("mm, complex64", torch.mm(matrix(31, 29, dtype=torch.complex64), matrix(29, 23, dtype=torch.complex64)))
    show("addmm", torch.addmm(matrix(19, 17), matrix(19, 13), matrix(13, 17), beta=0.5, alpha=2))
    show("Linear", torch.nn.Linear(64, 48)(matrix(32, 64)))
    show("bmm", torch.bmm(matrix(5, 24, 22), matrix(5, 22, 26)))
    show("mv", torch.mv(matrix(51, 53), matrix(53)))
    show("dot", torch.dot(matrix(1000), matrix(1000)))
