"""DataLoader with workers by fork, spawn and forkserver, persistent ones, one that fails; models inside the workers, too.
needs: torch
processes: 5
"""
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset, IterableDataset, get_worker_info

ENCODED = 6


class Samples(Dataset):
    def __len__(self):
        return 12

    def __getitem__(self, i):
        return torch.randn(8, generator=torch.Generator().manual_seed(i)), i % 3


class Encoded(IterableDataset):
    """A model in each worker."""

    def __iter__(self):
        torch.manual_seed(0)
        encoder = nn.Sequential(nn.Linear(8, 4), nn.Tanh()).eval()
        with torch.no_grad():
            for i in range(get_worker_info().id, ENCODED, get_worker_info().num_workers):
                yield encoder(torch.full((8,), float(i)))


class Failing(Samples):
    def __getitem__(self, i):
        raise RuntimeError(f"sample {i} cannot be read")


def main():
    torch.manual_seed(0)
    torch.set_num_threads(1)
    model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 3))
    calls = 0
    for method, workers in (("fork", 2), ("spawn", 1), ("forkserver", 1)):
        loader = DataLoader(Samples(), batch_size=4, num_workers=workers, multiprocessing_context=method, persistent_workers=True)
        for epoch in range(2):
            for samples, classes in loader:
                loss = nn.functional.cross_entropy(model(samples), classes)
                loss.backward()
                calls += 1
                print(method, epoch, loss.item(), classes.tolist())
        encoded = torch.stack(list(DataLoader(Encoded(), batch_size=None, num_workers=workers, multiprocessing_context=method)))
        print(method, tuple(encoded.shape), encoded.double().sum().item())
    try:
        list(DataLoader(Failing(), num_workers=1))
    except RuntimeError as error:
        print(type(error).__name__, str(error).strip().splitlines()[-1])
    print("models", {"Sequential": calls + 3 * ENCODED})


if __name__ == "__main__":
    main()
