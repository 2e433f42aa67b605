// The event of Sentry's SDK that a report came with: how its JSON is stored, and whether its stack is native.
import { buffer } from 'node:stream/consumers';
import { KIB } from '@chauffeur/contract/limits';
import type { StoredEvent } from '@chauffeur/sentry/event/event';
import { mainStack } from '@chauffeur/sentry/event/normalize';
import { readEvent, writeEvent } from '@chauffeur/sentry/event/stored-event';
import { chainOf } from '@chauffeur/sentry/grouping';
import { hasAddresses, ImageMap, isOfWasm } from '@chauffeur/sentry/native-stack';
import { bytesOfBuffer } from '../../../kernel/blobs/byte-source.ts';
import { PACKED_SUFFIX, putPacked, readUnpacked } from '../../../kernel/blobs/packed.ts';
import type { BlobStore } from '../../../kernel/blobs/store.ts';
import { newId } from '../../../kernel/secrets/ids.ts';
import { isStorageFull } from '../../../kernel/storage-full.ts';
import { blobStemOf } from './files.ts';

/**
 * The columns of a report with the JSON of its event: in the row if it is small, and otherwise in a compressed blob. Both
 * are null for a report without one.
 */
export type EventContent = { readonly event: string | null; readonly event_key: string | null };

/** The length of the JSON of an event in a row. Larger ones would make reading rows slow. */
const MAX_IN_ROW = 32 * KIB;

/**
 * Stores an event, unless it is small enough for the row, or the blob store is full. `stored` is its size there or in
 * the blob, in bytes.
 */
export async function storeEvent(
  blobs: BlobStore,
  reportId: string,
  sent: StoredEvent,
): Promise<{ readonly content: EventContent; readonly stored: number }> {
  const event = writeEvent(sent);
  if (event.length <= MAX_IN_ROW) return { content: { event, event_key: null }, stored: event.length };
  const key = `${blobStemOf(reportId)}.${newId()}.event.json${PACKED_SUFFIX}`;
  try {
    const { stored } = await putPacked(blobs, key, bytesOfBuffer(Buffer.from(event)), Number.POSITIVE_INFINITY);
    return { content: { event: null, event_key: key }, stored };
  } catch (error) {
    if (!isStorageFull(error)) throw error;
    // Clients send nothing again.
    await blobs.delete(key);
    return { content: { event, event_key: null }, stored: event.length };
  }
}

/** Null if there is none. Rejects with BlobMissingError if its blob is gone. */
export async function readStoredEvent(
  blobs: BlobStore,
  { event, event_key: key }: EventContent,
): Promise<StoredEvent | null> {
  if (event !== null) return readEvent(event);
  return key === null ? null : readEvent((await buffer(await readUnpacked(blobs, key))).toString());
}

/** Whether the functions of its stack have to be looked up by their addresses, as those of a dump. */
export function isNativeEvent(event: StoredEvent): boolean {
  const stack = mainStack(event);
  const isNative = chainOf(event)?.language === 'native' && hasAddresses(stack);
  // Stacks of browsers are resolved as those of scripts are.
  return isNative && !isOfWasm(stack, new ImageMap(event.images));
}
