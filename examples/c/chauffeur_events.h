/* Sends a game's events to Chauffeur. A single header for C99 and C++ that needs libcurl 7.66 or newer. Licence: Apache-2.0.
 *
 * In one source file, before any other include:
 *     #define CHAUFFEUR_EVENTS_IMPLEMENTATION
 *     #include "chauffeur_events.h"
 * and link with libcurl, and with pthread (on Windows: bcrypt).
 *
 * Every function can be called from any thread, but not from a signal handler. No function waits for the network or a file, except
 * chauffeur_start (for three small files) and chauffeur_stop. All memory, other than libcurl's, is allocated in chauffeur_start.
 */
#ifndef CHAUFFEUR_EVENTS_H
#define CHAUFFEUR_EVENTS_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct chauffeur_events chauffeur_events;

/* All texts are UTF-8 and are copied. */
typedef struct chauffeur_options {
  const char *endpoint; /* https://…/api/v1/public/events */
  const char *app_id;   /* the game's uid */
  const char *build_id; /* the id that `chauffeur build` printed, not a version */
  /* The path of three small files, <state_path>.device, .queue and .running, in an existing folder that is writable for the
   * player (on Windows in the process's code page). NULL stores nothing: each start is a new device, and crashes of the
   * previous run are not detected. */
  const char *state_path;
  int anonymous;      /* marks every event as anonymous */
  size_t queue_bytes; /* memory for queued events; 0 means 256 KiB, about 1,000 events. When it is full, new events are dropped. */
  /* For development: called with the server's response when it rejects events, from a background thread. Can be NULL. */
  void (*on_problem)(const char *problem, void *context);
  void *context;
} chauffeur_options;

typedef struct chauffeur_property {
  const char *key;  /* up to 64 bytes */
  const char *text; /* up to 256 bytes, longer texts are cut; NULL if the value is `number` */
  double number;
} chauffeur_property;

/* Call this first in main: the milliseconds of `boot_ok` are counted from here. Sends session_start, and `crash` if the previous
 * run with this state_path did not reach chauffeur_stop. Returns NULL if memory or a thread cannot be allocated, or if an id is
 * missing. All other functions then do nothing. */
chauffeur_events *chauffeur_start(const chauffeur_options *options);
/* Call this when the first frame of the main menu or the first scene is on the screen. */
void chauffeur_boot_ok(chauffeur_events *events);
/* Call this for each key, click or touch of the player. Only the first call has an effect. */
void chauffeur_first_input(chauffeur_events *events);
/* Call this when the player quits. */
void chauffeur_quit(chauffeur_events *events);
/* Call this when the game has caught a fatal error. If the process dies without it, the next start reports the crash. */
void chauffeur_crash(chauffeur_events *events);
/* Sends a custom event: a name of up to 64 bytes, and up to 32 properties (NULL, 0 for none). */
void chauffeur_track(chauffeur_events *events, const char *name, const chauffeur_property *properties, size_t count);
/* Sends queued events soon, without waiting for a full batch. */
void chauffeur_flush(chauffeur_events *events);
/* The random id of this installation, which players quote to request their data. Valid until chauffeur_stop. */
const char *chauffeur_device_uid(const chauffeur_events *events);
/* The id of this run. Add both ids to the annotations of your crash reporter, as device_uid and session_id: reports are then
 * counted by device. Valid until chauffeur_stop. */
const char *chauffeur_session_id(const chauffeur_events *events);
/* Sends session_end and the queued events, waits at most `deadline_ms` (plus about a second), and frees everything. Unsent events
 * stay in <state_path>.queue for the next start. Returns the number of unsent bytes. */
size_t chauffeur_stop(chauffeur_events *events, int deadline_ms);

#ifdef __cplusplus
}
#endif
#endif /* CHAUFFEUR_EVENTS_H */

#ifdef CHAUFFEUR_EVENTS_IMPLEMENTATION
#if !defined(_WIN32) && !defined(_POSIX_C_SOURCE) && !defined(__APPLE__)
#define _POSIX_C_SOURCE 200809L
#endif
#include <curl/curl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* ---- Operating system functions: locks, signals, threads, clocks, random numbers, and a file that one process holds. ---- */

