/* Processes of every kind, each with SPANS finished spans:
 *
 *     many_processes HOW COUNT
 *
 * fork     COUNT children, at most 32 at a time
 * threads  the same, forked by 8 threads at once while each records
 * daemon   COUNT daemons: double forks that close all descriptors
 * vfork    COUNT children made by vfork, which become this program
 * spawn    the same by posix_spawn
 * clone    COUNT children made by the clone system call, without fork handlers
 * again    becomes itself COUNT times
 * record   records and ends
 * then     a child that becomes the command behind it
 *
 * Prints "processes spans" that there should be, its own included. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <xsp.h>

enum { kSpans = 100, kAtATime = 32, kThreads = 8 };
extern char** environ;
static int count;

static void record(void) {
  const xsp_name name = xsp_intern("in a process");
  for (int i = 0; i < kSpans; ++i) xsp_finish_span(xsp_start_span(name, XSP_MODEL));
}

static void run_child(void) {
  record();
  exit(0);
}

static int wait_for_children(int left_running) {
  static int running;
  int status = 0;
  if (left_running >= 0) ++running;
  while (running > (left_running < 0 ? 0 : left_running)) {
    if (wait(&status) < 0 || status != 0) return 1;
    --running;
  }
  return 0;
}

static int is_started(pid_t child) { return child > 0 && wait_for_children(kAtATime) == 0; }

static void* fork_in_thread(void* unused) {
  for (int i = 0; i < count / kThreads; ++i) {
    record();
    const pid_t child = fork();
    if (child == 0) run_child();
    int status = 1;
    if (child < 0 || waitpid(child, &status, 0) != child || status != 0) exit(6);
  }
  return unused;
}

static int start_daemon(void) {
  int gone[2];
  char byte;
  if (pipe(gone) != 0) return 1;
  const pid_t child = fork();
  if (child == 0) {
    setsid();
    if (fork() != 0) _exit(0);
    dup2(gone[1], 0);
    for (int file = 1; file < 1024; ++file) close(file);
    run_child();
  }
  close(gone[1]);
  int status = 1;
  waitpid(child, &status, 0);
  /* Its end is the end of the pipe. */
  while (read(gone[0], &byte, 1) > 0) {
  }
  close(gone[0]);
  return status;
}

static int start_program(int by_spawn) {
  char* arguments[] = {"many_processes", "record", "0", NULL};
  pid_t child = 0;
  if (by_spawn) {
    if (posix_spawn(&child, "/proc/self/exe", NULL, NULL, arguments, environ) != 0) return 1;
  } else {
    child = vfork();
    if (child == 0) {
      execve("/proc/self/exe", arguments, environ);
      _exit(127);
    }
  }
  return !is_started(child);
}

static int start(const char* how) {
  if (strcmp(how, "daemon") == 0) return start_daemon();
  if (strcmp(how, "vfork") == 0) return start_program(0);
  if (strcmp(how, "spawn") == 0) return start_program(1);
  const pid_t child = strcmp(how, "clone") == 0 ? (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0) : fork();
  if (child == 0) run_child();
  return !is_started(child);
}

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  const char* how = argv[1];
  count = atoi(argv[2]);
  record();
  if (strcmp(how, "record") == 0) return 0;
  if (strcmp(how, "then") == 0) {
    int status = 1;
    const pid_t child = fork();
    if (child == 0) {
      execv(argv[2], argv + 2);
      _exit(127);
    }
    return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) ? WEXITSTATUS(status) : 7;
  }
  if (strcmp(how, "again") == 0) {
    if (argc < 4) setenv("TOTAL", argv[2], 1);
    if (count > 0) {
      char left[16];
      snprintf(left, sizeof left, "%d", count - 1);
      execl("/proc/self/exe", argv[0], "again", left, "more", (char*)NULL);
      return 7;
    }
    count = atoi(getenv("TOTAL"));
    printf("%d %d\n", count + 1, (count + 1) * kSpans);
    return 0;
  }
  if (strcmp(how, "threads") == 0) {
    pthread_t threads[kThreads];
    for (int i = 0; i < kThreads; ++i) pthread_create(&threads[i], NULL, fork_in_thread, NULL);
    for (int i = 0; i < kThreads; ++i) pthread_join(threads[i], NULL);
    printf("%d %d\n", count + 1, (2 * count + 1) * kSpans);
    return 0;
  }
  for (int i = 0; i < count; ++i) {
    if (start(how) != 0) return 5;
  }
  if (wait_for_children(-1) != 0) return 6;
  printf("%d %d\n", count + 1, (count + 1) * kSpans);
  return 0;
}
