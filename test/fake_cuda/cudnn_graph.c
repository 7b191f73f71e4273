/* libcudnn_graph.so.9: handles and the backend. A plan says of itself what FAKE_CUDA_PLAN has, or a convolution.
 *
 * Heuristics propose the engines below for graphs of a convolution (no groups, no dilation) followed by additions and
 * ReLU, in f32 and two dimensions; their plans compute. Other graphs have no engines. */
#include <stdint.h>

#include "behaviour.h"
#include "driver_launch.h"

#define EXPORT __attribute__((visibility("default")))

enum { kBadParam = 2000, kNotFinalized = 3000, kNotSupported = 3000, kExecutionFailed = 5000 };
enum { kPlanJson = 405, kTypeChar = 24 };

/* Kinds of descriptors. */
enum {
  kPointwise = 0,
  kConvolution = 1,
  kEngine = 2,
  kConfig = 3,
  kHeuristics = 4,
  kPlan = 5,
  kKnob = 7,
  kForward = 10,
  kPointwiseOperation = 13
};

enum { kMostAttributes = 16, kMostElements = 24, kFallbackMode = 2 };

typedef struct {
  int name, count;
  int64_t numbers[kMostElements]; /* also addresses */
} attribute;
typedef struct {
  int type;
  int finalized;
  int attribute_count;
  attribute attributes[kMostAttributes];
} descriptor;
typedef struct {
  void* stream;
} handle_contents;

typedef struct {
  int id, knob_count, note; /* note: -1 for none */
  int knobs[2][2];
  int workspace, plan_status, is_wrong;
} engine;
static const engine kEngines[] = {
    {38, 2, 0, {{2, 8}, {13, 1}}, 1024, 0, 0}, /* tensor cores */
    {38, 2, 0, {{2, 4}, {13, 1}}, 512, 0, 0},
    {70, 0, -1, {{0, 0}}, 0, 0, 0},
    {46, 1, -1, {{2, 3}}, 0, kNotSupported, 0},
    {35, 1, 5, {{2, 5}}, 2048, 0, 0}, /* Winograd */
    {28, 0, -1, {{0, 0}}, 0, 0, 1},
    {0, 0, -1, {{0, 0}}, 0, 0, 0},
};
enum { kEngineCount = sizeof kEngines / sizeof kEngines[0], kFallbackBegin = 5 };

static const char kJson[] =
    "{\"version\":{\"major\":1,\"minor\":0},\"operations\":[{\"type\":\"CONVOLUTION_FORWARD\",\"x\":\"1\",\"w\":\"2\","
    "\"y\":\"3\"}],\"tensors\":{\"1\":{\"dim\":[8,64,56,56],\"data_type\":\"HALF\"}},\"engine\":{\"index\":0}}";

EXPORT int cudnnCreate(handle_contents** handle) {
  *handle = calloc(1, sizeof **handle);
  return behave("cudnnCreate", "%s", "");
}
EXPORT int cudnnDestroy(handle_contents* handle) {
  free(handle);
  return behave("cudnnDestroy", "%s", "");
}
EXPORT int cudnnSetStream(handle_contents* handle, void* stream) {
  handle->stream = stream;
  return 0;
}
EXPORT int cudnnGetStream(handle_contents* handle, void** stream) {
  *stream = handle->stream;
  return 0;
}
EXPORT int cudnnBackendCreateDescriptor(int type, descriptor** created) {
  *created = calloc(1, sizeof **created);
  (*created)->type = type;
  return behave("cudnnBackendCreateDescriptor", "type=%d", type);
}
EXPORT int cudnnBackendDestroyDescriptor(descriptor* destroyed) {
  free(destroyed);
  return behave("cudnnBackendDestroyDescriptor", "%s", "");
}

