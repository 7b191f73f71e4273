# ONNX Runtime: runs as model spans. Part of bootstrap.py's namespace.

KIND_ORT_RUN = 5
LEVEL_MODEL = 2
# Where the shapes of a run's inputs are: InputPlace of inject/python/feed_shapes.h.
FEED, VALUE_FEED, BINDING, NOWHERE = range(4)


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


def remember_bound_shapes(binding_class):
    """Each way to bind an input tells its shape, but for one whose shape ONNX Runtime knows itself."""

    def remembered(method, position, name, is_shape=False):
        bind = getattr(binding_class, method, None)
        if bind is None:
            return

        def wrapper(*arguments, **keywords):
            result = bind(*arguments, **keywords)
            keep_bound_shape(arguments, keywords, position, name, is_shape)
            return result

        keep_looks(wrapper, bind)
        setattr(binding_class, method, wrapper)

    remembered("bind_cpu_input", 2, "arr_on_cpu")
    remembered("bind_ortvalue_input", 2, "ortvalue")
    remembered("bind_input", 5, "shape", True)
    clear = getattr(binding_class, "clear_binding_inputs", None)
    if clear is not None:

        def clear_binding_inputs(self):
            self.__dict__.pop("_xsp_shapes", None)
            return clear(self)

        keep_looks(clear_binding_inputs, clear)
        binding_class.clear_binding_inputs = clear_binding_inputs


def time_ort_runs(base):
    """What a run costs is in call_run (inject/python/session_runs.h): a wrapper does nothing but call it."""

    def recorded(run, inputs):
        def wrapper(*arguments, **keywords):
            return call_run(run, inputs, arguments, keywords)

        keep_looks(wrapper, run)
        return wrapper

    use_sessions(remembered_name)
    for method, inputs in (
        ("run", FEED),
        ("run_with_ort_values", VALUE_FEED),
        ("run_with_iobinding", BINDING),
        ("run_with_ortvaluevector", NOWHERE),
    ):
        run = getattr(base, method, None)
        if run is not None:
            setattr(base, method, recorded(run, inputs))


def time_async_runs(base):
    """A span from the call to the callback, in the thread that the callback is called in."""
    run = getattr(base, "run_async", None)
    if run is None:
        return

    def run_async(self, output_names, input_feed, callback, user_data, run_options=None):
        state = self.__dict__
        name = remembered_name(self)
        shapes = feed_shapes(input_feed)
        profile = state.get("_xsp_profile")
        if profile is not None:
            profile.enter_run()

        def end(failed):
            scope = state.get("_xsp_scope", "")
            record_span(begin, name, "InferenceSession", KIND_ORT_RUN, LEVEL_MODEL, shapes, scope, failed, call)
            if profile is not None:
                profile.leave_run(self)

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