#ifdef _WIN32
#include <windows.h>
#include <bcrypt.h>
#include <process.h>
typedef CRITICAL_SECTION chf_mutex;
typedef CONDITION_VARIABLE chf_signal;
typedef HANDLE chf_thread;
typedef HANDLE chf_hold;
#define CHF_NO_HOLD INVALID_HANDLE_VALUE
#define CHF_THREAD unsigned __stdcall
#define CHF_THREAD_END 0
static void chf_prepare(chf_mutex *mutex, chf_signal *changed) {
  InitializeCriticalSection(mutex);
  InitializeConditionVariable(changed);
}
static void chf_dispose(chf_mutex *mutex, chf_signal *changed) {
  (void)changed;
  DeleteCriticalSection(mutex);
}
static void chf_lock(chf_mutex *mutex) { EnterCriticalSection(mutex); }
static void chf_unlock(chf_mutex *mutex) { LeaveCriticalSection(mutex); }
static void chf_wake(chf_signal *changed) { WakeAllConditionVariable(changed); }
static void chf_wait(chf_signal *changed, chf_mutex *mutex, long long ms) {
  SleepConditionVariableCS(changed, mutex, (DWORD)ms);
}
static int chf_spawn(chf_thread *thread, unsigned(__stdcall *run)(void *), void *context) {
  *thread = (HANDLE)_beginthreadex(NULL, 0, run, context, 0, NULL);
  return *thread != 0;
}
static void chf_join(chf_thread thread) {
  WaitForSingleObject(thread, INFINITE);
  CloseHandle(thread);
}
static void chf_detach(chf_thread thread) { CloseHandle(thread); }
static long long chf_clock(void) { return (long long)GetTickCount64(); }
static long long chf_now(void) {
  FILETIME at;
  GetSystemTimeAsFileTime(&at);
  return (long long)((((unsigned long long)at.dwHighDateTime << 32) | at.dwLowDateTime) / 10000) - 11644473600000LL;
}
static int chf_random(unsigned char *bytes, size_t count) {
  return BCryptGenRandom(NULL, bytes, (ULONG)count, BCRYPT_USE_SYSTEM_PREFERRED_RNG) == 0;
}
static chf_hold chf_take(const char *path) {
  return CreateFileA(path, GENERIC_READ | GENERIC_WRITE, FILE_SHARE_DELETE, NULL, OPEN_ALWAYS, FILE_ATTRIBUTE_NORMAL, NULL);
}
static size_t chf_read_held(chf_hold hold, char *text, size_t max) {
  DWORD count = 0;
  return ReadFile(hold, text, (DWORD)max, &count, NULL) ? count : 0;
}
static void chf_write_held(chf_hold hold, const char *text) {
  DWORD count;
  SetFilePointer(hold, 0, NULL, FILE_BEGIN);
  if (WriteFile(hold, text, (DWORD)strlen(text), &count, NULL)) SetEndOfFile(hold);
}
static void chf_release(chf_hold hold, const char *path) {
  DeleteFileA(path);
  CloseHandle(hold);
}
#else
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>
typedef pthread_mutex_t chf_mutex;
typedef pthread_cond_t chf_signal;
typedef pthread_t chf_thread;
typedef int chf_hold;
#define CHF_NO_HOLD (-1)
#define CHF_THREAD void *
#define CHF_THREAD_END NULL
static void chf_prepare(chf_mutex *mutex, chf_signal *changed) {
  pthread_mutex_init(mutex, NULL);
#ifdef __APPLE__
  pthread_cond_init(changed, NULL);
#else
  /* Use the monotonic clock: if the time of day is changed, a wait could take hours. */
  pthread_condattr_t attributes;
  pthread_condattr_init(&attributes);
  pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
  pthread_cond_init(changed, &attributes);
  pthread_condattr_destroy(&attributes);
#endif
}
static void chf_dispose(chf_mutex *mutex, chf_signal *changed) {
  pthread_mutex_destroy(mutex);
  pthread_cond_destroy(changed);
}
static void chf_lock(chf_mutex *mutex) { pthread_mutex_lock(mutex); }
static void chf_unlock(chf_mutex *mutex) { pthread_mutex_unlock(mutex); }
static void chf_wake(chf_signal *changed) { pthread_cond_broadcast(changed); }
static void chf_wait(chf_signal *changed, chf_mutex *mutex, long long ms) {
  struct timespec until = {(time_t)(ms / 1000), (long)(ms % 1000) * 1000000L};
#ifdef __APPLE__
  pthread_cond_timedwait_relative_np(changed, mutex, &until);
#else
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  until.tv_sec += now.tv_sec + (until.tv_nsec + now.tv_nsec) / 1000000000L;
  until.tv_nsec = (until.tv_nsec + now.tv_nsec) % 1000000000L;
  pthread_cond_timedwait(changed, mutex, &until);
#endif
}
static int chf_spawn(chf_thread *thread, void *(*run)(void *), void *context) {
  /* Block all signals, which belong to the game's threads. A broken connection raises SIGPIPE, which would end the game. */
  sigset_t all, before;
  int failed;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  failed = pthread_create(thread, NULL, run, context);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  return !failed;
}
static void chf_join(chf_thread thread) { pthread_join(thread, NULL); }
static void chf_detach(chf_thread thread) { pthread_detach(thread); }
static long long chf_time(clockid_t clock) {
  struct timespec at;
  clock_gettime(clock, &at);
  return (long long)at.tv_sec * 1000 + at.tv_nsec / 1000000;
}
static long long chf_clock(void) { return chf_time(CLOCK_MONOTONIC); }
static long long chf_now(void) { return chf_time(CLOCK_REALTIME); }
static int chf_random(unsigned char *bytes, size_t count) {
  FILE *file = fopen("/dev/urandom", "rb");
  size_t done = file ? fread(bytes, 1, count, file) : 0;
  if (file) fclose(file);
  return done == count;
}
/* The lock is released whenever the process ends. So a second running copy of the game is not mistaken for a crash of the first. */
static chf_hold chf_take(const char *path) {
  struct flock lock;
  int hold = open(path, O_RDWR | O_CREAT, 0600);
  memset(&lock, 0, sizeof lock);
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  if (hold < 0 || (fcntl(hold, F_SETFD, FD_CLOEXEC) == 0 && fcntl(hold, F_SETLK, &lock) == 0)) return hold;
  close(hold);
  return CHF_NO_HOLD;
}
static size_t chf_read_held(chf_hold hold, char *text, size_t max) {
  ssize_t count = read(hold, text, max);
  return count > 0 ? (size_t)count : 0;
}
static void chf_write_held(chf_hold hold, const char *text) {
  if (ftruncate(hold, 0) == 0 && pwrite(hold, text, strlen(text), 0) < 0) return; /* The disk is full: this run has no record. */
}
static void chf_release(chf_hold hold, const char *path) {
  unlink(path);
  close(hold);
}
#endif

