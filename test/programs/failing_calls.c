/* To be preloaded: one call of many fails, as if there were no memory, descriptors, threads or space left. What may
 * fail is counted over all functions below in the order of the calls.
 *
 *     FAIL_PROGRAM  only in the program with this short name
 *     FAIL_CALLER   only calls from the loaded object whose path has this part; unset: from any
 *     FAIL_KIND     memory, descriptors or all (the default)
 *     FAIL_NTH      which call fails, from 1
 *     FAIL_FROM     from which call on all fail
 *     FAIL_REPORT   a file to which the first failure of a process is appended: "<number> <function>"
 *
 * Everything is done by system calls of its own, as the functions that would do it are those that fail. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

extern void* __libc_malloc(size_t size);
extern void* __libc_calloc(size_t count, size_t size);
extern void* __libc_realloc(void* memory, size_t size);
extern void* __libc_memalign(size_t alignment, size_t size);

enum Kind { kMemory = 1, kDescriptors = 2 };

static int active;
static int kinds = kMemory | kDescriptors;
static long nth;
static long from;
static long calls;
static uintptr_t caller_begin;
static uintptr_t caller_end = UINTPTR_MAX;
static char report[512];
static int reported;

static int find_caller(struct dl_phdr_info* object, size_t size, void* part) {
  (void)size;
  if (strstr(object->dlpi_name, part) == NULL) return 0;
  caller_begin = UINTPTR_MAX;
  caller_end = 0;
  for (int i = 0; i < object->dlpi_phnum; ++i) {
    if (object->dlpi_phdr[i].p_type != PT_LOAD) continue;
    const uintptr_t begin = object->dlpi_addr + object->dlpi_phdr[i].p_vaddr;
    const uintptr_t end = begin + object->dlpi_phdr[i].p_memsz;
    if (begin < caller_begin) caller_begin = begin;
    if (end > caller_end) caller_end = end;
  }
  return 1;
}

__attribute__((constructor)) static void prepare(void) {
  const char* program = getenv("FAIL_PROGRAM");
  if (program != NULL && strcmp(program, program_invocation_short_name) != 0) return;
  char* caller = getenv("FAIL_CALLER");
  if (caller != NULL && dl_iterate_phdr(find_caller, caller) == 0) return;
  const char* kind = getenv("FAIL_KIND");
  if (kind != NULL && strcmp(kind, "memory") == 0) kinds = kMemory;
  if (kind != NULL && strcmp(kind, "descriptors") == 0) kinds = kDescriptors;
  if (getenv("FAIL_NTH") != NULL) nth = atol(getenv("FAIL_NTH"));
  if (getenv("FAIL_FROM") != NULL) from = atol(getenv("FAIL_FROM"));
  if (getenv("FAIL_REPORT") != NULL) snprintf(report, sizeof report, "%s", getenv("FAIL_REPORT"));
  active = 1;
}

static void tell(long number, const char* function) {
  char line[128];
  if (report[0] == '\0' || __atomic_exchange_n(&reported, 1, __ATOMIC_RELAXED)) return;
  const int length = snprintf(line, sizeof line, "%ld %s\n", number, function);
  const long file = syscall(SYS_openat, AT_FDCWD, report, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  if (file < 0) return;
  syscall(SYS_write, file, line, length);
  syscall(SYS_close, file);
}

static int fails(enum Kind kind, const char* function, const void* caller) {
  if (!active || (kinds & kind) == 0) return 0;
  if ((uintptr_t)caller < caller_begin || (uintptr_t)caller >= caller_end) return 0;
  const long number = __atomic_add_fetch(&calls, 1, __ATOMIC_RELAXED);
  if (number != nth && (from == 0 || number < from)) return 0;
  tell(number, function);
  return 1;
}

/* Returns from the wrapper with `result` when it is to fail. */
#define MAY_FAIL(kind, error, result)                         \
  do {                                                        \
    if (fails(kind, __func__, __builtin_return_address(0))) { \
      errno = error;                                          \
      return result;                                          \
    }                                                         \
  } while (0)

/* The same for those that return the error. */
#define MAY_FAIL_WITH(kind, error)                                        \
  do {                                                                    \
    if (fails(kind, __func__, __builtin_return_address(0))) return error; \
  } while (0)

