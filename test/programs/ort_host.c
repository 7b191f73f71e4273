/* ort_host MODEL INPUT SIZE,SIZE,... WORD...: a program on ONNX Runtime's C API, linked to it, or (ORT_LIBRARY) with
 * the library opened for itself alone. Does what the words say, one after the other, and prints one line for each run.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "ort_c_api.h"

static const Opaque* api;
static const char* model;
static const char* input_name;
static int64_t shape[8];
static size_t rank;
static float* data;
static size_t elements = 1;
static Opaque env, options, run_options, allocator, memory, value, binding;
static Opaque session;

static int check(Opaque status, const char* what) {
  if (status == NULL) return 1;
  printf("%s failed: %s\n", what, ((const char* (*)(Opaque))api[kGetErrorMessage])(status));
  ORT_VOID(api, kReleaseStatus)(status);
  return 0;
}

static void show(const char* what, Opaque output) {
  void* bytes = NULL;
  check(ORT(api, kGetTensorMutableData, (Opaque, void**))(output, &bytes), "data");
  unsigned hash = 2166136261u;
  for (int i = 0; i < 4; ++i) hash = (hash ^ ((unsigned char*)bytes)[i]) * 16777619u;
  printf("%s %08x\n", what, hash);
  ORT_VOID(api, kReleaseValue)(output);
}

static void set_shape(size_t sizes) {
  if (value != NULL) ORT_VOID(api, kReleaseValue)(value);
  check(ORT(api, kCreateTensorWithData, (Opaque, void*, size_t, const int64_t*, size_t, int, Opaque*))(
            memory, data, elements * sizeof *data, shape, sizes, 1, &value),
        "tensor");
}

static const char* output_name(void) {
  static char* name;
  if (name == NULL) {
    check(ORT(api, kSessionGetOutputName, (Opaque, size_t, Opaque, char**))(session, 0, allocator, &name), "name");
  }
  return name;
}

static void* run_once(void* unused) {
  const char* names[] = {output_name()};
  const Opaque inputs[] = {value};
  Opaque output = NULL;
  if (check(ORT(api, kRun,
                (Opaque, Opaque, const char* const*, const Opaque*, size_t, const char* const*, size_t, Opaque*))(
                session, run_options, &input_name, inputs, 1, names, 1, &output),
            "run")) {
    show("run", output);
  }
  return unused;
}

static int compare(const void* a, const void* b) {
  const double difference = *(const double*)a - *(const double*)b;
  return difference < 0 ? -1 : difference > 0;
}

static double microseconds(clockid_t clock) {
  struct timespec time;
  clock_gettime(clock, &time);
  return (double)time.tv_sec * 1e6 + (double)time.tv_nsec / 1e3;
}

/* Medians of a run in microseconds: of the wall clock, and of the processor's time of the calling thread. */
static void time_runs(int times) {
  const char* names[] = {output_name()};
  const Opaque inputs[] = {value};
  double* wall = malloc((size_t)times * sizeof *wall);
  double* own = malloc((size_t)times * sizeof *own);
  for (int i = 0; i < times; ++i) {
    Opaque output = NULL;
    wall[i] = -microseconds(CLOCK_MONOTONIC);
    own[i] = -microseconds(CLOCK_THREAD_CPUTIME_ID);
    check(ORT(api, kRun,
              (Opaque, Opaque, const char* const*, const Opaque*, size_t, const char* const*, size_t, Opaque*))(
              session, run_options, &input_name, inputs, 1, names, 1, &output),
          "run");
    own[i] += microseconds(CLOCK_THREAD_CPUTIME_ID);
    wall[i] += microseconds(CLOCK_MONOTONIC);
    ORT_VOID(api, kReleaseValue)(output);
  }
  qsort(wall, (size_t)times, sizeof *wall, compare);
  qsort(own, (size_t)times, sizeof *own, compare);
  printf("%.1f %.1f\n", wall[times / 2], own[times / 2]);
}

static int finished;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t done = PTHREAD_COND_INITIALIZER;