/* ---- State ---- */

#define CHF_BODY_BYTES 60000
#define CHF_BATCH 50
#define CHF_FLUSH_MS 5000
#define CHF_MAX_RETRY_MS 300000
/* The server detects a repeated event_id for seven days; older events could be counted twice. */
#define CHF_MAX_AGE_MS (6LL * 24 * 60 * 60 * 1000)
/* Queue space for standard events only, because launch health depends on them. */
#define CHF_RESERVED 4096
#define CHF_ID 33

struct chauffeur_events {
  chf_mutex mutex;
  chf_signal changed;
  chf_thread thread;
  chf_hold hold;
  char *endpoint, *app_id, *build_id, *state_path;
  int anonymous;
  void (*on_problem)(const char *, void *);
  void *context;
  char device[CHF_ID * 2], session[CHF_ID];
  unsigned long events; /* the number of events so far, used as a sequence number */
  int booted, touched, has_quit, crashed;
  long long started, due, stop_at; /* chf_clock times; due is 0 if there is nothing to send, stop_at is 0 while running */
  int failures, done, saved;
  /* Lines of "<build id> <unix ms> <JSON>\n". Only the worker removes lines, from the front; other threads append. So existing
   * lines do not move while the worker reads them without the lock. */
  char *queue;
  size_t used, size;
  int overflow;
  char *body; /* only used by the worker */
  char response[1024];
  size_t response_size;
};

static char *chf_copy(const char *text) {
  size_t size = text ? strlen(text) + 1 : 0;
  char *copy = size > 1 ? (char *)malloc(size) : NULL;
  return copy ? (char *)memcpy(copy, text, size) : NULL;
}

