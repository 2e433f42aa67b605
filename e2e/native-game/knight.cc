#include "items.h"

int Knight::swing(int slot) {
  volatile int effort[8];
  for (int i = 0; i < 8; ++i)
    effort[i] = strength * i;
  int left = pocket.use(slot, effort[2]); // Calls use.
  return left + effort[slot & 7];
}
