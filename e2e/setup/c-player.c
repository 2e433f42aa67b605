/* A game for the tests of the C client: four threads add 50 events each. Then it crashes if its input is "die", or stops at the end
 * of its input. */
#define CHAUFFEUR_EVENTS_IMPLEMENTATION
#include "chauffeur_events.h"

static void *play(void *context) {
  const char *awkward = "a \"quoted\" line\n\\ of f\303\274nf bytes more";
  int no;
  for (no = 0; no < 50; no++) {
    chauffeur_property properties[2];
    properties[0].key = "no";
    properties[0].text = NULL;
    properties[0].number = no + 0.5;
    properties[1].key = "text";
    properties[1].text = awkward;
    properties[1].number = 0;
    chauffeur_track((chauffeur_events *)context, "shot", properties, 2);
    chauffeur_first_input((chauffeur_events *)context);
  }
  return NULL;
}

static void print_problem(const char *problem, void *context) {
  (void)context;
  printf("problem %s\n", problem);
  fflush(stdout);
}

int main(int count, char **arguments) {
  chauffeur_options options;
  chauffeur_events *events;
  pthread_t threads[4];
  char line[64];
  int no;
  if (count != 5) return 2;
  memset(&options, 0, sizeof options);
  options.endpoint = arguments[1];
  options.app_id = arguments[2];
  options.build_id = arguments[3];
  options.state_path = arguments[4];
  options.on_problem = print_problem;
  events = chauffeur_start(&options);
  chauffeur_boot_ok(events);
  for (no = 0; no < 4; no++) pthread_create(&threads[no], NULL, play, events);
  for (no = 0; no < 4; no++) pthread_join(threads[no], NULL);
  chauffeur_track(events, "(reserved)", NULL, 0);
  printf("device %s\n", chauffeur_device_uid(events));
  fflush(stdout);
  while (fgets(line, sizeof line, stdin))
    if (strcmp(line, "die\n") == 0) raise(SIGKILL);
  printf("left %lu\n", (unsigned long)chauffeur_stop(events, 5000));
  return 0;
}
