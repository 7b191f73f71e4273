# ONNX Runtime: the sessions' own profiles, which are handed to the collector. Part of bootstrap.py's namespace.

# How many runs of a session have nodes where model calls are sampled: its profile cannot be begun again.
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

    def leave_run(self, owner):
        """Behind a run of `owner`; whether the profile has ended. Where model calls are sampled it does after a few: it goes
        on for every run, and none may cost what it does."""
        self.open_runs.pop()
        if self.runs_left is None:
            return False
        self.runs_left -= 1
        if self.runs_left > 0 or self.is_ending:
            return False
        self.is_ending = True
        try:
            if self.open_runs:
                return False
            self.runs_left = None
            self.close()
            self.forget(owner)
            return True
        except Exception as error:
            tell(WARNING, "onnxruntime", f"a session's profile could not be ended ({type(error).__name__}: {error})")
            return False
        finally:
            self.is_ending = False

    def forget(self, owner):
        """It has ended: further runs of `owner` need no look at it."""
        if owner.__dict__.get("_xsp_profile") is self:
            del owner.__dict__["_xsp_profile"]

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
    """CLOCK_REALTIME - CLOCK_MONOTONIC in nanoseconds. Another thread may get the interpreter between two readings, for
    milliseconds: of a few attempts the one that took least time counts."""
    import time

    attempts = []
    for _ in range(5):
        before, real, after = time.monotonic_ns(), time.time_ns(), time.monotonic_ns()
        attempts.append((after - before, real - (before + after) // 2))
    return min(attempts)[1]


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
            profile.forget(self)
            profile.hand_over_copy(path)
        return path

    base.end_profiling = end_profiling


def close_in_multiprocessing_child():
    """A multiprocessing child ends with os._exit: atexit handlers do not run there, its finalizers do."""
    util = sys.modules.get("multiprocessing.util")
    if util is not None:
        util.Finalize(None, close_ort_profiles, exitpriority=0)
