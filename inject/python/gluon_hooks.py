# MXNet: calls of Gluon's blocks. Part of bootstrap.py's namespace.


def hook_gluon(module):
    use_gluon(module.Block, module.Symbol, module.NDArray)


HOOKS["mxnet.gluon.block"] = hook_gluon
