// Reads a whole envelope: JSON into memory, files to wherever the caller keeps them. Whatever is too large or damaged is
// left out and counted by its type, and everything else is kept: a report without its log is better than no report.
import { KIB, LIMITS } from '@chauffeur/contract/limits';
import { type ByteSource, type DecodingLimits, decodeBody } from '../encoding.ts';
import { eventIdOf } from '../ids.ts';
import { parseJson } from '../json.ts';
import { fieldOf } from '../values.ts';
import { countedType, MAX_EVENT_BYTES } from './kinds.ts';
import { ENVELOPE_LIMITS, type EnvelopeItem, type EnvelopeLimits, EnvelopeReader, type Header } from './reader.ts';

/** Why an item was left out. */
type DropReason =
  /** Nothing is made of items of its type. */
  | 'not_used'
  /** So are counts of sessions, which have no ids. */
  | 'aggregated'
  | 'too_large'
  /** The item is not JSON, or was cut off. */
  | 'unreadable'
  /** The envelope has too many of them. */
  | 'too_many'
  /** The storage for files is full. */
  | 'no_room';

type Dropped = { readonly type: string; readonly reason: DropReason; readonly quantity: number };

/** An event that was read already. */
type ReadEvent = { readonly eventId: string | null };

type JsonItem<Event extends ReadEvent> = {
  readonly type: 'event' | 'feedback' | 'user_report' | 'session' | 'client_report';
  /** The JSON; null if `event` has it. */
  readonly value: unknown;
  /** What `large` has read; null for other items. */
  readonly event: Event | null;
};

/** Reads large events, which take much time and memory. */
export type LargeEvents<Event> = {
  /** Waits until there is memory for one. The function that it returns is called when that isn't needed any more. */
  readonly enter: () => Promise<() => void>;
  /** How long, in milliseconds, one may keep that memory while it arrives. Of one that takes longer, nothing is kept. */
  readonly maxArrivalMs: number;
  /** Null if the bytes aren't JSON, or take too long to read. */
  readonly read: (bytes: Uint8Array) => Promise<Event | null>;
};

/** `minidump` is the dump of the crash, and `apple_report` a text that says the same as the event. */
export type FileKind = 'minidump' | 'view_hierarchy' | 'apple_report' | 'attachment';

type EnvelopeFile = {
  readonly kind: FileKind;
  /** It is as it was sent, so it may have any characters. */
  readonly filename: string;
  readonly contentType: string;
  readonly maxBytes: number;
  /** Ends early if the envelope was cut off. Throws nothing. */
  readonly bytes: ByteSource;
  /** Whether `bytes` had everything, known once they were read. */
  readonly isWhole: () => boolean;
};

export type Envelope<Event extends ReadEvent = ReadEvent> = {
  readonly header: Header;
  /** The id in the header, or else that of the event. */
  readonly eventId: string | null;
  readonly items: readonly JsonItem<Event>[];
  readonly dropped: readonly Dropped[];
  /** Whether it ended before its last item did, or an error ended it. */
  readonly isCut: boolean;
  /** The error that ended it, such as of the encoding. */
  readonly failure: unknown;
};

/** Keeps a file. It reads the bytes, at most `maxBytes`, and returns why it didn't keep them, or null. */
type KeepFile = (file: EnvelopeFile) => Promise<DropReason | null>;

export type CollectOptions<Event extends ReadEvent> = {
  readonly limits?: EnvelopeLimits;
  readonly keepFile: KeepFile;
  /** Called with the header before anything else is read. What it throws ends the reading. */
  readonly onHeader?: (header: Header) => Promise<void> | void;
  /** Without it, large events are like others. */
  readonly large?: LargeEvents<Event>;
};

/** A body decodes to at most this: an event, a dump, a log, attachments, and what is dropped. */
const DECODED_LIMITS: DecodingLimits = {
  maxBytes: 2 * LIMITS.crashFileBytes + 4 * LIMITS.crashAttachmentsBytes,
};

/** `collectEnvelope` for a body that is encoded. */
export function collectBody<Event extends ReadEvent>(
  body: ByteSource,
  contentEncoding: string | undefined,
  options: CollectOptions<Event>,
): Promise<Envelope<Event>> {
  return collectEnvelope(decodeBody(body, contentEncoding, DECODED_LIMITS), options);
}

/** Throws only what the functions of `options` throw. */
async function collectEnvelope<Event extends ReadEvent>(
  source: ByteSource,
  options: CollectOptions<Event>,
): Promise<Envelope<Event>> {
  const reader = new EnvelopeReader(source, options.limits ?? ENVELOPE_LIMITS);
  const header = await reader.header();
  await options.onHeader?.(header);
  const items: JsonItem<Event>[] = [];
  const drops = new Drops();
  let files = 0;
  let events = 0;
  let isCut = false;
  let jsonLeft = MAX_JSON_BYTES;
  for await (const item of reader.items()) {
    if (item.kind.use === 'dropped') drops.add(item, item.type === 'sessions' ? 'aggregated' : 'not_used');
    else if (item.kind.use === 'json') {
      const type = item.type as JsonItem<Event>['type'];
      const isEvent = type === 'event' || type === 'feedback';
      if (isEvent) events += 1;
      const read =
        events > MAX_EVENTS ? 'too_many' : await readJson(item, jsonLeft, isEvent ? options.large : undefined);
      if (typeof read === 'string') drops.add(item, read);
      else {
        jsonLeft -= read.size;
        items.push({ type, value: read.value, event: read.event });
      }
    } else {
      const reason = files < MAX_FILES ? await keep(item, options.keepFile) : 'too_many';
      files += 1;
      if (reason !== null) drops.add(item, reason);
    }
    isCut ||= !item.isWhole();
  }
  if (reader.hasMoreItems) drops.addType('unknown', 'too_many', 1);
  if (reader.badLines > 0) drops.addType('unknown', 'unreadable', reader.badLines);
  return {
    header,
    eventId: eventIdOf(fieldOf(header, 'event_id')) ?? idOfItems(items),
    items,
    dropped: drops.list(),
    isCut: isCut || reader.failure !== undefined,
    failure: reader.failure,
  };
}

