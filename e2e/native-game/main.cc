// The game: a knight swings what is in a pocket, and one of the pockets is empty. Without a C library, it is built for
// systems whose SDK isn't there.
#include "items.h"

#if defined(_WIN32)
#define ENTRY extern "C" int entry_point()
#elif defined(__APPLE__)
#define ENTRY extern "C" int entry_point() __asm__("_main"); int entry_point()
#else
extern "C" void record_crashes(const char *path);
#define ENTRY int main(int argc, char **argv)
#endif

static Item sword = {100, 3};
static Item shield = {100, 5};

// A variable that the compiler knows nothing about.
volatile int turn = 1;

NOINLINE static int play(World &world) {
  int score = 0;
  while (turn < 10)
    score += world.tick(turn++); // Calls tick.
  return score;
}

ENTRY {
#if !defined(_WIN32) && !defined(__APPLE__)
  if (argc > 1)
    record_crashes(argv[1]);
#endif
  World world;
  world.knight.pocket.things[0] = &sword;
  world.knight.pocket.things[1] = &shield;
  world.knight.pocket.things[2] = nullptr;
  world.knight.pocket.things[3] = &sword;
  world.knight.strength = 4;
  world.turns = 2;
  return play(world) + world.turns; // Calls play.
}
