# ONNX Runtime: runs as model spans, and the sessions' own profiles handed to the collector. Part of bootstrap.py's
# namespace.

KIND_ORT_RUN = 5
LEVEL_MODEL = 2
# Runs of a session that have nodes where model calls are sampled: its profile cannot be begun again.
SAMPLED_PROFILE_RUNS = 20


class OrtSessions:
    """The sessions whose own profile XSP switched on, by their scope (the text that ties nodes to runs)."""

    open = {}
    count = 0

    @classmethod
    def new_scope(cls):
        cls.count += 1
        return f"onnxruntime session {cls.count}"


class OrtProfile:
    """One session's profile: announced when it begins, handed over once, when it is whole. Of a session that dies on its
    own the collector finds the file by its prefix when the process has ended."""

    def __init__(self, scope, session, prefix, keep):
        import os
        import weakref

        self.scope = scope
        self.session = weakref.ref(session, lambda reference: OrtSessions.open.pop(scope, None))
        self.keep = keep
        self.open_runs = []
        self.runs_left = SAMPLED_PROFILE_RUNS if samples_calls() and not keep else None
        self.is_ending = False
        self.process = os.getpid()
        self.start = start_of_profile(session)
        if not keep:
            self.announce(prefix, False)

    def announce(self, path, complete):
        import os

        announce_profile(os.path.abspath(path), self.scope, int(complete), int(self.keep), self.start, realtime_offset())

    def hand_over_copy(self, path):
        """The program's own profile is its to move or remove: the collector gets a link or a copy."""
        import os
        import shutil

        copy = os.path.join(scratch_dir(), f"ort-{os.getpid()}-{self.scope.rsplit(' ', 1)[-1]}-copy.json")
        try:
            os.link(path, copy)
        except OSError:
            shutil.copyfile(path, copy)
        self.keep = False
        self.announce(copy, True)

    def is_idle(self):
        """ONNX Runtime fails a run whose session's profile is ended: those of other threads are waited for, a little."""
        import time

        deadline = time.monotonic() + 0.2
        while self.open_runs and time.monotonic() < deadline:
            time.sleep(0.001)
        return not self.open_runs

    def enter_run(self):
        """Before a run: not while the profile is being ended, which would fail it. One of both sees the other, as Python
        runs one thread at a time."""
        import time

        self.open_runs.append(True)
        while self.is_ending:
            self.open_runs.pop()
            time.sleep(0.0005)
            self.open_runs.append(True)

    def leave_run(self):
        """Behind a run. Where model calls are sampled the profile ends after a few: it goes on for every run, and none may
        cost what it does."""
        self.open_runs.pop()
        if self.runs_left is None:
            return
        self.runs_left -= 1
        if self.runs_left > 0 or self.is_ending:
            return
        self.is_ending = True
        try:
            if not self.open_runs:
                self.runs_left = None
                self.close()
        except Exception as error:
            tell(WARNING, "onnxruntime", f"a session's profile could not be ended ({type(error).__name__}: {error})")
        finally:
            self.is_ending = False

    def close(self):
        """Ends the profile of a live session. A forked child's copy is its parent's to end."""
        import os

        session = self.session()
        if session is None or os.getpid() != self.process or not self.is_idle():
            return
        if OrtSessions.open.pop(self.scope, None) is None:
            return
        self.announce(session.end_profiling(), True)


def realtime_offset():
    """CLOCK_REALTIME - CLOCK_MONOTONIC in nanoseconds."""
    import time

    return time.time_ns() - time.monotonic_ns()


def start_of_profile(session):
    """Zero of the profile's times on CLOCK_REALTIME. Which clock ONNX Runtime reads depends on its standard library."""
    import time

    start = getattr(session, "get_profiling_start_time_ns", 0)
    start = int(start() if callable(start) else start)
    if start == 0:
        return time.time_ns()
    is_monotonic = abs(time.monotonic_ns() - start) < abs(time.time_ns() - start)
    return start + realtime_offset() if is_monotonic else start


def close_ort_profiles():
    for profile in list(OrtSessions.open.values()):
        try:
            profile.close()
        except Exception as error:
            tell(WARNING, "onnxruntime", f"a session's profile could not be ended ({type(error).__name__}: {error})")


