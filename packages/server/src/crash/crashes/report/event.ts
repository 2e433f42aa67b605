// The event of Sentry's SDK that a report came with: the stored JSON, and whether its stack is native.
import { buffer } from 'node:stream/consumers';
import type { SentryEvent } from '@chauffeur/sentry/event/event';
import { mainStack } from '@chauffeur/sentry/event/normalize';
import { readEvent } from '@chauffeur/sentry/event/stored-event';
import { chainOf } from '@chauffeur/sentry/grouping';
import { hasAddresses } from '@chauffeur/sentry/native-stack';
import { readUnpacked } from '../../../kernel/blobs/packed.ts';
import type { BlobStore } from '../../../kernel/blobs/store.ts';

/** The event under `key`. Rejects with BlobMissingError if the blob is gone. */
export async function readStoredEvent(blobs: BlobStore, key: string): Promise<SentryEvent> {
  return readEvent((await buffer(await readUnpacked(blobs, key))).toString());
}

/** Whether the functions of its stack have to be looked up by their addresses, as those of a dump. */
export function isNativeEvent(event: SentryEvent): boolean {
  return chainOf(event)?.language === 'native' && hasAddresses(mainStack(event));
}
