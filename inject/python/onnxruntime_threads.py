# ONNX Runtime: sessions with the numbers of threads that were advised. Part of bootstrap.py's namespace.


class AdvisedOptions:
    """The program's options while a session is made of them: afterwards they say what the program chose, and so does the
    copy of them that the session shows."""

    def __init__(self, module, owner, intra, inter):
        self.owner = owner
        self.given = owner._sess_options
        self.options = self.given if self.given is not None else module.C.SessionOptions()
        self.advised = {}
        if not getattr(self.options, "use_per_session_threads", True):
            return
        if intra:
            self.advised["intra_op_num_threads"] = intra
        if inter:
            self.advised["inter_op_num_threads"] = inter
        if inter > 1:
            self.advised["execution_mode"] = module.C.ExecutionMode.ORT_PARALLEL
        self.chosen = {name: getattr(self.options, name) for name in self.advised}

    def set_all(self, options, values):
        for name, value in values.items():
            setattr(options, name, value)

    def __enter__(self):
        if self.advised:
            self.owner._sess_options = self.options
            self.set_all(self.options, self.advised)
        return self

    def __exit__(self, kind, error, traceback):
        if not self.advised:
            return
        self.set_all(self.options, self.chosen)
        shown = self.owner._sess_options
        if shown is not self.options:
            self.set_all(shown, self.chosen)
            tell_threaded_session()
        elif self.given is None:
            self.owner._sess_options = None


def thread_ort_sessions(module, session_class):
    import _thread

    threads = session_threads()
    intra, inter = threads & 0xFFFF, threads >> 16
    if not threads:
        return
    create = session_class._create_inference_session
    # Other threads may be making sessions of the same options.
    changing_options = _thread.RLock()

    def create_session(self, *arguments, **keywords):
        with changing_options:
            advised = options_of(self)
            if advised is None:
                return create(self, *arguments, **keywords)
            with advised:
                return create(self, *arguments, **keywords)

    def options_of(owner):
        try:
            return AdvisedOptions(module, owner, intra, inter)
        except Exception as error:
            tell(WARNING, "onnxruntime", f"sessions keep their threads ({type(error).__name__}: {error})")
            return None

    session_class._create_inference_session = create_session