def input_shapes(feed):
    """Shapes of the inputs in the form of the trace: "[1,3,224,224];[1,77]"."""
    texts = []
    for value in list(feed.values())[:8]:
        shape = getattr(value, "shape", None)
        if callable(shape):
            shape = shape()
        if shape is not None:
            texts.append("[" + ",".join(str(int(size)) for size in shape) + "]")
    return ";".join(texts)


def bound_shapes(binding):
    """Shapes of what is bound as inputs, as far as the binding was told them."""
    shapes = list(binding.__dict__.get("_xsp_shapes", {}).values())[:8]
    return ";".join("[" + ",".join(map(str, shape)) + "]" for shape in shapes)


def remember_bound_shapes(binding_class):
    """Each way to bind an input tells its shape, but for one whose shape ONNX Runtime knows itself."""

    def remembered(name, shape_of):
        bind = getattr(binding_class, name, None)
        if bind is None:
            return

        def wrapper(self, *arguments, **keywords):
            result = bind(self, *arguments, **keywords)
            try:
                shape = shape_of(*arguments, **keywords)
                self.__dict__.setdefault("_xsp_shapes", {})[arguments[0] if arguments else keywords["name"]] = [
                    int(size) for size in shape
                ]
            except Exception:
                pass
            return result

        keep_looks(wrapper, bind)
        setattr(binding_class, name, wrapper)

    remembered("bind_cpu_input", lambda name, arr_on_cpu: arr_on_cpu.shape)
    remembered("bind_ortvalue_input", lambda name, ortvalue: ortvalue.shape())
    remembered("bind_input", lambda name, device_type, device_id, element_type, shape, buffer_ptr: shape)
    clear = getattr(binding_class, "clear_binding_inputs", None)
    if clear is not None:

        def clear_binding_inputs(self):
            self.__dict__.pop("_xsp_shapes", None)
            return clear(self)

        keep_looks(clear_binding_inputs, clear)
        binding_class.clear_binding_inputs = clear_binding_inputs


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
    time_ort_runs(base)
    time_async_runs(base)
    if hasattr(module, "IOBinding"):
        remember_bound_shapes(module.IOBinding)


def model_name(session):
    """The file's name, else the graph's, else "InferenceSession"."""
    path = getattr(session, "_model_path", None)
    if path:
        return str(path).rsplit("/", 1)[-1]
    try:
        return session.get_modelmeta().graph_name or "InferenceSession"
    except Exception:
        return "InferenceSession"


def remembered_name(session):
    """model_name() of its first run."""
    state = session.__dict__
    name = state.get("_xsp_name")
    if name is None:
        name = state["_xsp_name"] = model_name(session)
    return name


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


def profile_ort_sessions(module, session_class, base):
    create = session_class._create_inference_session

    import _thread

    making = _thread._local()  # .owner: the session that this thread is making
    changing_options = _thread.RLock()
    lock = _thread.allocate_lock()
    threads_making = []

    class SessionFactory:
        """Stands for the extension module while sessions are made: a session's profile is switched on, and off in the
        options again, which are the program's."""

        def __init__(self, extension):
            self.__dict__["extension"] = extension

        def __getattr__(self, name):
            return getattr(self.extension, name)

        def InferenceSession(self, options, *arguments):
            owner = getattr(making, "owner", None)
            if owner is None:
                return self.extension.InferenceSession(options, *arguments)
            # Other threads may be making sessions of the same options.
            with changing_options:
                if options.enable_profiling:
                    session = self.extension.InferenceSession(options, *arguments)
                    remember(owner, session, "", True)
                    return session
                if is_loadable(owner):
                    return self.profiled_session(owner, options, *arguments)
            return self.extension.InferenceSession(options, *arguments)

        def profiled_session(self, owner, options, *arguments):
            import os

            making.prefix_before = prefix_before = options.profile_file_prefix
            scope = OrtSessions.new_scope()
            prefix = os.path.join(scratch_dir(), f"ort-{os.getpid()}-{scope.rsplit(' ', 1)[-1]}")
            options.enable_profiling = True
            options.profile_file_prefix = prefix
            try:
                session = self.extension.InferenceSession(options, *arguments)
            finally:
                options.enable_profiling = False
                options.profile_file_prefix = prefix_before
            remember(owner, session, prefix, False, scope)
            return session

    factory = SessionFactory(module.C)

    def restore_options(owner):
        """The session shows the program a copy of its options; that too says what the program chose."""
        options = owner.__dict__.get("_sess_options")
        if making.prefix_before is not None and options is not None:
            options.enable_profiling = False
            options.profile_file_prefix = making.prefix_before

    def remember(owner, session, prefix, keep, scope=None):
        scope = scope or OrtSessions.new_scope()
        owner.__dict__["_xsp_scope"] = scope
        OrtSessions.open[scope] = profile = OrtProfile(scope, session, prefix, keep)
        owner.__dict__["_xsp_profile"] = profile
        close_in_multiprocessing_child()

    def create_session(self, *arguments, **keywords):
        with lock:
            threads_making.append(True)
            if module.C is not factory:
                factory.__dict__["extension"] = module.C
                module.C = factory
        owner_before = getattr(making, "owner", None)
        making.owner = self
        making.prefix_before = None
        try:
            return create(self, *arguments, **keywords)
        finally:
            restore_options(self)
            making.owner = owner_before
            with lock:
                threads_making.pop()
                if not threads_making:
                    module.C = factory.extension

    session_class._create_inference_session = create_session

    end = base.end_profiling

    def end_profiling(self):
        profile = OrtSessions.open.get(self.__dict__.get("_xsp_scope"))
        if profile is not None and not profile.keep:
            return ""  # the program asked for no profile: ours goes on
        path = end(self)
        if profile is not None and OrtSessions.open.pop(profile.scope, None) is not None:
            profile.hand_over_copy(path)
        return path

    base.end_profiling = end_profiling


