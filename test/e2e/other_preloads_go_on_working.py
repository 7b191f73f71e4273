"""The guest beside other preloaded libraries: jemalloc, mimalloc, and an interposer of malloc, of dlsym and of the calls
that XSP wraps, each before and behind it. The program computes as alone, its calls are recorded, and the other library
goes on seeing its calls."""
import os
import shutil

from support.trace_reader import read_trace
from support.xsp_e2e import BUILD, SOURCE, XSP_RUN, check, check_equal, clean_environment, run, skip, work_folder

ALLOCATORS = ["libjemalloc.so.2", "libmimalloc.so.2.0", "libmimalloc.so.2"]
FOLDERS = ["/usr/lib/x86_64-linux-gnu", "/usr/lib64", "/usr/lib", "/usr/lib/aarch64-linux-gnu"]
INTERPOSER = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
static void* (*real_malloc)(size_t);
static void* (*real_dlsym)(void*, const char*);
static unsigned long mallocs, lookups;
extern void* __libc_malloc(size_t);
void* malloc(size_t size) { __atomic_fetch_add(&mallocs, 1, __ATOMIC_RELAXED); return __libc_malloc(size); }
void* dlsym(void* handle, const char* name) {
  ++lookups;
  if (real_dlsym == NULL) {
    for (const char* const* v = (const char* const[]){"GLIBC_2.34", "GLIBC_2.2.5", "GLIBC_2.17", NULL}; *v && !real_dlsym; ++v)
      real_dlsym = dlvsym(RTLD_NEXT, "dlsym", *v);
    if (real_dlsym == NULL) abort();
  }
  return real_dlsym(handle, name);
}
__attribute__((destructor)) static void tell(void) {
  if (strcmp(program_invocation_short_name, "program") != 0) return;
  FILE* file = fopen("seen", "w");
  if (file == NULL) return;
  fprintf(file, "%lu %lu\n", mallocs, lookups);
  fclose(file);
}
"""
PROGRAM = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <xsp.h>
static void* work(void* argument) {
  unsigned long sum = (unsigned long)argument;
  for (int i = 0; i < 200; ++i) {
    xsp_span span = xsp_start_span(xsp_intern("step"), XSP_LAYER);
    char* block = malloc(100 + 37 * (size_t)i);
    memset(block, i, 100);
    sum += (unsigned char)block[i % 100];
    block = realloc(block, 5000);
    free(block);
    xsp_finish_span(span);
  }
  return (void*)sum;
}
int main(void) {
  unsigned long total = 0;
  pthread_t threads[8];
  for (int round = 0; round < 5; ++round) {
    for (unsigned long i = 0; i < 8; ++i) pthread_create(&threads[i], NULL, work, (void*)i);
    for (int i = 0; i < 8; ++i) { void* sum; pthread_join(threads[i], &sum); total += (unsigned long)sum; }
  }
  double (*cosine)(double) = (double (*)(double))dlsym(RTLD_DEFAULT, "cos");
  void* handle = dlopen("libm.so.6", RTLD_NOW);
  if (cosine == NULL) cosine = (double (*)(double))dlsym(handle, "cos");
  pid_t child = fork();
  if (child == 0) { work(0); _exit(7); }
  int status;
  waitpid(child, &status, 0);
  printf("%lu %.6f %d\n", total, cosine(1.0), WEXITSTATUS(status));
  return 0;
}
"""
if shutil.which("cc") is None:
    skip("no C compiler")
folder = work_folder()
(folder / "interposer.c").write_text(INTERPOSER)
(folder / "program.c").write_text(PROGRAM)

built = run("cc", "-shared", "-fPIC", "-O1", "-o", "interposer.so", "interposer.c", "-ldl")
check_equal(built.returncode, 0, f"cc: {built.stderr.decode()}")
built = run("cc", "-O1", "-fno-builtin", "-o", "program", "program.c", f"-I{SOURCE / 'inject/api'}", f"-L{BUILD / 'inject'}",
            "-lxsp", f"-Wl,-rpath,{BUILD / 'inject'}", "-pthread", "-ldl", "-lm")  # fmt: skip
check_equal(built.returncode, 0, f"cc: {built.stderr.decode()}")

guest = BUILD / "inject/libxsp_inject.so"
alone = run(folder / "program")
check_equal(alone.returncode, 0, f"the program alone: {alone.stderr}")
libraries = [folder / "interposer.so"]
for name in ALLOCATORS:
    found = next((f"{place}/{name}" for place in FOLDERS if os.path.exists(f"{place}/{name}")), None)
    if found:
        libraries.append(found)
print("beside:", ", ".join(os.path.basename(str(library)) for library in libraries))
if len(libraries) == 1:
    print("neither jemalloc nor mimalloc is installed")


def spans_of(trace):
    return sorted(len(process.spans) for process in read_trace(trace).processes.values())


for library in libraries:
    name = os.path.basename(str(library))
    for what, preload in (("behind", str(library)), ("before", f"{library}:{guest}"), ("around", f"{guest}:{library}")):
        (folder / "seen").unlink(missing_ok=True)
        # xsp-run puts the guest first; a user who names it behind another library has it there, too.
        done = run(XSP_RUN, "-f", "-o", "t.pb", "--", "env", f"LD_PRELOAD={preload}" if what != "behind" else "A=b",
                   folder / "program", env=clean_environment(LD_PRELOAD=preload if what == "behind" else ""))  # fmt: skip
        check_equal((done.returncode, done.stdout), (0, alone.stdout), f"{name} {what}: the program; {done.stderr.decode()}")
        check_equal(spans_of("t.pb"), [200, 8000], f"{name} {what}: spans")
        if name == "interposer.so":
            mallocs, lookups = map(int, (folder / "seen").read_text().split())
            check(mallocs >= 8000 and lookups >= 1, f"{what}: it saw {mallocs} allocations and {lookups} lookups")
