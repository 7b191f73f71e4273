"""asyncio calls models: on the loop, in threads, in an executor of processes, with cancellation and context variables.
needs: torch
processes: 2
"""
import asyncio
import concurrent.futures
import contextvars
import multiprocessing

import torch
from torch import nn

request = contextvars.ContextVar("request", default=None)
TASKS = 12


class Scaled(nn.Module):
    def __init__(self):
        super().__init__()
        self.product = nn.Linear(4, 4)

    def forward(self, x):
        return self.product(x) * (request.get() or 1)


torch.manual_seed(0)
torch.set_num_threads(1)
model = Scaled().eval()


def infer(i):
    with torch.inference_mode():
        return model(torch.full((1, 4), float(i))).sum().item()


async def on_the_loop(i):
    request.set(i)
    await asyncio.sleep(0)
    return infer(i)


async def in_a_thread(i):
    request.set(i)
    return await asyncio.to_thread(infer, i)


async def main():
    print(await asyncio.gather(*map(on_the_loop, range(TASKS))))
    print(await asyncio.gather(*map(in_a_thread, range(TASKS))))
    loop = asyncio.get_running_loop()
    with concurrent.futures.ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("fork")) as pool:
        print(await asyncio.gather(*(loop.run_in_executor(pool, infer, i) for i in range(TASKS))))
    queue, served = asyncio.Queue(), []

    async def serve():
        try:
            while True:
                served.append(infer(await queue.get()))
                queue.task_done()
        except asyncio.CancelledError:
            served.append("cancelled")
            raise

    server = asyncio.create_task(serve())
    for i in range(TASKS):
        queue.put_nowait(i)
    await queue.join()
    server.cancel()
    print((await asyncio.gather(server, return_exceptions=True))[0].__class__.__name__, served)


if __name__ == "__main__":
    asyncio.run(main())
    print("models", {"Scaled": 4 * TASKS})