static int chf_id(char id[CHF_ID]) {
  unsigned char bytes[16];
  int no;
  if (!chf_random(bytes, sizeof bytes)) return 0;
  for (no = 0; no < 16; no++) snprintf(id + 2 * no, 3, "%02x", bytes[no]);
  return 1;
}

static void chf_path(const chauffeur_events *events, const char *ending, char path[1024]) {
  snprintf(path, 1024, "%s.%s", events->state_path, ending);
}

/* ---- Events, written to the queue as lines of JSON. These functions need the lock. ---- */

static void chf_put(chauffeur_events *events, const char *bytes, size_t count) {
  if (events->overflow || count > events->size - events->used) {
    events->overflow = 1;
    return;
  }
  memcpy(events->queue + events->used, bytes, count);
  events->used += count;
}

static void chf_puts(chauffeur_events *events, const char *text) { chf_put(events, text, strlen(text)); }

/* Writes a JSON string, cut to at most `max` bytes but never within a character. */
static void chf_put_string(chauffeur_events *events, const char *text, size_t max) {
  size_t count = strlen(text), no;
  if (count > max)
    for (count = max; count > 0 && ((unsigned char)text[count] & 0xc0) == 0x80;) count--;
  chf_puts(events, "\"");
  for (no = 0; no < count; no++) {
    char escaped[8];
    unsigned char byte = (unsigned char)text[no];
    if (byte >= 0x20 && byte != '"' && byte != '\\') {
      chf_put(events, text + no, 1);
      continue;
    }
    snprintf(escaped, sizeof escaped, "\\u%04x", byte);
    chf_puts(events, escaped);
  }
  chf_puts(events, "\"");
}

static void chf_put_field(chauffeur_events *events, const char *key, const char *text) {
  chf_puts(events, ",\"");
  chf_puts(events, key);
  chf_puts(events, "\":");
  chf_put_string(events, text, 64);
}

/* JSON has no infinity, so 0 is sent instead. Some locales print a decimal comma. */
static void chf_put_number(chauffeur_events *events, double number) {
  char text[40], *comma;
  snprintf(text, sizeof text, "%.15g", number >= -1e300 && number <= 1e300 ? number : 0.0);
  comma = strchr(text, ',');
  if (comma) *comma = '.';
  chf_puts(events, text);
}

static size_t chf_begin(chauffeur_events *events, const char *build, const char *name, const char *session, const char *id) {
  char text[64];
  size_t before = events->used;
  events->overflow = 0;
  chf_puts(events, build);
  snprintf(text, sizeof text, " %lld ", chf_now());
  chf_puts(events, text);
  chf_puts(events, "{\"event\":");
  chf_put_string(events, name, 64);
  chf_put_field(events, "device_uid", events->device);
  chf_put_field(events, "session_id", session);
  chf_put_field(events, "event_id", id);
  snprintf(text, sizeof text, ",\"timestamp\":%lld", chf_now());
  chf_puts(events, text);
  if (events->anonymous) chf_puts(events, ",\"anonymous\":true");
  return before;
}

static void chf_end(chauffeur_events *events, size_t before) {
  chf_puts(events, "}\n");
  if (events->overflow) {
    events->used = before;
    return;
  }
  if (events->due == 0) events->due = chf_clock() + CHF_FLUSH_MS;
  chf_wake(&events->changed);
}

/* Adds a standard event. `field` is the name of its number, or NULL. */
static void chf_add(chauffeur_events *events, const char *name, const char *field, long long number) {
  char text[96];
  size_t before;
  /* A session has at most one crash event, sent by the session itself or by the next one, with the same id. */
  if (strcmp(name, "crash") == 0) snprintf(text, sizeof text, "%s.crash", events->session);
  else snprintf(text, sizeof text, "%s.%lu", events->session, events->events++);
  before = chf_begin(events, events->build_id, name, events->session, text);
  if (field) {
    snprintf(text, sizeof text, ",\"%s\":%lld", field, number);
    chf_puts(events, text);
  }
  chf_end(events, before);
}

static void chf_add_once(chauffeur_events *events, int *added, const char *name, int timed) {
  long long ms;
  chf_lock(&events->mutex);
  ms = chf_clock() - events->started;
  if (!*added) chf_add(events, name, timed && ms <= 600000 ? "ms" : NULL, ms);
  *added = 1;
  chf_unlock(&events->mutex);
}