def close_in_multiprocessing_child():
    """A multiprocessing child ends with os._exit: atexit handlers do not run there, its finalizers do."""
    util = sys.modules.get("multiprocessing.util")
    if util is not None:
        util.Finalize(None, close_ort_profiles, exitpriority=0)


def time_ort_runs(base):
    def timed(run, feed_of):
        def wrapper(self, *arguments, **keywords):
            state = self.__dict__
            name = remembered_name(self)
            shapes = ""
            try:
                shapes = feed_of(arguments, keywords)
            except Exception:
                pass
            profile = state.get("_xsp_profile")
            if profile is not None:
                profile.enter_run()
            handle = start_span(name, "InferenceSession", KIND_ORT_RUN, LEVEL_MODEL, shapes)
            failed = 1
            try:
                result = run(self, *arguments, **keywords)
                failed = 0
                return result
            finally:
                finish_span(handle, state.get("_xsp_scope", ""), failed)
                if profile is not None:
                    profile.leave_run()

        keep_looks(wrapper, run)
        return wrapper

    def feed(arguments, keywords):
        return input_shapes(keywords["input_feed"] if "input_feed" in keywords else arguments[1])

    def value_feed(arguments, keywords):
        name = "input_dict_ort_values"
        return input_shapes(keywords[name] if name in keywords else arguments[1])

    def bound_feed(arguments, keywords):
        return bound_shapes(keywords["iobinding"] if "iobinding" in keywords else arguments[0])

    def no_feed(arguments, keywords):
        return ""

    for method, feed_of in (
        ("run", feed),
        ("run_with_ort_values", value_feed),
        ("run_with_iobinding", bound_feed),
        ("run_with_ortvaluevector", no_feed),
    ):
        run = getattr(base, method, None)
        if run is not None:
            setattr(base, method, timed(run, feed_of))


def time_async_runs(base):
    """A span from the call to the callback, in the thread that the callback is called in."""
    run = getattr(base, "run_async", None)
    if run is None:
        return

    def run_async(self, output_names, input_feed, callback, user_data, run_options=None):
        state = self.__dict__
        name = remembered_name(self)
        shapes = ""
        try:
            shapes = input_shapes(input_feed)
        except Exception:
            pass
        profile = state.get("_xsp_profile")
        if profile is not None:
            profile.enter_run()

        def end(failed):
            scope = state.get("_xsp_scope", "")
            record_span(begin, name, "InferenceSession", KIND_ORT_RUN, LEVEL_MODEL, shapes, scope, failed, call)
            if profile is not None:
                profile.leave_run()

        def done(results, user_data, error):
            end(1 if error else 0)
            return callback(results, user_data, error)

        call = begin_call()
        begin = time_now()
        try:
            return run(self, output_names, input_feed, done, user_data, run_options)
        except BaseException:
            end(1)
            raise

    keep_looks(run_async, run)
    base.run_async = run_async


HOOKS["onnxruntime.capi.onnxruntime_inference_collection"] = hook_onnxruntime
