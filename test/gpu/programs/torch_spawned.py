"""torch_steps.py in two processes of torch.multiprocessing."""
import os
import socket
import sys

import torch.multiprocessing

RANKS = 2


def work():
    import torch_steps  # reads RANK

    torch_steps.main()


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


if __name__ == "__main__":
    os.environ.update(WORLD_SIZE=str(RANKS), MASTER_ADDR="127.0.0.1", MASTER_PORT=str(free_port()))
    context = torch.multiprocessing.get_context("spawn")
    processes = []
    for rank in range(RANKS):
        os.environ["RANK"] = str(rank)
        processes.append(context.Process(target=work))
        processes[-1].start()
    for process in processes:
        process.join()
    sys.exit(max(process.exitcode != 0 for process in processes))