void chauffeur_boot_ok(chauffeur_events *events) {
  if (!events) return;
  chf_add_once(events, &events->booted, "boot_ok", 1);
  chauffeur_flush(events);
}
void chauffeur_first_input(chauffeur_events *events) {
  if (events) chf_add_once(events, &events->touched, "first_input", 1);
}
void chauffeur_quit(chauffeur_events *events) {
  if (events) chf_add_once(events, &events->has_quit, "quit", 0);
}
void chauffeur_crash(chauffeur_events *events) {
  if (!events) return;
  chf_add_once(events, &events->crashed, "crash", 0);
  chauffeur_flush(events);
}

void chauffeur_track(chauffeur_events *events, const char *name, const chauffeur_property *properties, size_t count) {
  char id[96];
  size_t before, no;
  if (!events || !name || !*name) return;
  chf_lock(&events->mutex);
  snprintf(id, sizeof id, "%s.%lu", events->session, events->events++);
  before = chf_begin(events, events->build_id, name, events->session, id);
  for (no = 0; no < count && no < 32; no++) {
    chf_puts(events, no == 0 ? ",\"properties\":{" : ",");
    chf_put_string(events, properties[no].key, 64);
    chf_puts(events, ":");
    if (properties[no].text) chf_put_string(events, properties[no].text, 256);
    else chf_put_number(events, properties[no].number);
  }
  if (no > 0) chf_puts(events, "}");
  if (events->used > events->size - CHF_RESERVED) events->overflow = 1;
  chf_end(events, before);
  chf_unlock(&events->mutex);
}

void chauffeur_flush(chauffeur_events *events) {
  if (!events) return;
  chf_lock(&events->mutex);
  /* After a failure, keep waiting for the next retry. */
  if (events->used > 0 && events->failures == 0) events->due = chf_clock();
  chf_wake(&events->changed);
  chf_unlock(&events->mutex);
}

const char *chauffeur_device_uid(const chauffeur_events *events) { return events ? events->device : ""; }
const char *chauffeur_session_id(const chauffeur_events *events) { return events ? events->session : ""; }

/* ---- Files: only the process that holds <state_path>.running uses the queue file. ---- */

/* Reads the queue without the lock (see `queue`). `used` must have been read with the lock. */
static void chf_save(chauffeur_events *events, size_t used) {
  char path[1024], fresh[1024];
  FILE *file;
  int whole;
  chf_path(events, "queue", path);
  chf_path(events, "queue.new", fresh);
  file = fopen(fresh, "wb");
  if (!file) return;
  whole = fwrite(events->queue, 1, used, file) == used;
  whole = fclose(file) == 0 && whole;
  if (whole) {
    remove(path); /* Windows cannot rename to an existing file. */
    events->saved = rename(fresh, path) == 0 && used > 0;
  }
}

/* Loads the queue of the previous run, without lines that are too old, damaged or cut off. */
static void chf_load(chauffeur_events *events) {
  char path[1024], *line, *end;
  FILE *file;
  size_t count;
  chf_path(events, "queue", path);
  file = fopen(path, "rb");
  if (!file) return;
  count = fread(events->queue, 1, events->size - CHF_RESERVED, file);
  fclose(file);
  events->saved = 1;
  for (line = events->queue; (end = (char *)memchr(line, '\n', count - (size_t)(line - events->queue))); line = end + 1) {
    long long at;
    char opening;
    size_t length = (size_t)(end - line);
    *end = '\0';
    if (strlen(line) == length && sscanf(line, "%*64s %lld %c", &at, &opening) == 2 && opening == '{' && end[-1] == '}' &&
        chf_now() - at < CHF_MAX_AGE_MS) {
      memmove(events->queue + events->used, line, length);
      events->used += length;
      events->queue[events->used++] = '\n';
    }
  }
}

static void chf_load_device(chauffeur_events *events) {
  char path[1024], text[65] = "";
  FILE *file;
  chf_path(events, "device", path);
  file = fopen(path, "rb");
  if (file) {
    size_t count = fread(text, 1, 64, file);
    fclose(file);
    text[count] = '\0';
    text[strspn(text, "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-_")] = '\0';
  }
  if (*text) {
    memcpy(events->device, text, sizeof text);
    return;
  }
  file = fopen(path, "wb");
  if (!file) return;
  fputs(events->device, file);
  fclose(file);
}

