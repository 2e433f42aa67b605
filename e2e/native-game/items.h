// Small functions of the game, which compilers inline into their callers.
#ifndef ITEMS_H
#define ITEMS_H

#define INLINE inline __attribute__((always_inline))
#define NOINLINE __attribute__((noinline))

struct Item {
  int durability;
  int weight;

  INLINE int wear(int amount) {
    durability -= amount; // The crash: there is no item.
    return durability;
  }
};

template <typename Thing> struct Pocket {
  Thing *things[4];

  INLINE int use(int slot, int amount) {
    return things[slot & 3]->wear(amount); // Calls wear.
  }
};

struct Knight {
  Pocket<Item> pocket;
  int strength;

  NOINLINE int swing(int slot);
};

struct World {
  Knight knight;
  int turns;

  NOINLINE int tick(int turn);
};

#endif