static const attribute* attribute_of(const descriptor* from, int name) {
  for (int i = 0; from != NULL && i < from->attribute_count; ++i)
    if (from->attributes[i].name == name) return &from->attributes[i];
  return NULL;
}
static int64_t number_of(const descriptor* from, int name, int index) {
  const attribute* found = attribute_of(from, name);
  return found == NULL || index >= found->count ? 0 : found->numbers[index];
}
static const descriptor* part_of(const descriptor* from, int name, int index) {
  return (const descriptor*)(intptr_t)number_of(from, name, index);
}
static void set_number(descriptor* into, int name, int64_t number) {
  if (into->attribute_count == kMostAttributes) return;
  into->attributes[into->attribute_count++] = (attribute){name, 1, {number}};
}

/* Bytes of an element of a type of attribute. */
static size_t size_of(int type) {
  if (type == 2 || type == 24) return 1; /* booleans, characters */
  return type == 0 || type == 3 || type == 5 || type == 6 || type == 15 ? 8 : type == 26 ? 16 : 4;
}

EXPORT int cudnnBackendSetAttribute(descriptor* into, int name, int type, int64_t count, const void* elements) {
  if (into == NULL || into->finalized) return kBadParam;
  const size_t size = size_of(type);
  if (elements == NULL || count < 1 || count > kMostElements || size > 8 || into->attribute_count == kMostAttributes)
    return 0;
  attribute* added = &into->attributes[into->attribute_count++];
  added->name = name;
  added->count = (int)count;
  for (int64_t i = 0; i < count; ++i) memcpy(&added->numbers[i], (const char*)elements + (size_t)i * size, size);
  return 0;
}

/* Of tensors: data type 901, dimensions 902, strides 903, id 906. */
static int is_image(const descriptor* tensor) {
  return tensor != NULL && number_of(tensor, 901, 0) == 0 && attribute_of(tensor, 902) != NULL &&
         attribute_of(tensor, 902)->count == 4;
}

static int can_compute(const descriptor* graph) {
  const attribute* operations = attribute_of(graph, 801);
  if (operations == NULL) return 0;
  for (int i = 0; i < operations->count; ++i) {
    const descriptor* operation = part_of(graph, 801, i);
    const int is_first = i == 0;
    if (is_first != (operation->type == kForward)) return 0;
    if (is_first) {
      const descriptor *x = part_of(operation, 704, 0), *w = part_of(operation, 703, 0);
      const descriptor* form = part_of(operation, 702, 0);
      if (!is_image(x) || !is_image(w) || number_of(x, 902, 1) != number_of(w, 902, 1)) return 0;
      if (number_of(form, 102, 0) != 1 || number_of(form, 102, 1) != 1) return 0;
    } else {
      const int64_t mode = number_of(part_of(operation, 750, 0), 0, 0);
      if (operation->type != kPointwiseOperation || (mode != 0 && mode != 100)) return 0;
    }
  }
  return 1;
}

EXPORT int cudnnBackendFinalize(descriptor* finalized) {
  if (finalized == NULL) return kBadParam;
  if (finalized->type == kHeuristics && !can_compute(part_of(finalized, 201, 0))) return kNotSupported;
  const descriptor* config = finalized->type == kPlan ? part_of(finalized, 401, 0) : NULL;
  if (config != NULL && kEngines[number_of(config, -1, 0)].plan_status != 0)
    return kEngines[number_of(config, -1, 0)].plan_status;
  finalized->finalized = 1;
  return behave("cudnnBackendFinalize", "type=%d", finalized->type);
}

/* Makes the caller's descriptor one of the library's own; -1: the index of its engine, -2 and -3: a knob. */
static void fill(descriptor* into, int64_t index, int64_t knob) {
  into->finalized = 1;
  set_number(into, -1, index);
  if (into->type == kKnob) set_number(into, 600, kEngines[index].knobs[knob][0]);
  if (into->type == kKnob) set_number(into, 601, kEngines[index].knobs[knob][1]);
  if (into->type == kEngine) set_number(into, 1301, kEngines[index].id);
  if (into->type == kEngine && kEngines[index].note >= 0) set_number(into, 1303, kEngines[index].note);
}