void* malloc(size_t size) {
  MAY_FAIL(kMemory, ENOMEM, NULL);
  return __libc_malloc(size);
}

void* calloc(size_t count, size_t size) {
  MAY_FAIL(kMemory, ENOMEM, NULL);
  return __libc_calloc(count, size);
}

void* realloc(void* memory, size_t size) {
  MAY_FAIL(kMemory, ENOMEM, NULL);
  return __libc_realloc(memory, size);
}

void* aligned_alloc(size_t alignment, size_t size) {
  MAY_FAIL(kMemory, ENOMEM, NULL);
  return __libc_memalign(alignment, size);
}

void* mmap(void* at, size_t length, int protection, int flags, int file, off_t offset) {
  MAY_FAIL(kMemory, ENOMEM, MAP_FAILED);
  return (void*)syscall(SYS_mmap, at, length, protection, flags, file, offset);
}

void* mmap64(void* at, size_t length, int protection, int flags, int file, off64_t offset) {
  MAY_FAIL(kMemory, ENOMEM, MAP_FAILED);
  return (void*)syscall(SYS_mmap, at, length, protection, flags, file, offset);
}

int madvise(void* at, size_t length, int advice) {
  MAY_FAIL(kMemory, ENOMEM, -1);
  return (int)syscall(SYS_madvise, at, length, advice);
}

int mprotect(void* at, size_t length, int protection) {
  MAY_FAIL(kMemory, ENOMEM, -1);
  return (int)syscall(SYS_mprotect, at, length, protection);
}

int memfd_create(const char* name, unsigned flags) {
  MAY_FAIL(kDescriptors, EMFILE, -1);
  return (int)syscall(SYS_memfd_create, name, flags);
}

int ftruncate(int file, off_t size) {
  MAY_FAIL(kMemory, ENOSPC, -1);
  return (int)syscall(SYS_ftruncate, file, size);
}

int ftruncate64(int file, off64_t size) {
  MAY_FAIL(kMemory, ENOSPC, -1);
  return (int)syscall(SYS_ftruncate, file, size);
}

int fstat(int file, struct stat* status) {
  MAY_FAIL(kDescriptors, EBADF, -1);
  return (int)syscall(SYS_fstat, file, status);
}

int fstat64(int file, struct stat64* status) {
  MAY_FAIL(kDescriptors, EBADF, -1);
  return (int)syscall(SYS_fstat, file, status);
}

int socket(int domain, int type, int protocol) {
  MAY_FAIL(kDescriptors, EMFILE, -1);
  return (int)syscall(SYS_socket, domain, type, protocol);
}

int connect(int file, const struct sockaddr* address, socklen_t length) {
  MAY_FAIL(kDescriptors, EAGAIN, -1);
  return (int)syscall(SYS_connect, file, address, length);
}

int bind(int file, const struct sockaddr* address, socklen_t length) {
  MAY_FAIL(kDescriptors, EADDRINUSE, -1);
  return (int)syscall(SYS_bind, file, address, length);
}

int listen(int file, int backlog) {
  MAY_FAIL(kDescriptors, EADDRINUSE, -1);
  return (int)syscall(SYS_listen, file, backlog);
}

int accept4(int file, struct sockaddr* address, socklen_t* length, int flags) {
  MAY_FAIL(kDescriptors, EMFILE, -1);
  return (int)syscall(SYS_accept4, file, address, length, flags);
}

ssize_t sendmsg(int file, const struct msghdr* message, int flags) {
  MAY_FAIL(kDescriptors, ETOOMANYREFS, -1);
  return syscall(SYS_sendmsg, file, message, flags);
}

ssize_t send(int file, const void* bytes, size_t length, int flags) {
  MAY_FAIL(kDescriptors, ENOBUFS, -1);
  return syscall(SYS_sendto, file, bytes, length, flags, NULL, 0);
}

ssize_t recvmsg(int file, struct msghdr* message, int flags) {
  MAY_FAIL(kDescriptors, ENOMEM, -1);
  return syscall(SYS_recvmsg, file, message, flags);
}

/* Pipes and events of a process's own do not fail. */
static int is_on_disk(int file) {
  struct stat status;
  return syscall(SYS_fstat, file, &status) == 0 && S_ISREG(status.st_mode);
}