static void on_done(void* user_data, Opaque* outputs, size_t count, Opaque status) {
  if (user_data != &finished) puts("not my data");
  if (count == 1 && check(status, "asynchronous run")) show("asynchronous run", outputs[0]);
  pthread_mutex_lock(&lock);
  finished = 1;
  pthread_cond_signal(&done);
  pthread_mutex_unlock(&lock);
}

static void run_async(void) {
  const char* names[] = {output_name()};
  const Opaque inputs[] = {value};
  Opaque output = NULL;
  finished = 0;
  if (!check(ORT(api, kRunAsync,
                 (Opaque, Opaque, const char* const*, const Opaque*, size_t, const char* const*, size_t, Opaque*,
                  RunDone, void*))(session, run_options, &input_name, inputs, 1, names, 1, &output, on_done, &finished),
             "asynchronous run")) {
    return;
  }
  pthread_mutex_lock(&lock);
  while (!finished) pthread_cond_wait(&done, &lock);
  pthread_mutex_unlock(&lock);
}

static void run_bound(void) {
  if (binding == NULL) {
    check(ORT(api, kCreateIoBinding, (Opaque, Opaque*))(session, &binding), "binding");
    check(ORT(api, kBindInput, (Opaque, const char*, Opaque))(binding, input_name, value), "bind input");
    check(ORT(api, kBindOutputToDevice, (Opaque, const char*, Opaque))(binding, output_name(), memory), "bind output");
  }
  if (check(ORT(api, kRunWithBinding, (Opaque, Opaque, Opaque))(session, run_options, binding), "bound run")) {
    puts("bound run");
  }
}

static void* read_model(size_t* bytes) {
  FILE* file = fopen(model, "rb");
  fseek(file, 0, SEEK_END);
  *bytes = (size_t)ftell(file);
  rewind(file);
  void* text = malloc(*bytes);
  if (fread(text, 1, *bytes, file) != *bytes) puts("the model cannot be read");
  fclose(file);
  return text;
}

static void create(const char* how) {
  Opaque weights = NULL;
  size_t bytes = 0;
  if (strstr(how, "prepacked") != NULL) {
    check(ORT(api, kCreatePrepackedWeights, (Opaque*))(&weights), "weights");
  }
  Opaque status;
  if (strcmp(how, "create") == 0) {
    status = ORT(api, kCreateSession, (Opaque, const char*, Opaque, Opaque*))(env, model, options, &session);
  } else if (strcmp(how, "create-prepacked") == 0) {
    status = ORT(api, kCreateSessionPrepacked, (Opaque, const char*, Opaque, Opaque, Opaque*))(env, model, options,
                                                                                               weights, &session);
  } else {
    const void* text = read_model(&bytes);
    status = weights == NULL
                 ? ORT(api, kCreateSessionFromArray, (Opaque, const void*, size_t, Opaque, Opaque*))(env, text, bytes,
                                                                                                     options, &session)
                 : ORT(api, kCreateSessionFromArrayPrepacked, (Opaque, const void*, size_t, Opaque, Opaque, Opaque*))(
                       env, text, bytes, options, weights, &session);
  }
  check(status, how);
}

static void end_profile(void) {
  char* path = NULL;
  check(ORT(api, kSessionEndProfiling, (Opaque, Opaque, char**))(session, allocator, &path), "end of profile");
  printf("profile %s\n", path[0] == '\0' ? "none" : "written");
  if (path[0] != '\0') rename(path, "moved.json");
  check(ORT(api, kAllocatorFree, (Opaque, void*))(allocator, path), "free");
}

static void in_threads(void) {
  pthread_t threads[4];
  for (int i = 0; i < 4; ++i) pthread_create(&threads[i], NULL, run_once, NULL);
  for (int i = 0; i < 4; ++i) pthread_join(threads[i], NULL);
}

static void in_child(void) {
  fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    run_once(NULL);
    exit(0);
  }
  waitpid(child, NULL, 0);
}

static void* run_for_ever(void* unused) {
  while (unused == NULL) run_once(NULL);
  return unused;
}

static void start_thread(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, run_for_ever, NULL);
  usleep(50000);
}

