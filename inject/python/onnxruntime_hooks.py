# ONNX Runtime: what its Python module is hooked by. Part of bootstrap.py's namespace.


def keep_looks(wrapper, function):
    wrapper.__name__ = function.__name__
    wrapper.__doc__ = function.__doc__
    wrapper.__wrapped__ = function


def hook_onnxruntime(module):
    import atexit

    base = getattr(module, "Session", None) or module.InferenceSession
    session_class = module.InferenceSession
    is_known = hasattr(session_class, "_create_inference_session")
    if wants_layers() and is_known and scratch_dir():
        profile_ort_sessions(module, session_class, base)
        atexit.register(close_ort_profiles)
    elif is_known:
        number_ort_sessions(session_class)
        if wants_layers():  # a file that nobody takes would stay for ever
            tell(INFO, "onnxruntime", "runs are recorded, nodes are not: nobody takes the profiles that have them")
    elif wants_layers():
        tell(WARNING, "onnxruntime", "this version's sessions are not known to XSP: runs are recorded, nodes are not")
    if is_known:
        thread_ort_sessions(module, session_class)
    time_ort_runs(base)
    time_async_runs(base)
    if hasattr(module, "IOBinding"):
        remember_bound_shapes(module.IOBinding)


def is_loadable(session):
    """False for a model file that is not there: ONNX Runtime would print that it could not write the profile."""
    import os

    path = getattr(session, "_model_path", None)
    return not path or os.access(path, os.R_OK)


def number_ort_sessions(session_class):
    """Where no nodes are recorded: the same scopes, by which the runs of a leveled set find each other."""
    create = session_class._create_inference_session

    def create_session(self, *arguments, **keywords):
        scope = OrtSessions.new_scope() if is_loadable(self) else None
        try:
            return create(self, *arguments, **keywords)
        finally:
            if scope is not None:
                self.__dict__["_xsp_scope"] = scope

    session_class._create_inference_session = create_session


HOOKS["onnxruntime.capi.onnxruntime_inference_collection"] = hook_onnxruntime
