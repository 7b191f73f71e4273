/* A stand-in for libonnxruntime.so.1: its table with the slots where every version has them, and profiles as it writes
 * them. A model is a text file, a node a line: NAME OPERATOR PROVIDER MICROSECONDS. Does as FAKE_ORT asks, words
 * separated by blanks: version=1.31.0   what it says that it is; from 1.25 on runs can be profiled short-table      no
 * function in the slot of Run two-tables       versions up to 20 have a table of their own torn-profile     profiles
 * end in the middle of a node   slow-enabling    enabling a profile takes 5 ms   tell-threads    says on standard error
 * with which threads each session is made */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "../programs/ort_c_api.h"

#define EXPORT __attribute__((visibility("default")))

typedef struct {
  char name[64];
  char op[32];
  char provider[64];
  long microseconds;
} Node;

typedef struct {
  char* text;
  size_t length;
  char path[1100];
  uint64_t start;
  int on;
} Profile;

typedef struct {
  int profiling;
  char prefix[1024];
  int intra;
  int inter;
  int mode;
  int shares;
} Options;

typedef struct {
  Node nodes[64];
  int node_count;
  int in_memory;
  Profile profile;
  pthread_mutex_t lock;
} Session;

typedef struct {
  int64_t dimensions[8];
  size_t rank;
} Value;

typedef struct {
  char message[200];
} Error;

static const char* asked(const char* word) {
  const char* asked_for = getenv("FAKE_ORT");
  const char* at = asked_for == NULL ? NULL : strstr(asked_for, word);
  return at == NULL ? NULL : at + strlen(word);
}

static const char* version(void) {
  static char text[32] = "1.22.0";
  const char* at = asked("version=");
  if (at != NULL) sscanf(at, "%31s", text);
  return text;
}