/* Records the session and build of this run in a file that is locked until the run ends. Reports a crash if the previous run left
 * such a record. */
static void chf_mark(chauffeur_events *events) {
  char path[1024], text[256], session[65], build[65];
  chf_path(events, "running", path);
  events->hold = chf_take(path);
  if (events->hold == CHF_NO_HOLD) return;
  chf_load(events);
  text[chf_read_held(events->hold, text, sizeof text - 1)] = '\0';
  if (sscanf(text, "%64s %64s", session, build) == 2) {
    char id[80];
    snprintf(id, sizeof id, "%.57s.crash", session);
    chf_end(events, chf_begin(events, build, "crash", session, id));
  }
  snprintf(text, sizeof text, "%s %.64s\n", events->session, events->build_id);
  chf_write_held(events->hold, text);
}

/* ---- The worker: sends one batch at a time, and repeats each until the server responds. ---- */

static size_t chf_receive(char *bytes, size_t one, size_t count, void *context) {
  chauffeur_events *events = (chauffeur_events *)context;
  size_t room = sizeof events->response - 1 - events->response_size, taken = count < room ? count : room;
  (void)one;
  memcpy(events->response + events->response_size, bytes, taken);
  events->response_size += taken;
  return count;
}

static int chf_progress(void *context, curl_off_t a, curl_off_t b, curl_off_t c, curl_off_t d) {
  chauffeur_events *events = (chauffeur_events *)context;
  int late;
  (void)a, (void)b, (void)c, (void)d;
  chf_lock(&events->mutex);
  late = events->stop_at != 0 && chf_clock() > events->stop_at;
  chf_unlock(&events->mutex);
  return late;
}

/* Returns the position of the line `no` in the queue. */
static size_t chf_line(const chauffeur_events *events, size_t no) {
  const char *at = events->queue;
  while (no-- > 0) at = strchr(at, '\n') + 1;
  return (size_t)(at - events->queue);
}

/* Fills `body` with the first lines, all of the same build, and `build` with its id. Returns the number of lines. Needs the lock. */
static size_t chf_batch(chauffeur_events *events, char build[65]) {
  const char *line = events->queue, *last = line + events->used;
  size_t count = 0, filled = (size_t)sprintf(events->body, "{\"events\":[");
  build[0] = '\0';
  for (; line < last && count < CHF_BATCH; count++) {
    const char *end = (const char *)memchr(line, '\n', (size_t)(last - line)), *json = strchr(line, '{');
    size_t named = strcspn(line, " "), length = (size_t)(end - json);
    if (count == 0) snprintf(build, 65, "%.*s", (int)named, line);
    if (strncmp(line, build, named) != 0 || build[named] != '\0' || filled + length + 3 > CHF_BODY_BYTES) break;
    if (count > 0) events->body[filled++] = ',';
    memcpy(events->body + filled, json, length);
    filled += length;
    line = end + 1;
  }
  memcpy(events->body + filled, "]}", 3);
  return count;
}

/* Removes `count` lines from the queue, starting with line `first`. Needs the lock. */
static void chf_drop(chauffeur_events *events, size_t first, size_t count) {
  size_t from = chf_line(events, first), to = chf_line(events, first + count);
  memmove(events->queue + from, events->queue + to, events->used - to);
  events->used -= to - from;
}

/* Returns the text after a key in the response, or NULL. */
static const char *chf_after(const chauffeur_events *events, const char *key) {
  const char *at = strstr(events->response, key);
  if (!at) return NULL;
  at += strlen(key);
  return at + strspn(at, " :");
}