ssize_t write(int file, const void* bytes, size_t length) {
  if (is_on_disk(file)) MAY_FAIL(kDescriptors, ENOSPC, -1);
  return syscall(SYS_write, file, bytes, length);
}

ssize_t read(int file, void* bytes, size_t length) {
  if (is_on_disk(file)) MAY_FAIL(kDescriptors, EIO, -1);
  return syscall(SYS_read, file, bytes, length);
}

ssize_t pread64(int file, void* bytes, size_t length, off64_t offset) {
  MAY_FAIL(kDescriptors, EIO, -1);
  return syscall(SYS_pread64, file, bytes, length, offset);
}

int dup(int file) {
  MAY_FAIL(kDescriptors, EMFILE, -1);
  return (int)syscall(SYS_dup, file);
}

int pipe2(int ends[2], int flags) {
  MAY_FAIL(kDescriptors, EMFILE, -1);
  return (int)syscall(SYS_pipe2, ends, flags);
}

int epoll_create1(int flags) {
  MAY_FAIL(kDescriptors, EMFILE, -1);
  return (int)syscall(SYS_epoll_create1, flags);
}

int epoll_ctl(int set, int operation, int file, struct epoll_event* event) {
  if (operation == EPOLL_CTL_ADD) MAY_FAIL(kDescriptors, ENOSPC, -1); /* the others need no memory */
  return (int)syscall(SYS_epoll_ctl, set, operation, file, event);
}

int eventfd(unsigned value, int flags) {
  MAY_FAIL(kDescriptors, EMFILE, -1);
  return (int)syscall(SYS_eventfd2, value, flags);
}

int timerfd_create(int clock, int flags) {
  MAY_FAIL(kDescriptors, EMFILE, -1);
  return (int)syscall(SYS_timerfd_create, clock, flags);
}

int renameat2(int from_folder, const char* from_path, int to_folder, const char* to_path, unsigned flags) {
  MAY_FAIL(kDescriptors, EIO, -1);
  return (int)syscall(SYS_renameat2, from_folder, from_path, to_folder, to_path, flags);
}

int mkdir(const char* path, mode_t mode) {
  MAY_FAIL(kDescriptors, ENOSPC, -1);
  return (int)syscall(SYS_mkdir, path, mode);
}

static int open_at(const char* path, int flags, mode_t mode) {
  return (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}

int open(const char* path, int flags, ...) {
  MAY_FAIL(kDescriptors, EMFILE, -1);
  va_list rest;
  va_start(rest, flags);
  const mode_t mode = (flags & O_CREAT) != 0 ? va_arg(rest, mode_t) : 0;
  va_end(rest);
  return open_at(path, flags, mode);
}

int open64(const char* path, int flags, ...) {
  MAY_FAIL(kDescriptors, EMFILE, -1);
  va_list rest;
  va_start(rest, flags);
  const mode_t mode = (flags & O_CREAT) != 0 ? va_arg(rest, mode_t) : 0;
  va_end(rest);
  return open_at(path, flags, mode);
}

int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*main)(void*), void* argument) {
  MAY_FAIL_WITH(kMemory, EAGAIN);
  static __typeof__(&pthread_create) next;
  if (next == NULL) next = (__typeof__(&pthread_create))dlsym(RTLD_NEXT, "pthread_create");
  return next(thread, attributes, main, argument);
}

int pthread_key_create(pthread_key_t* key, void (*destructor)(void*)) {
  MAY_FAIL_WITH(kMemory, EAGAIN);
  static __typeof__(&pthread_key_create) next;
  if (next == NULL) next = (__typeof__(&pthread_key_create))dlsym(RTLD_NEXT, "pthread_key_create");
  return next(key, destructor);
}

int pthread_setspecific(pthread_key_t key, const void* value) {
  MAY_FAIL_WITH(kMemory, ENOMEM);
  static __typeof__(&pthread_setspecific) next;
  if (next == NULL) next = (__typeof__(&pthread_setspecific))dlsym(RTLD_NEXT, "pthread_setspecific");
  return next(key, value);
}

pid_t fork(void) {
  MAY_FAIL(kMemory, EAGAIN, -1);
  static __typeof__(&fork) next;
  if (next == NULL) next = (__typeof__(&fork))dlsym(RTLD_NEXT, "fork");
  return next();
}
