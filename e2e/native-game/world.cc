#include "items.h"

int World::tick(int turn) {
  auto attack = [&](int slot) __attribute__((always_inline)) {
    return knight.swing(slot) + turn; // Calls swing.
  };
  int damage = 0;
  for (int slot = 0; slot < 4; ++slot)
    damage += attack(slot); // Calls attack.
  return damage * turns;
}