/* Posts `body`. Returns the HTTP status, or 0 if there was no response, and sets `retry_ms` from Retry-After. */
static long chf_post(chauffeur_events *events, CURL *curl, const char *build, long timeout_ms, long long *retry_ms) {
  char app_line[128], build_line[128];
  struct curl_slist *headers = NULL;
  curl_off_t retry_after = 0;
  long status = 0;
  snprintf(app_line, sizeof app_line, "X-App-Id: %.100s", events->app_id);
  snprintf(build_line, sizeof build_line, "X-Build-Id: %.100s", build);
  headers = curl_slist_append(headers, "Content-Type: application/json");
  headers = curl_slist_append(headers, "Expect:");
  headers = curl_slist_append(headers, app_line);
  headers = curl_slist_append(headers, build_line);
  events->response_size = 0;
  curl_easy_setopt(curl, CURLOPT_URL, events->endpoint);
  curl_easy_setopt(curl, CURLOPT_HTTPHEADER, headers);
  curl_easy_setopt(curl, CURLOPT_POSTFIELDS, events->body);
  curl_easy_setopt(curl, CURLOPT_TIMEOUT_MS, timeout_ms);
  curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, chf_receive);
  curl_easy_setopt(curl, CURLOPT_WRITEDATA, (void *)events);
  curl_easy_setopt(curl, CURLOPT_NOPROGRESS, 0L);
  curl_easy_setopt(curl, CURLOPT_XFERINFOFUNCTION, chf_progress);
  curl_easy_setopt(curl, CURLOPT_XFERINFODATA, (void *)events);
  if (curl_easy_perform(curl) == CURLE_OK) {
    curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &status);
    curl_easy_getinfo(curl, CURLINFO_RETRY_AFTER, &retry_after);
  }
  curl_slist_free_all(headers);
  events->response[events->response_size] = '\0';
  *retry_ms = 1000LL * (retry_after < 3600 ? retry_after : 3600);
  return status;
}

/* Handles the response to a batch of `count` lines: accepted, rejected permanently, or to be retried. Needs the lock. */
static void chf_settle(chauffeur_events *events, long status, size_t count, long long retry_ms) {
  const char *success = chf_after(events, "\"success\""), *index = chf_after(events, "\"index\"");
  /* A response without `success` is not from the server, but from a proxy or a captive portal. */
  int is_rejected = status >= 400 && status < 500 && status != 408 && status != 429 && success && strncmp(success, "false", 5) == 0;
  if (status == 202 || is_rejected) {
    size_t bad = is_rejected && index ? (size_t)strtoul(index, NULL, 10) : count;
    if (bad < count) chf_drop(events, bad, 1);
    else chf_drop(events, 0, count);
    events->failures = 0;
    events->due = events->used > 0 ? chf_clock() : 0;
  } else {
    long long wait = 1000LL << (events->failures < 9 ? events->failures : 9);
    if (wait > CHF_MAX_RETRY_MS) wait = CHF_MAX_RETRY_MS;
    wait = wait / 2 + (chf_now() % 1000) * wait / 2000; /* Random, so that devices do not all retry at the same time. */
    events->failures++;
    events->due = chf_clock() + (wait > retry_ms ? wait : retry_ms);
  }
  if (!is_rejected || !events->on_problem) return;
  chf_unlock(&events->mutex);
  events->on_problem(events->response, events->context);
  chf_lock(&events->mutex);
}

static long long chf_until_due(const chauffeur_events *events) {
  const char *line = events->queue, *last = line + events->used;
  long long wait = events->due == 0 ? 3600000 : events->due - chf_clock();
  size_t count = 0;
  if (events->failures > 0 || wait <= 0) return wait;
  for (; line < last && count < CHF_BATCH; count++) line = (const char *)memchr(line, '\n', (size_t)(last - line)) + 1;
  return count < CHF_BATCH ? wait : 0;
}

