// Writes what a dump of a crash needs to a file: registers, the stack above them, and what is mapped in the memory. Then
// the process ends as if it had no handler.
#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

static const char *record_path;
/* The handler has its own stack, so that it changes nothing on the one that it records. */
static char handler_stack[256 * 1024];

/* The order in which the file has them. */
static const int REGISTERS[] = {REG_RIP, REG_RSP, REG_RBP, REG_RAX, REG_RBX, REG_RCX, REG_RDX, REG_RSI, REG_RDI,
                                REG_R8,  REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15};
#define REGISTER_COUNT (sizeof REGISTERS / sizeof *REGISTERS)

static void write_all(int to, const void *bytes, size_t size) {
  const char *at = bytes;
  while (size > 0) {
    ssize_t written = write(to, at, size);
    if (written <= 0)
      _exit(3);
    at += written;
    size -= (size_t)written;
  }
}

static void record(int number, siginfo_t *info, void *data) {
  ucontext_t *context = data;
  int to = open(record_path, O_CREAT | O_EXCL | O_WRONLY, 0600);
  if (to < 0)
    _exit(3);
  uint64_t head[2 + REGISTER_COUNT] = {(uint64_t)number, (uint64_t)info->si_addr};
  for (size_t i = 0; i < REGISTER_COUNT; ++i)
    head[2 + i] = (uint64_t)context->uc_mcontext.gregs[REGISTERS[i]];
  write_all(to, head, sizeof head);
  /* The whole pages from the stack pointer on, until one is not mapped. */
  uint64_t from = head[3] & ~(uint64_t)4095;
  uint64_t size = 0;
  unsigned char resident;
  while (size < 512 * 1024 && mincore((void *)(from + size), 4096, &resident) == 0)
    size += 4096;
  write_all(to, &from, sizeof from);
  write_all(to, &size, sizeof size);
  write_all(to, (void *)from, size);
  int maps = open("/proc/self/maps", O_RDONLY);
  char buffer[4096];
  for (ssize_t got; (got = read(maps, buffer, sizeof buffer)) > 0;)
    write_all(to, buffer, (size_t)got);
  close(to);
  /* The instruction runs again and crashes without a handler. */
  signal(number, SIG_DFL);
}

void record_crashes(const char *path) {
  record_path = path;
  stack_t stack = {.ss_sp = handler_stack, .ss_size = sizeof handler_stack};
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_sigaction = record;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  if (sigaltstack(&stack, NULL) != 0 || sigaction(SIGSEGV, &action, NULL) != 0 || sigaction(SIGILL, &action, NULL) != 0)
    _exit(4);
}
