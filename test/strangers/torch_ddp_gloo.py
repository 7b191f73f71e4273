"""DistributedDataParallel on gloo in two processes that torchrun starts.
needs: torch
processes: 2
"""
import os
import subprocess
import sys

RANKS, STEPS = 2, 4


def train():
    import torch
    import torch.distributed as dist
    from torch import nn

    torch.set_num_threads(1)
    dist.init_process_group("gloo")
    rank = dist.get_rank()
    torch.manual_seed(0)
    model = nn.parallel.DistributedDataParallel(nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 2)))
    sampler = torch.utils.data.distributed.DistributedSampler(range(STEPS * RANKS), shuffle=True)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    losses = []
    for i in sampler:
        optimizer.zero_grad()
        loss = model(torch.randn(3, 8, generator=torch.Generator().manual_seed(i))).square().mean()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    with model.no_sync():
        model(torch.ones(1, 8)).sum().backward()
    everyones = [None] * RANKS
    dist.all_gather_object(everyones, losses)
    total = torch.tensor([sum(losses)], dtype=torch.float64)
    dist.all_reduce(total)
    if rank == 0:
        print(everyones, total.item(), [p.double().sum().item() for p in model.parameters()], flush=True)
    dist.barrier()
    dist.destroy_process_group()


if "RANK" in os.environ:
    train()
else:
    done = subprocess.run([sys.executable, "-m", "torch.distributed.run", "--standalone", "--local-addr=127.0.0.1",
                           f"--nproc-per-node={RANKS}", __file__])
    print(done.returncode)
    print("models", {"DistributedDataParallel": RANKS * (STEPS + 1)})
