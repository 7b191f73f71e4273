/* pair_program CASE FOLDER: reaches libpair in one of the ways that programs do, and prints what it got. Linked to
 * none. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char* folder;

static void* open_library(const char* name, int flags) {
  char path[4096];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  void* library = dlopen(path, flags);
  if (library == NULL) {
    printf("%s\n", dlerror());
    exit(9);
  }
  return library;
}

typedef int (*sum_function)(int, int);

static sum_function sum_in(void* library, const char* name) { return (sum_function)dlsym(library, name); }

static const char* error_text(void) {
  const char* text = dlerror();
  return text != NULL ? text : "no error";
}

static void looks_up(void) {
  void* library = open_library("libpair.so.1", RTLD_NOW | RTLD_LOCAL);
  sum_function sum = sum_in(library, "pair_sum");
  printf("%d %s\n", sum(1, 2), error_text());
  printf("%d %s\n", sum_in(library, "pair_sum") == sum, error_text());
}

static void looks_up_by_version(void) {
  void* library = open_library("libpair.so.2", RTLD_NOW | RTLD_LOCAL);
  sum_function sum = (sum_function)dlvsym(library, "pair_sum", "libpair.so.2");
  printf("%d %s\n", sum(1, 2), error_text());
  printf("%d ", dlvsym(library, "pair_sum", "libpair.so.7") == NULL);
  printf("%s\n", error_text());
}

static void looks_up_two_copies(void) {
  void* first = open_library("libpair.so.1", RTLD_NOW | RTLD_LOCAL);
  void* second = open_library("libpair.so.2", RTLD_NOW | RTLD_LOCAL);
  printf("%d\n", sum_in(first, "pair_sum")(1, 2));
  printf("%d\n", sum_in(second, "pair_sum")(1, 2));
  printf("%d\n", sum_in(first, "pair_sum")(3, 4));
}

static void plugins_of_two_versions(void) {
  void* first = open_library("libpair_user1.so", RTLD_NOW | RTLD_LOCAL);
  void* second = open_library("libpair_user2.so", RTLD_NOW | RTLD_LOCAL);
  for (int i = 0; i < 3; ++i) {
    printf("%d\n", sum_in(first, "use_pair")(i, 2));
    printf("%d\n", sum_in(second, "use_pair")(i, 2));
  }
}

static void looks_up_what_is_missing(void) {
  printf("%d ", dlsym(RTLD_DEFAULT, "pair_sum") == NULL);
  printf("%s\n", error_text());
  printf("%d ", dlvsym(RTLD_DEFAULT, "pair_sum", "libpair.so.1") == NULL);
  printf("%s\n", error_text());
  printf("%d ", dlsym(dlopen(NULL, RTLD_LAZY), "pair_sum") == NULL);
  printf("%s\n", error_text());
  printf("%d ", dlsym(RTLD_NEXT, "no_such_name") == NULL);
  printf("%s\n", error_text());
  void* library = open_library("libpair.so.1", RTLD_NOW | RTLD_LOCAL);
  printf("%d ", dlsym(library, "pair_product") == NULL);
  printf("%s\n", error_text());
  printf("%s\n", error_text());
  void* plugin = open_library("libpair_lookup.so", RTLD_NOW | RTLD_LOCAL);
  ((void (*)(void))dlsym(plugin, "look_up_default"))();
}

static void error_survives_a_call(void) {
  void* plugin = open_library("libpair_user1.so", RTLD_NOW | RTLD_LOCAL);
  sum_function use = sum_in(plugin, "use_pair");
  dlsym(plugin, "no_such_name");
  printf("%d\n", use(1, 2));
  printf("%s\n", error_text());
  printf("%d\n", use(1, 2));
  printf("%s\n", error_text());
}

static void looks_up_in_own_scope(void) {
  void* plugin = open_library("libpair_user1.so", RTLD_NOW | RTLD_LOCAL);
  ((void (*)(void))dlsym(plugin, "look_up_default"))();
}

static void globally_loaded(void) {
  open_library("libpair.so.1", RTLD_NOW | RTLD_GLOBAL);
  sum_function sum = (sum_function)dlsym(RTLD_DEFAULT, "pair_sum");
  printf("%d %d\n", sum(1, 2), sum == sum_in(dlopen(NULL, RTLD_LAZY), "pair_sum"));
}

/* Opens and closes plugins of both versions, so that each comes to lie where the other was. */
static void opens_and_closes(int rounds) {
  long total = 0;
  for (int i = 0; i < rounds; ++i) {
    void* plugin = open_library(i % 2 ? "libpair_user1.so" : "libpair_user2.so", RTLD_NOW | RTLD_LOCAL);
    total += sum_in(plugin, "use_pair")(i, 1);
    dlclose(plugin);
  }
  printf("%ld\n", total);
}

static long resident_kib(void) {
  long size = 0, resident = 0;
  FILE* file = fopen("/proc/self/statm", "r");
  if (file == NULL || fscanf(file, "%ld %ld", &size, &resident) != 2) exit(8);
  fclose(file);
  return resident * 4;
}

static void closing_takes_no_memory(int rounds) {
  // Also fills the ring that the calls are recorded in, which grows with them.
  opens_and_closes(3000);
  const long before = resident_kib();
  opens_and_closes(rounds);
  const long grown = resident_kib() - before;
  printf("%s\n", grown < 256 ? "no growth" : "grown");
}

static void missing_function(void) {
  sum_function use = sum_in(open_library("libpair_broken_user.so", RTLD_LAZY | RTLD_LOCAL), "use_pair");
  printf("calling\n");
  fflush(stdout);
  printf("%d\n", use(1, 2));
}

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  folder = argv[2];
  setvbuf(stdout, NULL, _IOLBF, 0);
  const char* name = argv[1];
  if (strcmp(name, "looks_up") == 0) looks_up();
  if (strcmp(name, "looks_up_by_version") == 0) looks_up_by_version();
  if (strcmp(name, "looks_up_two_copies") == 0) looks_up_two_copies();
  if (strcmp(name, "plugins_of_two_versions") == 0) plugins_of_two_versions();
  if (strcmp(name, "looks_up_what_is_missing") == 0) looks_up_what_is_missing();
  if (strcmp(name, "error_survives_a_call") == 0) error_survives_a_call();
  if (strcmp(name, "looks_up_in_own_scope") == 0) looks_up_in_own_scope();
  if (strcmp(name, "globally_loaded") == 0) globally_loaded();
  if (strcmp(name, "opens_and_closes") == 0) opens_and_closes(argc > 3 ? atoi(argv[3]) : 100);
  if (strcmp(name, "closing_takes_no_memory") == 0) closing_takes_no_memory(argc > 3 ? atoi(argv[3]) : 2000);
  if (strcmp(name, "missing_function") == 0) missing_function();
  return 0;
}