static int get_descriptors(const descriptor* from, int name, int64_t requested, int64_t* count, descriptor** elements) {
  const int64_t index = number_of(from, -1, 0);
  const int is_fallback = number_of(from, 200, 0) == kFallbackMode;
  int64_t begin = 0, end = 1;
  if (name == 202) {
    begin = is_fallback ? kFallbackBegin : 0;
    end = is_fallback ? kEngineCount : kFallbackBegin;
  } else if (name == 302) {
    end = kEngines[index].knob_count;
    if (requested == 0) end = 0; /* the real one does not tell their number */
  } else if (name != 301 && name != 300) {
    return kBadParam;
  }
  *count = end - begin;
  for (int64_t i = 0; elements != NULL && i < requested && begin + i < end; ++i) {
    fill(elements[i], name == 202 ? begin + i : index, i);
    if (name == 202) set_number(elements[i], 201, number_of(from, 201, 0));
  }
  return 0;
}

EXPORT int cudnnBackendGetAttribute(descriptor* from, int name, int type, int64_t requested, int64_t* count,
                                    void* elements) {
  if (from == NULL || !from->finalized) return kNotFinalized;
  if (type == 15) return get_descriptors(from, name, requested, count, elements);
  if (from->type == kPlan && name == kPlanJson && type == kTypeChar) {
    const char* text = getenv("FAKE_CUDA_PLAN") != NULL ? getenv("FAKE_CUDA_PLAN") : kJson;
    const int64_t length = (int64_t)strlen(text) + 1;
    if (count != NULL) *count = length;
    if (elements != NULL) memcpy(elements, text, (size_t)(requested < length ? requested : length));
    return behave("cudnnBackendGetAttribute", "name=%d", name);
  }
  const descriptor* config = from->type == kPlan ? part_of(from, 401, 0) : NULL;
  int64_t number = 0;
  int found = config != NULL && name == 402;
  if (found) {
    number = kEngines[number_of(config, -1, 0)].workspace;
  } else if (from->type == kEngine || from->type == kKnob) {
    found = attribute_of(from, name) != NULL;
    number = number_of(from, name, 0);
  }
  if (!found && name != 1303) return kBadParam;
  if (count != NULL) *count = found;
  if (found && elements != NULL && requested > 0) memcpy(elements, &number, size_of(type));
  return 0;
}

/* A tensor with its memory; that of virtual ones is the work's own. */
typedef struct {
  int64_t sizes[4], strides[4];
  float* data;
  int is_virtual;
} tensor;
typedef struct {
  int mode; /* -1: convolution */
  tensor x, b, y;
  int64_t pads[2], strides[2];
} step;
enum { kMostSteps = 8 };
typedef struct {
  int count, is_wrong;
  step steps[kMostSteps];
} work;

static tensor tensor_of(const descriptor* from, const descriptor* pack) {
  tensor made = {{0}, {0}, NULL, 1};
  for (int i = 0; i < 4; ++i) {
    made.sizes[i] = number_of(from, 902, i);
    made.strides[i] = number_of(from, 903, i);
  }
  const attribute* ids = attribute_of(pack, 1000);
  for (int i = 0; ids != NULL && i < ids->count; ++i) {
    if (ids->numbers[i] != number_of(from, 906, 0)) continue;
    made.data = (float*)(intptr_t)number_of(pack, 1001, i);
    made.is_virtual = 0;
  }
  return made;
}

/* Without a place of its own it is that of another position: an operand of size 1 is broadcast. */
static float* at(const tensor* t, int64_t n, int64_t c, int64_t h, int64_t w) {
  const int64_t position[4] = {n, c, h, w};
  int64_t offset = 0;
  for (int i = 0; i < 4; ++i) offset += t->sizes[i] == 1 ? 0 : position[i] * t->strides[i];
  return t->data + offset;
}