static void act(const char* word) {
  int times = 0;
  if (strncmp(word, "create", 6) == 0) {
    create(word);
  } else if (sscanf(word, "run:%d", &times) == 1) {
    while (times-- > 0) run_once(NULL);
  } else if (sscanf(word, "time:%d", &times) == 1) {
    time_runs(times);
  } else if (strcmp(word, "run-async") == 0) {
    run_async();
  } else if (strcmp(word, "run-bound") == 0) {
    run_bound();
  } else if (strcmp(word, "run-bad") == 0) {
    set_shape(0);
    run_once(NULL);
    set_shape(rank);
  } else if (strcmp(word, "run-in-threads") == 0) {
    in_threads();
  } else if (strcmp(word, "run-in-child") == 0) {
    in_child();
  } else if (strcmp(word, "run-for-ever") == 0) {
    start_thread();
  } else if (strcmp(word, "no-options") == 0) {
    options = NULL;
  } else if (strcmp(word, "profile-options") == 0) {
    check(ORT(api, kEnableProfiling, (Opaque, const char*))(options, "user"), "profile");
  } else if (strcmp(word, "no-profile-options") == 0) {
    check(ORT(api, kDisableProfiling, (Opaque))(options), "no profile");
  } else if (strcmp(word, "clone-options") == 0) {
    check(ORT(api, kCloneSessionOptions, (Opaque, Opaque*))(options, &options), "clone");
  } else if (strcmp(word, "run-options") == 0) {
    check(ORT(api, kCreateRunOptions, (Opaque*))(&run_options), "run options");
  } else if (strcmp(word, "profile-runs") == 0) {
    check(ORT(api, kRunOptionsEnableProfiling, (Opaque, const char*))(run_options, "user_run"), "profile of runs");
  } else if (strcmp(word, "end-profile") == 0) {
    end_profile();
  } else if (strcmp(word, "release") == 0) {
    ORT_VOID(api, kReleaseSession)(session);
  } else if (strcmp(word, "wait") == 0) {
    usleep(300000);
  } else if (strcmp(word, "kill") == 0) {
    fflush(stdout);
    kill(getpid(), SIGKILL);
  } else if (strcmp(word, "another-model") == 0) {
    model = "nowhere.onnx";
  } else {
    printf("unknown word %s\n", word);
  }
}

static const ApiBase* api_base(void) {
#ifdef ORT_LINKED
  return OrtGetApiBase();
#else
  void* library = dlopen(getenv("ORT_LIBRARY"), RTLD_NOW | RTLD_LOCAL);
  if (library == NULL) {
    puts(dlerror());
    exit(3);
  }
  return ((const ApiBase* (*)(void))dlsym(library, "OrtGetApiBase"))();
#endif
}

int main(int count, char** words) {
  if (count < 4) return 2;
  const ApiBase* base = api_base();
  const char* api_version = getenv("ORT_HOST_API");
  api = base->GetApi(api_version == NULL ? 16 : (uint32_t)atoi(api_version));
  if (api == NULL) return 4;
  model = words[1];
  input_name = words[2];
  for (char* size = strtok(words[3], ","); size != NULL; size = strtok(NULL, ",")) {
    shape[rank] = atoi(size);
    elements *= (size_t)shape[rank++];
  }
  data = malloc(elements * sizeof *data);
  for (size_t i = 0; i < elements; ++i) data[i] = (float)(i % 7) / 7;
  check(ORT(api, kCreateEnv, (int, const char*, Opaque*))(3, "host", &env), "env");
  check(ORT(api, kCreateSessionOptions, (Opaque*))(&options), "options");
  check(ORT(api, kSetIntraOpNumThreads, (Opaque, int))(options, getenv("ORT_HOST_THREADS") == NULL ? 1 : 2), "threads");
  check(ORT(api, kGetAllocatorWithDefaultOptions, (Opaque*))(&allocator), "allocator");
  check(ORT(api, kCreateCpuMemoryInfo, (int, int, Opaque*))(1, 0, &memory), "memory");
  set_shape(rank);
  for (int i = 4; i < count; ++i) act(words[i]);
  fflush(stdout);
  return 0;
}