/** All JSON of an envelope, which has one event, as a rule. */
const MAX_JSON_BYTES = 2 * MAX_EVENT_BYTES;
/** Clients send one in an envelope. */
const MAX_EVENTS = 10;
/** It takes a few milliseconds to parse. */
const LARGE_JSON_BYTES = 256 * KIB;
/** A dump, a log, and attachments. */
const MAX_FILES = 2 + LIMITS.crashAttachments;

function idOfItems(items: readonly JsonItem<ReadEvent>[]): string | null {
  const item = items.find(({ type }) => type === 'event' || type === 'feedback');
  return item?.event?.eventId ?? eventIdOf(fieldOf(item?.value, 'event_id'));
}

type ReadJson<Event extends ReadEvent> = Pick<JsonItem<Event>, 'value' | 'event'> & { readonly size: number };

async function readJson<Event extends ReadEvent>(
  item: EnvelopeItem,
  jsonLeft: number,
  large: LargeEvents<Event> | undefined,
): Promise<ReadJson<Event> | DropReason> {
  const max = Math.min(item.kind.maxBytes, jsonLeft);
  const read = await readWhole(item.bytes, max, large, async (bytes, isLarge) => {
    const size = bytes.length;
    if (isLarge) return { value: null, event: (await large?.read(bytes)) ?? null, size };
    return { value: parseJson(bytes), event: null, size };
  });
  if (read === null) return 'too_large';
  // Of JSON that was cut off, nothing can be parsed.
  return (read.value === undefined || read.value === null) && read.event === null ? 'unreadable' : read;
}

/**
 * Passes all bytes to `use`; null if there are more than `max`. Those of a large event are only read once there is memory
 * for them; null, too, if they then arrive too slowly.
 */
export async function readWhole<Result>(
  source: ByteSource,
  max: number,
  large: Pick<LargeEvents<unknown>, 'enter' | 'maxArrivalMs'> | undefined,
  use: (bytes: Uint8Array, isLarge: boolean) => Promise<Result>,
): Promise<Result | null> {
  let leave: (() => void) | undefined;
  let end = Number.POSITIVE_INFINITY;
  const onLarge = async () => {
    leave = await large?.enter();
    if (large !== undefined) end = performance.now() + large.maxArrivalMs;
  };
  const isLate = () => performance.now() > end;
  try {
    const bytes = await collectBytes(source, max, { onLarge, isLate, onDropped: () => leave?.() });
    if (bytes === null) return null;
    const result = await use(bytes, leave !== undefined);
    // Of what is outside of its heap, V8 would collect dozens of MB together.
    if (leave !== undefined) freeMemory(bytes);
    return result;
  } finally {
    leave?.();
  }
}

function freeMemory({ buffer, byteLength }: Uint8Array): void {
  if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) buffer.transfer(0);
}

type Collecting = {
  /** Awaited before more than LARGE_JSON_BYTES are in memory. */
  readonly onLarge?: () => Promise<void>;
  readonly isLate?: () => boolean;
  /** Called once nothing is kept any more, while the rest is skipped. */
  readonly onDropped?: () => void;
};

/** All bytes; null if there are more than `max`, or they are late. A payload in one piece isn't copied. */
export async function collectBytes(
  source: ByteSource,
  max: number,
  { onLarge, isLate, onDropped }: Collecting = {},
): Promise<Uint8Array | null> {
  const pieces: Uint8Array[] = [];
  let length = 0;
  let isDropped = false;
  for await (const piece of source) {
    if (isDropped) continue;
    const isLarge = length <= LARGE_JSON_BYTES && length + piece.length > LARGE_JSON_BYTES;
    length += piece.length;
    if (isLarge && length <= max) await onLarge?.();
    isDropped = length > max || isLate?.() === true;
    if (isDropped) {
      pieces.length = 0;
      onDropped?.();
    } else pieces.push(piece);
  }
  if (isDropped) return null;
  return pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces);
}

async function keep(item: EnvelopeItem, keepFile: KeepFile): Promise<DropReason | null> {
  const kind = FILE_KINDS.get(item.attachmentType) ?? 'attachment';
  const maxBytes = kind === 'minidump' ? LIMITS.crashFileBytes : item.kind.maxBytes;
  // A file that says how large it is need not be read for that.
  if (item.length !== null && item.length > maxBytes && kind !== 'minidump') return 'too_large';
  const { filename, contentType, bytes, isWhole } = item;
  return keepFile({ kind, filename, contentType, maxBytes, bytes, isWhole });
}

const FILE_KINDS: ReadonlyMap<string, FileKind> = new Map([
  ['event.minidump', 'minidump'],
  ['event.view_hierarchy', 'view_hierarchy'],
  ['event.applecrashreport', 'apple_report'],
]);

class Drops {
  readonly #counts = new Map<string, Dropped>();

  add({ type, count }: EnvelopeItem, reason: DropReason): void {
    this.addType(countedType(type), reason, count);
  }

  addType(type: string, reason: DropReason, quantity: number): void {
    const key = `${type} ${reason}`;
    this.#counts.set(key, { type, reason, quantity: (this.#counts.get(key)?.quantity ?? 0) + quantity });
  }

  list(): Dropped[] {
    return [...this.#counts.values()];
  }
}
