"""pytest runs tests that packages bring with them, and tests of a model: fixtures, assertions that fail, warnings, patches.
needs: torch pytest numpy networkx sklearn
"""
import re
import subprocess
import sys
from pathlib import Path

TESTS = '''
import warnings
from unittest import mock

import pytest
import torch
from torch import nn


@pytest.fixture
def model():
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2)).eval()


@pytest.mark.parametrize("batch", [1, 2, 5])
def test_shape(model, batch):
    assert model(torch.zeros(batch, 4)).shape == (batch, 2)


def test_that_fails(model):
    assert model(torch.ones(1, 4)).sum().item() == 7


def test_raises(model):
    with pytest.raises(RuntimeError, match="shapes cannot be multiplied"):
        model(torch.ones(1, 5))


def test_is_called(model):
    with mock.patch.object(nn.Linear, "forward", autospec=True, side_effect=lambda self, x: x) as forward:
        model(torch.ones(1, 4))
    assert [call.args[0] for call in forward.call_args_list] == [model[0], model[2]]


def test_call_is_replaced(model, monkeypatch):
    calls = []
    plain = nn.Module.__call__
    monkeypatch.setattr(nn.Module, "__call__", lambda self, *a, **k: calls.append(type(self).__name__) or plain(self, *a, **k))
    model(torch.ones(1, 4))
    assert calls == ["Sequential", "Linear", "ReLU", "Linear"]


def test_no_warning(model):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        torch.testing.assert_close(model(torch.ones(3, 4)), model(torch.ones(3, 4)))


def test_warns():
    with pytest.warns(UserWarning, match="Using a target size"):
        nn.MSELoss()(torch.ones(1, 2), torch.ones(2, 2))


def test_prints(model, capfd):
    print(model)
    assert capfd.readouterr().out.count("Linear") == 2
'''


def pytest(*arguments):
    done = subprocess.run([sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--color=no", *arguments],
                          capture_output=True, text=True)
    text = re.sub(r"in [0-9.]+s( \([0-9:]+\))?", "in (a time)", done.stdout)
    print(done.returncode, re.sub(r"0x[0-9a-f]+", "(an address)", text), done.stderr)


Path("test_model.py").write_text(TESTS)
pytest("test_model.py", "-rA")
pytest("--pyargs", "numpy.linalg.tests.test_linalg", "-k", "TestSolve or TestInv or TestEig or TestSVD or TestQR")
pytest("--pyargs", "networkx.algorithms.tests.test_dag", "networkx.classes.tests.test_graph")
pytest("--pyargs", "sklearn.linear_model.tests.test_ridge", "-k", "test_ridge_regression and not sparse", "--maxfail=5")
print("models", {"Sequential": 9, "MSELoss": 1})
