// Irrelevant frames: threads and their locks, on every system that has pthreads.
import type { Pattern } from './pattern-list.ts';

export const pthreadIrrelevant: readonly Pattern[] = [
  { match: /_*pthread_kill(?:_implementation|_internal|@.*)?/, why: 'pthreads send a signal' },
  {
    match:
      /start_thread|__?clone\d?|_*pthread_(?:start|body)|thread_start|__bionic_clone|__start_thread|__pthread_start/,
    why: 'start of a thread',
  },
  { match: /_*pthread_(?:mutex|cond|rwlock|once|exit|join|create)\w*/, why: 'a lock of pthreads' },
  { match: /_*futex_\w+|__lll_lock_\w+|lll_\w+|__nptl_\w+/, why: 'inside of the locks of glibc' },
];
