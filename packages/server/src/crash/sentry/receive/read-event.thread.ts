// The thread of `large-events.ts`: parses events, and turns them into their strict form, which is small.
import { parseStoreBody } from '@chauffeur/sentry/envelope/store-body';
import type { SentryEvent } from '@chauffeur/sentry/event/event';
import { normalizeEvent } from '@chauffeur/sentry/event/normalize';
import { parseJson } from '@chauffeur/sentry/json';
import { serveTasks } from '../../../kernel/threads/thread-pool.ts';
import type { LargeEvent } from './large-events.ts';

serveTasks<LargeEvent, SentryEvent | null, never, never>(async ({ form, bytes }) => {
  const value = form === 'store' ? parseStoreBody(bytes) : parseJson(bytes);
  return value === undefined || value === null ? null : normalizeEvent(value);
});