static uint64_t clock_ns(clockid_t clock) {
  struct timespec t;
  clock_gettime(clock, &t);
  return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static Opaque failed(const char* message) {
  Error* error = malloc(sizeof *error);
  snprintf(error->message, sizeof error->message, "%s", message);
  return error;
}

static const char* get_error_message(Opaque status) { return ((Error*)status)->message; }
static void release(Opaque object) { free(object); }

static void begin_profile(Profile* profile, const char* prefix) {
  const uint64_t start = clock_ns(CLOCK_REALTIME);
  profile->on = 1;
  profile->start = start;
  profile->text = strdup("[\n");
  profile->length = strlen(profile->text);
  snprintf(profile->path, sizeof profile->path, "%s_2026-01-02_03-04-05_%03d.json", prefix,
           (int)(start / 1000000 % 1000));
  FILE* file = fopen(profile->path, "w");
  if (file != NULL) fclose(file);
}

static void add_event(Profile* profile, const char* category, const char* name, uint64_t begin, uint64_t end,
                      const char* arguments) {
  char text[1024];
  const int length = snprintf(
      text, sizeof text,
      "%s{\"cat\" : \"%s\",\"pid\" :%d,\"tid\" :%d,\"dur\" :%llu,\"ts\" :%llu,\"ph\" : \"X\",\"name\" :\"%s\","
      "\"args\" : {%s}}",
      profile->length > 2 ? ",\n" : "", category, (int)getpid(), (int)gettid(),
      (unsigned long long)(end - begin) / 1000, (unsigned long long)(begin - profile->start) / 1000, name, arguments);
  profile->text = realloc(profile->text, profile->length + (size_t)length + 1);
  memcpy(profile->text + profile->length, text, (size_t)length + 1);
  profile->length += (size_t)length;
}

static void end_profile(Profile* profile) {
  if (!profile->on) return;
  profile->on = 0;
  FILE* file = fopen(profile->path, "w");
  if (file != NULL) {
    const int torn = asked("torn-profile") != NULL;
    fwrite(profile->text, 1, torn ? profile->length / 2 : profile->length, file);
    if (!torn) fputs("\n]\n", file);
    fclose(file);
  }
  free(profile->text);
}

static Opaque create_env(int level, const char* id, Opaque* env) {
  (void)level, (void)id;
  *env = malloc(1);
  return NULL;
}

static Opaque create_options(Opaque* options) {
  *options = calloc(1, sizeof(Options));
  return NULL;
}

static Opaque clone_options(const Options* options, Opaque* copy) {
  *copy = memcpy(malloc(sizeof *options), options, sizeof *options);
  return NULL;
}

static Opaque enable_profiling(Options* options, const char* prefix) {
  if (asked("slow-enabling") != NULL) usleep(5000);
  options->profiling = 1;
  snprintf(options->prefix, sizeof options->prefix, "%s", prefix);
  return NULL;
}

static Opaque disable_profiling(Options* options) {
  options->profiling = 0;
  options->prefix[0] = '\0';
  return NULL;
}

static Opaque set_threads(Options* options, int count) {
  options->intra = count;
  return NULL;
}

static Opaque set_inter_threads(Options* options, int count) {
  options->inter = count;
  return NULL;
}

static Opaque set_mode(Options* options, int mode) {
  options->mode = mode;
  return NULL;
}

static Opaque share_threads(Options* options) {
  options->shares = 1;
  return NULL;
}

static Opaque make_session(FILE* model, const Options* options, int in_memory, Opaque* out) {
  Session* session = calloc(1, sizeof *session);
  pthread_mutex_init(&session->lock, NULL);
  session->in_memory = in_memory;
  for (Node* node = session->nodes; session->node_count < 64; ++node, ++session->node_count) {
    if (fscanf(model, "%63s %31s %63s %ld", node->name, node->op, node->provider, &node->microseconds) != 4) break;
  }
  fclose(model);
  if (session->node_count == 0) {
    free(session);
    return failed("the model has no nodes");
  }
  if (options != NULL && options->profiling) begin_profile(&session->profile, options->prefix);
  if (options != NULL && asked("tell-threads") != NULL) {
    fprintf(stderr, "threads %d %d mode %d shared %d\n", options->intra, options->inter, options->mode,
            options->shares);
  }
  *out = session;
  return NULL;
}

static Opaque create_session(Opaque env, const char* path, const Options* options, Opaque* session) {
  (void)env;
  FILE* model = fopen(path, "r");
  return model == NULL ? failed("no such model") : make_session(model, options, 0, session);
}

static Opaque create_from_array(Opaque env, const void* data, size_t bytes, const Options* options, Opaque* session) {
  (void)env;
  return make_session(fmemopen((void*)data, bytes, "r"), options, 1, session);
}

static Opaque create_prepacked(Opaque env, const char* path, const Options* options, Opaque weights, Opaque* session) {
  (void)weights;
  return create_session(env, path, options, session);
}

static Opaque create_array_prepacked(Opaque env, const void* data, size_t bytes, const Options* options, Opaque weights,
                                     Opaque* session) {
  (void)weights;
  return create_from_array(env, data, bytes, options, session);
}

static Opaque create_weights(Opaque* weights) {
  *weights = malloc(1);
  return NULL;
}

static void release_session(Session* session) {
  end_profile(&session->profile);
  free(session);
}

static void spin(uint64_t nanoseconds) {
  const uint64_t begin = clock_ns(CLOCK_REALTIME);
  while (clock_ns(CLOCK_REALTIME) - begin < nanoseconds) {
  }
}

/* One after the other, each as long as the model says. */
static Opaque run_nodes(Session* session, const Options* run_options, const Value* input) {
  if (input != NULL && input->rank == 0) return failed("the input has no dimensions");
  Profile own = {0};
  Profile* profile = &session->profile;
  if (!profile->on && run_options != NULL && run_options->profiling) begin_profile(profile = &own, run_options->prefix);
  const uint64_t run_begin = clock_ns(CLOCK_REALTIME);
  spin(20000);
  for (int i = 0; i < session->node_count; ++i) {
    const Node* node = &session->nodes[i];
    const uint64_t begin = clock_ns(CLOCK_REALTIME);
    spin((uint64_t)node->microseconds * 1000);
    const uint64_t end = clock_ns(CLOCK_REALTIME);
    if (!profile->on) continue;
    char name[100], arguments[300];
    snprintf(name, sizeof name, "%s_kernel_time", node->name);
    snprintf(arguments, sizeof arguments,
             "\"provider\" : \"%s\",\"op_name\" : \"%s\",\"output_size\" : \"%d\","
             "\"output_type_shape\" : [{\"float\":[1,%d]}],\"node_index\" : \"%d\"",
             node->provider, node->op, 4 * (i + 1), i + 1, i);
    pthread_mutex_lock(&session->lock);
    add_event(profile, "Node", name, begin, end, arguments);
    pthread_mutex_unlock(&session->lock);
  }
  spin(20000);
  pthread_mutex_lock(&session->lock);
  if (profile->on) add_event(profile, "Session", "model_run", run_begin, clock_ns(CLOCK_REALTIME), "");
  pthread_mutex_unlock(&session->lock);
  end_profile(&own);
  return NULL;
}

static Opaque run(Session* session, const Options* run_options, const char* const* names, Value* const* inputs,
                  size_t count, const char* const* output_names, size_t output_count, Opaque* outputs) {
  (void)names, (void)output_names;
  Opaque status = run_nodes(session, run_options, count == 0 ? NULL : inputs[0]);
  for (size_t i = 0; status == NULL && i < output_count; ++i) {
    Value* value = calloc(1, sizeof *value);
    value->rank = 1;
    value->dimensions[0] = session->node_count;
    outputs[i] = value;
  }
  return status;
}

typedef struct {
  Session* session;
  const Options* run_options;
  Opaque* outputs;
  size_t output_count;
  RunDone done;
  void* user_data;
} Async;

static void* run_later(void* argument) {
  Async* async = argument;
  Opaque status = run(async->session, async->run_options, NULL, NULL, 0, NULL, async->output_count, async->outputs);
  async->done(async->user_data, async->outputs, async->output_count, status);
  free(async);
  return NULL;
}

static Opaque run_async(Session* session, const Options* run_options, const char* const* names, Value* const* inputs,
                        size_t count, const char* const* output_names, size_t output_count, Opaque* outputs,
                        RunDone done, void* user_data) {
  (void)names, (void)output_names;
  if (count == 0 || inputs[0]->rank == 0) return failed("the input has no dimensions");
  Async* async = malloc(sizeof *async);
  *async = (Async){session, run_options, outputs, output_count, done, user_data};
  pthread_t thread;
  pthread_create(&thread, NULL, run_later, async);
  pthread_detach(thread);
  return NULL;
}

static Opaque run_with_binding(Session* session, const Options* run_options, Opaque binding) {
  (void)binding;
  return run_nodes(session, run_options, NULL);
}

static Opaque create_binding(Opaque session, Opaque* binding) {
  (void)session;
  *binding = malloc(1);
  return NULL;
}

static Opaque bind_input(Opaque binding, const char* name, Opaque value) {
  (void)binding, (void)name, (void)value;
  return NULL;
}

static Opaque output_name(Opaque session, size_t index, Opaque allocator, char** name) {
  (void)session, (void)index, (void)allocator;
  *name = strdup("output");
  return NULL;
}

static Opaque create_tensor(Opaque info, void* data, size_t bytes, const int64_t* shape, size_t rank, int type,
                            Opaque* value) {
  (void)info, (void)data, (void)bytes, (void)type;
  Value* tensor = calloc(1, sizeof *tensor);
  tensor->rank = rank;
  memcpy(tensor->dimensions, shape, rank * sizeof *shape);
  *value = tensor;
  return NULL;
}

static Opaque is_tensor(Opaque value, int* result) {
  *result = value != NULL;
  return NULL;
}

static Opaque get_data(Value* value, void** data) {
  *data = value->dimensions;
  return NULL;
}

static Opaque get_info(const Value* value, Opaque* info) {
  *info = memcpy(malloc(sizeof *value), value, sizeof *value);
  return NULL;
}

static Opaque get_rank(const Value* info, size_t* rank) {
  *rank = info->rank;
  return NULL;
}

static Opaque get_dimensions(const Value* info, int64_t* dimensions, size_t count) {
  memcpy(dimensions, info->dimensions, count * sizeof *dimensions);
  return NULL;
}

static Opaque get_shape_data(const Value* value, int* type, const int64_t** dimensions, size_t* rank) {
  *type = 1;
  *dimensions = value->dimensions;
  *rank = value->rank;
  return NULL;
}

static Opaque memory_info(int allocator, int type, Opaque* info) {
  (void)allocator, (void)type;
  *info = malloc(1);
  return NULL;
}

static Opaque allocate(Opaque allocator, size_t bytes, void** memory) {
  (void)allocator;
  *memory = malloc(bytes);
  return NULL;
}

static Opaque deallocate(Opaque allocator, void* memory) {
  (void)allocator;
  free(memory);
  return NULL;
}

static Opaque default_allocator(Opaque* allocator) {
  static int one;
  *allocator = &one;
  return NULL;
}

static Opaque session_end_profiling(Session* session, Opaque allocator, char** path) {
  (void)allocator;
  *path = strdup(session->profile.on ? session->profile.path : "");
  end_profile(&session->profile);
  return NULL;
}

static Opaque profiling_start(const Session* session, uint64_t* nanoseconds) {
  *nanoseconds = session->profile.start;
  return NULL;
}

static Opaque get_metadata(Opaque session, Opaque* metadata) {
  (void)session;
  *metadata = malloc(1);
  return NULL;
}

static Opaque graph_name(Opaque metadata, Opaque allocator, char** name) {
  (void)metadata, (void)allocator;
  *name = strdup("fake graph");
  return NULL;
}

#define FUNCTIONS                                                                                                   \
  [kGetErrorMessage] = get_error_message, [kCreateEnv] = create_env, [kCreateSession] = create_session,             \
  [kCreateSessionFromArray] = create_from_array, [kCreateSessionOptions] = create_options,                          \
  [kCloneSessionOptions] = clone_options, [kEnableProfiling] = enable_profiling,                                    \
  [kDisableProfiling] = disable_profiling, [kSetIntraOpNumThreads] = set_threads,                                   \
  [kSetInterOpNumThreads] = set_inter_threads, [kSetSessionExecutionMode] = set_mode,                               \
  [kDisablePerSessionThreads] = share_threads, [kSessionGetOutputName] = output_name,                               \
  [kCreateRunOptions] = create_options, [kCreateTensorWithData] = create_tensor, [kIsTensor] = is_tensor,           \
  [kGetTensorMutableData] = get_data, [kGetDimensionsCount] = get_rank, [kGetDimensions] = get_dimensions,          \
  [kGetTensorTypeAndShape] = get_info, [kCreateCpuMemoryInfo] = memory_info, [kAllocatorAlloc] = allocate,          \
  [kAllocatorFree] = deallocate, [kGetAllocatorWithDefaultOptions] = default_allocator, [kReleaseStatus] = release, \
  [kReleaseSession] = release_session, [kReleaseValue] = release, [kReleaseRunOptions] = release,                   \
  [kReleaseTensorTypeAndShapeInfo] = release, [kReleaseSessionOptions] = release,                                   \
  [kSessionEndProfiling] = session_end_profiling, [kSessionGetModelMetadata] = get_metadata,                        \
  [kModelMetadataGetGraphName] = graph_name, [kReleaseModelMetadata] = release

#define LATER_FUNCTIONS                                                                                               \
  [kRunWithBinding] = run_with_binding, [kCreateIoBinding] = create_binding, [kReleaseIoBinding] = release,           \
  [kBindInput] = bind_input, [kBindOutputToDevice] = bind_input, [kSessionGetProfilingStartTimeNs] = profiling_start, \
  [kCreatePrepackedWeights] = create_weights, [kCreateSessionPrepacked] = create_prepacked,                           \
  [kCreateSessionFromArrayPrepacked] = create_array_prepacked, [kRunAsync] = run_async,                               \
  [kGetTensorElementTypeAndShapeDataReference] = get_shape_data, [kRunOptionsEnableProfiling] = enable_profiling,     \
  [kRunOptionsDisableProfiling] = disable_profiling

static const Opaque api[kSlots] = {FUNCTIONS, LATER_FUNCTIONS, [kRun] = run};
static const Opaque early_api[kSlots] = {FUNCTIONS, LATER_FUNCTIONS, [kRun] = run};
static const Opaque short_api[kSlots] = {FUNCTIONS, LATER_FUNCTIONS};

static const Opaque* get_api(uint32_t wanted) {
  unsigned newest = 0;
  sscanf(version(), "%*u.%u", &newest);
  if (wanted == 0 || wanted > newest) {
    fprintf(stderr, "The requested API version [%u] is not available\n", wanted);
    return NULL;
  }
  if (asked("short-table") != NULL) return short_api;
  return asked("two-tables") != NULL && wanted <= 20 ? early_api : api;
}

EXPORT const ApiBase* OrtGetApiBase(void) {
  static const ApiBase base = {get_api, version};
  return &base;
}
