// Counts on two threads that share memory, as games with threads do.
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

enum { THREADS = 2, ROUNDS = 1000000 };

static atomic_int total;

static void *count(void *ignored) {
  (void)ignored;
  for (int round = 0; round < ROUNDS; round++)
    atomic_fetch_add(&total, 1);
  return NULL;
}

int main(void) {
  pthread_t threads[THREADS];
  for (int index = 0; index < THREADS; index++)
    if (pthread_create(&threads[index], NULL, count, NULL) != 0)
      return 1;
  for (int index = 0; index < THREADS; index++)
    pthread_join(threads[index], NULL);
  FILE *level = fopen("level.txt", "r");
  char name[32] = "none";
  if (level != NULL && fgets(name, sizeof name, level) == NULL)
    return 1;
  printf("%d counted, level %s\n", total, name);
  return 0;
}