static CHF_THREAD chf_work(void *context) {
  chauffeur_events *events = (chauffeur_events *)context;
  CURL *curl = curl_easy_init();
  char build[65];
  chf_lock(&events->mutex);
  while (events->stop_at == 0 || (curl && events->used > 0 && chf_clock() < events->stop_at)) {
    long long wait = chf_until_due(events), left = events->stop_at - chf_clock(), retry_ms = 0;
    int failures = events->failures, is_stored = events->hold != CHF_NO_HOLD && events->stop_at == 0;
    size_t count, used;
    long status;
    if ((wait > 0 || !curl) && events->stop_at == 0) {
      chf_wait(&events->changed, &events->mutex, wait > 0 ? wait : 1000);
      continue;
    }
    count = chf_batch(events, build);
    used = events->used;
    chf_unlock(&events->mutex);
    /* Save before sending: if a crash loses the boot_ok event, it counts as a crash on boot. */
    if (is_stored) chf_save(events, used);
    status = chf_post(events, curl, build, events->stop_at != 0 && left < 20000 ? (long)left : 20000L, &retry_ms);
    chf_lock(&events->mutex);
    chf_settle(events, status, count, retry_ms);
    if (events->stop_at != 0 && events->failures > failures) break;
    used = events->used;
    is_stored = is_stored && events->stop_at == 0;
    chf_unlock(&events->mutex);
    if (is_stored && events->saved) chf_save(events, used);
    chf_lock(&events->mutex);
  }
  chf_unlock(&events->mutex);
  if (curl) curl_easy_cleanup(curl);
  chf_lock(&events->mutex);
  events->done = 1;
  chf_wake(&events->changed);
  chf_unlock(&events->mutex);
  return CHF_THREAD_END;
}

/* ---- From start to stop ---- */

static void chf_free(chauffeur_events *events) {
  free(events->endpoint);
  free(events->app_id);
  free(events->build_id);
  free(events->state_path);
  free(events->queue);
  free(events->body);
  chf_dispose(&events->mutex, &events->changed);
  free(events);
}

chauffeur_events *chauffeur_start(const chauffeur_options *options) {
  chauffeur_events *events = (chauffeur_events *)calloc(1, sizeof *events);
  if (!events) return NULL;
  chf_prepare(&events->mutex, &events->changed);
  events->started = chf_clock();
  events->hold = CHF_NO_HOLD;
  events->endpoint = chf_copy(options->endpoint);
  events->app_id = chf_copy(options->app_id);
  events->build_id = chf_copy(options->build_id);
  events->state_path = chf_copy(options->state_path);
  events->anonymous = options->anonymous;
  events->on_problem = options->on_problem;
  events->context = options->context;
  events->size = options->queue_bytes ? options->queue_bytes : 256 * 1024;
  if (events->size < 4 * CHF_RESERVED) events->size = 4 * CHF_RESERVED;
  events->queue = (char *)malloc(events->size);
  events->body = (char *)malloc(CHF_BODY_BYTES);
  if (!events->endpoint || !events->app_id || !events->build_id || strcspn(events->build_id, " \n") > 64 || !events->queue ||
      !events->body || !chf_id(events->session) || !chf_id(events->device) || curl_global_init(CURL_GLOBAL_DEFAULT) != 0) {
    chf_free(events);
    return NULL;
  }
  if (events->state_path) {
    chf_load_device(events);
    chf_mark(events);
  }
  chf_add(events, "session_start", NULL, 0);
  if (chf_spawn(&events->thread, chf_work, events)) return events;
  if (events->hold != CHF_NO_HOLD) {
    char path[1024];
    chf_path(events, "running", path);
    chf_release(events->hold, path);
  }
  chf_free(events);
  return NULL;
}

size_t chauffeur_stop(chauffeur_events *events, int deadline_ms) {
  long long seconds, give_up;
  size_t left;
  int done;
  if (!events) return 0;
  chf_lock(&events->mutex);
  seconds = (chf_clock() - events->started + 500) / 1000;
  chf_add(events, "session_end", "seconds", seconds < 86400 ? seconds : 86400);
  events->stop_at = chf_clock() + (deadline_ms > 0 ? deadline_ms : 0);
  chf_wake(&events->changed);
  give_up = events->stop_at + 1200;
  while (!events->done && chf_clock() < give_up) chf_wait(&events->changed, &events->mutex, give_up - chf_clock());
  done = events->done;
  left = events->used;
  if (events->hold != CHF_NO_HOLD) {
    char path[1024];
    if (left > 0 || events->saved) chf_save(events, left);
    chf_path(events, "running", path);
    chf_release(events->hold, path);
    events->hold = CHF_NO_HOLD;
  }
  chf_unlock(&events->mutex);
  if (done) {
    chf_join(events->thread);
    chf_free(events);
  } else {
    /* The worker hangs in a DNS lookup, which cannot be cancelled. The process is about to exit, so its memory is not freed. */
    chf_detach(events->thread);
  }
  return left;
}
#endif /* CHAUFFEUR_EVENTS_IMPLEMENTATION */
