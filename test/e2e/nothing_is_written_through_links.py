"""In a folder that others can write, they put links in the place of every file that XSP writes beside its output: none is
followed, and what it leads to keeps its content. A link at the output's own name is refused if it is somebody else's."""
import os
import stat

from support.xsp_e2e import BUILD, SOURCE, XSP_REPORT, XSP_RUN, check, check_equal, run, work_folder

XSP_IMPORT = BUILD / "import/xsp-import"
program = BUILD / "test/e2e/api_spans"
folder = work_folder()
shared = folder / "shared"
shared.mkdir()
shared.chmod(0o1777)
victim = folder / "victim"
trace = folder / "trace.pb"
check_equal(run(XSP_RUN, "-f", "-o", trace, "--", program).returncode, 0, "a trace")


def is_untouched(what):
    check_equal(victim.read_text(), "precious", f"{what}: what the link leads to")
    check_equal(stat.S_IMODE(victim.stat().st_mode), 0o640, f"{what}: its mode")


NOBODY = 65534


def attack(what, links, *command, owner=None):
    """Runs the command where these links wait. It may fail; what the links lead to stays."""
    victim.write_text("precious")
    victim.chmod(0o640)
    for name in links:
        (shared / name).unlink(missing_ok=True)
        (shared / name).symlink_to(victim)
        if owner is not None:
            os.chown(shared / name, owner, owner, follow_symlinks=False)
    done = run(*command, cwd=shared)
    is_untouched(what)
    for entry in shared.iterdir():
        if entry.is_symlink() or entry.is_file():
            entry.unlink()
    return done


done = attack("xsp-run", ["t.pb.partial"], XSP_RUN, "-o", "t.pb", "--", program)
check(done.returncode in (0, 125), f"xsp-run: {done}")
if os.geteuid() == 0:  # nobody else can make links of another user
    done = attack("xsp-run -f", ["t.pb"], XSP_RUN, "-f", "-o", "t.pb", "--", program, owner=NOBODY)
    check(done.returncode == 125 and b"another user" in done.stderr, f"a link at the output's name: {done.stderr}")
done = attack("a set", ["set.json.partial"], XSP_RUN, "--runs", "2", "-o", ".", "--", program)
seeds = SOURCE / "test/fuzz/seeds"
attack("xsp-import", ["i.pb.partial"], XSP_IMPORT, seeds / "jaeger.json", "-o", "i.pb")
for name, option in (("p.html", ["--format", "html", "-o"]), ("r.json", ["--format", "json", "-o"]), ("r.txt", ["-o"])):
    done = attack(name, [f"{name}.partial"], XSP_REPORT, trace, *option, name)
    check_equal(done.returncode, 0, f"{name} is written beside: {done.stderr}")
    if os.geteuid() == 0:
        done = attack(name, [name], XSP_REPORT, trace, *option, name, owner=NOBODY)
        check(done.returncode == 5 and b"another user" in done.stderr, f"a link at {name}: {done.stderr}")
for export in ("chrome", "perfetto", "speedscope", "folded", "pprof", "otlp", "otlp-json", "sqlite"):
    done = attack(export, ["e.partial", "e.partial-journal", "e.partial-wal"], XSP_REPORT, trace, "--export", f"{export}=e")
    check("unknown" not in done.stderr.decode() and done.returncode in (0, 5), f"{export}: {done}")
