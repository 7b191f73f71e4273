# Runs inside the profiled interpreter, in a namespace of its own, when a watched module is first imported. Compiled into
# libxsp_inject.so with the frameworks' hooks behind it (bootstrap_source in inject/python/meson.build), which share its namespace
# and add to HOOKS. The names that none of them defines are C functions: add_function() in inject/python. Nothing here may
# raise into the program or print; what fails is told through tell(), once.
import sys

INFO = 0
WARNING = 1

HOOKS = {}  # module name -> function of the imported module
PREPARATIONS = {}  # module name -> function called before its import


def expect_import(name):
    """Has hook(module) called once the import of `name`, which is just beginning, is complete."""
    hook = HOOKS.get(name)
    if hook is not None and name not in sys.modules and may_record():
        if name in PREPARATIONS:
            PREPARATIONS[name]()
        sys.meta_path.insert(0, OneImport(name, hook))


class OneImport:
    """A finder that is there for one import only: it steps aside when asked, and lets the others find the module."""

    def __init__(self, name, hook):
        self.name = name
        self.hook = hook

    def find_spec(self, name, path=None, target=None):
        if name != self.name:
            return None
        try:
            sys.meta_path.remove(self)
        except ValueError:
            return None
        for finder in list(sys.meta_path):
            find = getattr(finder, "find_spec", None)
            spec = find(name, path, target) if find is not None else None
            if spec is not None:
                self.hook_after_execution(spec)
                return spec
        return None

    def hook_after_execution(self, spec):
        loader = spec.loader
        execute = getattr(loader, "exec_module", None)
        if execute is None:
            tell(WARNING, self.name, "its loader is not one that XSP can hook")
            return

        def exec_module(module):
            del loader.exec_module
            execute(module)
            try:
                self.hook(module)
            except Exception as error:
                tell(WARNING, self.name, f"could not be hooked ({type(error).__name__}: {error})")

        try:
            loader.exec_module = exec_module
        except Exception as error:
            tell(WARNING, self.name, f"could not be hooked ({type(error).__name__}: {error})")
