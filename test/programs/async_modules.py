"""Modules whose call returns before it runs: coroutines, generators, asynchronous generators, futures. Prints what the
program can see of what they return, and what comes out."""
import asyncio
import inspect
import sys

import torch
from torch import nn

if "dynamo" in sys.argv:
    import torch._dynamo


class Awaited(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(4, 8)
        self.last = nn.Sequential(nn.ReLU(), nn.Linear(8, 2))

    async def forward(self, x):
        x = self.first(x)
        await asyncio.sleep(0)
        x = self.last(x)
        await asyncio.sleep(0)
        return x


class Passes(nn.Module):
    """No `async def`, but what it returns is a coroutine all the same."""

    def __init__(self, inner):
        super().__init__()
        self.inner = inner

    def forward(self, x):
        return self.inner.forward(x)


class Wraps(Passes):
    def forward(self, x):
        return self.inner(x)


class Yields(nn.Module):
    def __init__(self):
        super().__init__()
        self.step = nn.Linear(4, 4)

    def forward(self, x):
        for _ in range(3):
            x = self.step(x)
            yield x


class YieldsLater(Yields):
    async def forward(self, x):
        for _ in range(2):
            await asyncio.sleep(0)
            x = self.step(x)
            yield x


class Promises(nn.Module):
    def forward(self, x):
        return asyncio.get_running_loop().run_in_executor(None, torch.relu, x)


class Computes(nn.Module):
    """Computes before it returns what runs later: this call did evaluate something."""

    def __init__(self):
        super().__init__()
        self.body = nn.Linear(4, 4)

    def forward(self, x):
        x = self.body(x)
        return (x + i for i in range(2))


def describe(what):
    code = getattr(what, "cr_code", None) or getattr(what, "gi_code", None) or getattr(what, "ag_code", None)
    frame = getattr(what, "cr_frame", None) or getattr(what, "gi_frame", None) or getattr(what, "ag_frame", None)
    print(type(what), inspect.iscoroutine(what), inspect.isgenerator(what), inspect.isasyncgen(what),
          inspect.isawaitable(what), code and code.co_name, frame and frame.f_lineno, sys.getrefcount(what))  # fmt: skip


async def main():
    torch.manual_seed(1)
    x = torch.ones(2, 4)
    awaited, yields, later, promises, computes = Awaited(), Yields(), YieldsLater(), Promises(), Computes()
    passes = Passes(awaited)
    coroutine = awaited(x)
    describe(coroutine)
    print(inspect.getcoroutinestate(coroutine), coroutine.cr_await)
    print((await coroutine).sum().item())
    # Five at a time on one thread: each goes on where another one waits.
    print([y.sum().item() for y in await asyncio.gather(*[awaited(x * i) for i in range(5)])])
    print((await passes(x)).sum().item(), (await Wraps(Wraps(awaited))(x)).sum().item())
    generator = yields(x)
    describe(generator)
    print([y.sum().item() for y in generator])
    describe(later(x))
    print([y.sum().item() async for y in later(x)])
    print((await promises(x)).sum().item())
    never = awaited(x)
    never.close()
    print([y.sum().item() for y in computes(x)])


with torch.no_grad():
    asyncio.run(main())
