// Runs a program of Windows or macOS that calls nothing of its system, until it crashes:
//   run-image FILE RECORD windows|macos ENTRY [ADDRESS:OFFSET:FILE_SIZE:MEMORY_SIZE ...]
// All numbers are hexadecimal. The parts of the file are put at their addresses, so nothing has to be relocated.
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

void record_crashes(const char *path);

typedef int (*entry_of_macos)(void);
typedef int __attribute__((ms_abi)) (*entry_of_windows)(void);

int main(int argc, char **argv) {
  if (argc < 6)
    return 2;
  int file = open(argv[1], O_RDONLY);
  if (file < 0)
    return 2;
  for (int i = 5; i < argc; ++i) {
    uint64_t address, offset, file_size, memory_size;
    if (sscanf(argv[i], "%lx:%lx:%lx:%lx", &address, &offset, &file_size, &memory_size) != 4)
      return 2;
    uint64_t pages = (memory_size + 4095) & ~(uint64_t)4095;
    void *at = mmap((void *)address, pages, PROT_READ | PROT_WRITE | PROT_EXEC,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
    if (at == MAP_FAILED || pread(file, at, file_size, (off_t)offset) != (ssize_t)file_size)
      return 2;
  }
  record_crashes(argv[2]);
  uint64_t entry = strtoull(argv[4], NULL, 16);
  return strcmp(argv[3], "windows") == 0 ? ((entry_of_windows)entry)() : ((entry_of_macos)entry)();
}
