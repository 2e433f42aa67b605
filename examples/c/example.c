/* A game with ten frames that sends events. Compile with: cc example.c -o example -lcurl -lpthread
 * Usage: example ENDPOINT GAME_UID BUILD_ID STATE_PATH */
#define CHAUFFEUR_EVENTS_IMPLEMENTATION
#include "chauffeur_events.h"

static void print_problem(const char *problem, void *context) {
  (void)context;
  fprintf(stderr, "chauffeur: %s\n", problem);
}

int main(int count, char **arguments) {
  chauffeur_options options;
  chauffeur_events *events;
  int frame;
  if (count != 5) {
    fprintf(stderr, "usage: %s ENDPOINT GAME_UID BUILD_ID STATE_PATH\n", arguments[0]);
    return 2;
  }
  memset(&options, 0, sizeof options);
  options.endpoint = arguments[1];
  options.app_id = arguments[2];
  options.build_id = arguments[3];
  options.state_path = arguments[4];
  options.on_problem = print_problem;
  events = chauffeur_start(&options);

  for (frame = 0; frame < 10; frame++) {
    if (frame == 0) chauffeur_boot_ok(events);
    if (frame == 3) chauffeur_first_input(events);
    if (frame == 7) {
      const chauffeur_property properties[] = {{"level", NULL, 3}, {"car", "red", 0}};
      chauffeur_track(events, "parked", properties, 2);
    }
  }
  chauffeur_quit(events);
  printf("device %s\n", chauffeur_device_uid(events));
  printf("bytes left for the next start: %lu\n", (unsigned long)chauffeur_stop(events, 2000));
  return 0;
}