static float convolved(const step* s, int64_t n, int64_t k, int64_t h, int64_t w) {
  float sum = 0;
  for (int64_t c = 0; c < s->b.sizes[1]; ++c)
    for (int64_t i = 0; i < s->b.sizes[2]; ++i)
      for (int64_t j = 0; j < s->b.sizes[3]; ++j) {
        const int64_t row = h * s->strides[0] - s->pads[0] + i, column = w * s->strides[1] - s->pads[1] + j;
        if (row < 0 || row >= s->x.sizes[2] || column < 0 || column >= s->x.sizes[3]) continue;
        const tensor* b = &s->b;
        sum += *at(&s->x, n, c, row, column) *
               b->data[k * b->strides[0] + c * b->strides[1] + i * b->strides[2] + j * b->strides[3]];
      }
  return sum;
}

static void run_step(const step* s) {
  for (int64_t n = 0; n < s->y.sizes[0]; ++n)
    for (int64_t c = 0; c < s->y.sizes[1]; ++c)
      for (int64_t h = 0; h < s->y.sizes[2]; ++h)
        for (int64_t w = 0; w < s->y.sizes[3]; ++w) {
          float value;
          if (s->mode == -1) {
            value = convolved(s, n, c, h, w);
          } else if (s->mode == 0) {
            value = *at(&s->x, n, c, h, w) + *at(&s->b, n, c, h, w);
          } else {
            value = *at(&s->x, n, c, h, w) > 0 ? *at(&s->x, n, c, h, w) : 0;
          }
          *at(&s->y, n, c, h, w) = value;
        }
}

static void run_work(void* argument) {
  work* w = argument;
  float* last = NULL;
  for (int i = 0; i < w->count; ++i) {
    step* s = &w->steps[i];
    if (s->x.data == NULL) s->x.data = last;
    if (s->y.is_virtual) s->y.data = calloc((size_t)(s->y.sizes[0] * s->y.sizes[1] * s->y.sizes[2] * s->y.sizes[3]), 4);
    run_step(s);
    free(i > 0 && w->steps[i - 1].y.is_virtual ? last : NULL);
    last = s->y.data;
  }
  if (w->is_wrong) *last += 1;
  free(w);
}

static int compute(const descriptor* config, const descriptor* pack, void* stream) {
  const descriptor* graph = part_of(config, 201, 0);
  const attribute* operations = attribute_of(graph, 801);
  work w = {0, kEngines[number_of(config, -1, 0)].is_wrong, {{0}}};
  if (operations == NULL || operations->count > kMostSteps) return kBadParam;
  for (; w.count < operations->count; ++w.count) {
    const descriptor* operation = part_of(graph, 801, w.count);
    const int is_convolution = operation->type == kForward;
    step* s = &w.steps[w.count];
    s->mode = is_convolution ? -1 : (int)number_of(part_of(operation, 750, 0), 0, 0);
    s->x = tensor_of(part_of(operation, is_convolution ? 704 : 751, 0), pack);
    s->b = tensor_of(part_of(operation, is_convolution ? 703 : 752, 0), pack);
    s->y = tensor_of(part_of(operation, is_convolution ? 705 : 753, 0), pack);
    for (int i = 0; is_convolution && i < 2; ++i) {
      s->pads[i] = number_of(part_of(operation, 702, 0), 105, i);
      s->strides[i] = number_of(part_of(operation, 702, 0), 103, i);
    }
  }
  if (!is_on_device(w.steps[0].x.data, sizeof(float))) return kBadParam;
  work* copy = malloc(sizeof *copy);
  *copy = w;
  compute_on_stream(stream, run_work, copy);
  return 0;
}

EXPORT int cudnnBackendExecute(handle_contents* handle, descriptor* plan, descriptor* variants) {
  const int status = behave("cudnnBackendExecute", "plan=%p", (void*)plan);
  if (plan == NULL || !plan->finalized) return kBadParam;
  if (status != 0) return status;
  if (run_kernel("cudnnBackendExecute", "cudnn_generated_fort_native_conv", 64, 256, handle->stream) != 0)
    return kExecutionFailed;
  const descriptor* config = part_of(plan, 401, 0);
  return config == NULL || attribute_of(config, 201) == NULL ? 0 : compute(config, variants, handle->stream);
}
