// Irrelevant frames of pthreads: threads and locks on every OS that has them.
import type { Pattern } from './pattern-list.ts';

export const pthreadIrrelevant: readonly Pattern[] = [
  { match: /_*pthread_kill(?:_implementation|_internal|@.*)?/, why: 'pthread signal' },
  {
    match:
      /start_thread|__?clone\d?|_*pthread_(?:start|body)|thread_start|__bionic_clone|__start_thread|__pthread_start/,
    why: 'thread startup',
  },
  { match: /_*pthread_(?:mutex|cond|rwlock|once|exit|join|create)\w*/, why: 'pthread lock' },
  { match: /_*futex_\w+|__lll_lock_\w+|lll_\w+|__nptl_\w+/, why: 'glibc lock internals' },
];
