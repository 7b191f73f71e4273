# PyTorch: its module calls, and what Dynamo must see of them. Part of bootstrap.py's namespace.


class TorchHooks:
    """Where Module.__call__ is PyTorch's own: global hooks, C functions, or Python ones that Dynamo can see through."""

    handles = []

    @classmethod
    def register(cls, torch, begins, ends):
        for handle in cls.handles:
            handle.remove()
        nn = torch.nn.modules.module
        cls.handles = [nn.register_module_forward_pre_hook(begins)]
        # always_call came before with_kwargs: 2.1 has the one and not the other.
        for options in ({"with_kwargs": True, "always_call": True}, {"always_call": True}, {}):
            try:
                cls.handles.append(nn.register_module_forward_hook(ends, **options))
                break
            except TypeError:
                pass


def hook_torch(torch):
    tracing_state = getattr(torch._C, "_get_tracing_state", None)
    use_torch(torch.Tensor, torch.nn.Parameter, torch.nn.Module, tracing_state)
    is_wrapped = wrap_calls(torch.nn.Module)
    if not is_wrapped or ("torch._dynamo" in sys.modules and not keeps_function() and unwrap_calls()):
        TorchHooks.register(torch, module_begins, module_ends)
    use_operators(is_worker())
    watch_cuda(torch)
    if are_threads_changed():
        keep_threads_of_program(torch)
    pass_by_trace_checks(torch)
    pass_calls_with_type("torch.fx", "Proxy")
    tell_if_hooks_are_removed(torch)
    if "torch._dynamo" in sys.modules:
        hook_dynamo(sys.modules["torch._dynamo"])


def keep_threads_of_program(torch):
    """Inside a call that is computed with another number of threads the program sees and sets its own one."""
    own_get, own_set = torch.get_num_threads, torch.set_num_threads

    def get_num_threads():
        return threads_of_program() or own_get()

    def set_num_threads(*arguments, **keywords):
        leave_threads()
        return own_set(*arguments, **keywords)

    keep_looks(get_num_threads, own_get)
    keep_looks(set_num_threads, own_set)
    torch.get_num_threads, torch.set_num_threads = get_num_threads, set_num_threads


def is_worker():
    """Whether this process is one of multiprocessing's."""
    parent_process = getattr(sys.modules.get("multiprocessing"), "parent_process", None)
    return parent_process is not None and parent_process() is not None


def pass_by_trace_checks(torch):
    """torch.jit.trace calls the model and its trace once more, to compare them."""
    tracer = getattr(torch.jit, "_trace", None)
    check = getattr(tracer, "_check_trace", None)
    if hasattr(check, "__code__"):
        tracer._check_trace = own_calls_of(check)


def pass_calls_with_type(module, name):
    kind = getattr(sys.modules.get(module), name, None)
    if kind is not None:
        pass_calls_with(kind)


def tell_if_hooks_are_removed(torch):
    import atexit

    nn = torch.nn.modules.module

    def look():
        tables = (getattr(nn, "_global_forward_pre_hooks", {}), getattr(nn, "_global_forward_hooks", {}))
        if not all(handle.id in table for handle, table in zip(TorchHooks.handles, tables)):
            tell(WARNING, "torch", "the program removed the global hooks of modules: later calls have no layers")

    atexit.register(look)


def watch_cuda(torch):
    """Lets model calls be timed on their stream, once the program has initialised CUDA through PyTorch."""
    import atexit

    names = ("_cuda_getDevice", "_cuda_getCurrentRawStream", "_cuda_isInBadFork")
    functions = [getattr(torch._C, name, None) for name in names]
    if all(functions) and hasattr(torch, "cuda"):
        use_cuda(vars(torch.cuda), *functions)
        atexit.register(finish_device_times)


def prepare_for_dynamo():
    """Dynamo keeps Module.__call__ while it is imported and compares it later: where it is not PyTorch's own, hooks stand in."""
    torch = sys.modules.get("torch")
    if hasattr(torch, "Tensor") and not keeps_function() and unwrap_calls():
        TorchHooks.register(torch, module_begins, module_ends)


def hook_dynamo(dynamo):
    """Dynamo breaks the graph at a C function it does not know; a Python one that asks is_compiling() folds to nothing."""
    torch = sys.modules["torch"]
    compiler = getattr(torch, "compiler", None)
    is_compiling = getattr(compiler, "is_compiling", None) or dynamo.is_compiling
    begins, ends = module_begins, module_ends

    def module_begins_unless_compiling(*arguments):
        if is_compiling():
            return None
        return begins(*arguments)

    def module_ends_unless_compiling(*arguments):
        if is_compiling():
            return None
        return ends(*arguments)

    pass_calls_with_type("torch._subclasses.fake_tensor", "FakeTensor")
    if keeps_function():
        return
    # PyTorch calls them from frames that Dynamo runs as they are: it would compile them by themselves.
    keep_from_compilation(dynamo, module_begins_unless_compiling, module_ends_unless_compiling, is_compiling)
    TorchHooks.register(torch, module_begins_unless_compiling, module_ends_unless_compiling)
    silence_hook_warning(dynamo, torch.nn.modules.module)


def keep_from_compilation(dynamo, *functions):
    """Frames of these are no frames that Dynamo counts and guards; with one more torch.export of PyTorch 2.1 fails."""
    skip_code = getattr(getattr(dynamo, "eval_frame", None), "skip_code", None)
    for code in [getattr(function, "__code__", None) for function in functions if skip_code is not None]:
        if code is not None:
            skip_code(code)


def silence_hook_warning(dynamo, nn):
    """torch.compile warns of global hooks; of ours there is nothing to warn."""
    if not hasattr(nn, "_has_any_global_hook"):
        return
    kinds = ("forward_pre", "forward", "backward_pre", "backward")
    tables = [getattr(nn, f"_global_{kind}_hooks", {}) for kind in kinds]

    def has_any_hook_of_the_program():
        ours = {handle.id for handle in TorchHooks.handles}
        return any(key not in ours for table in tables for key in table)

    keep_from_compilation(dynamo, has_any_hook_of_the_program)
    nn._has_any_global_hook = has_any_hook_of_the_program


HOOKS["torch"] = hook_torch
HOOKS["torch._dynamo"] = hook_dynamo
PREPARATIONS["torch._dynamo"] = prepare_for_dynamo
