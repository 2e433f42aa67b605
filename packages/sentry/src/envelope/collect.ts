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
  | 'too_large'
  /** The item is not JSON, or was cut off. */
  | 'unreadable'
  /** The envelope has too many of them. */
  | 'too_many'
  /** The storage for files is full. */
  | 'no_room';

type Dropped = { readonly type: string; readonly reason: DropReason; readonly quantity: number };

type JsonItem = {
  readonly type: 'event' | 'feedback' | 'user_report' | 'session' | 'sessions' | 'client_report';
  readonly value: unknown;
  /** Whether reading it takes long, such as a tenth of a second. */
  readonly isLarge: boolean;
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

export type Envelope = {
  readonly header: Header;
  /** The id in the header, or else that of the event. */
  readonly eventId: string | null;
  readonly items: readonly JsonItem[];
  readonly dropped: readonly Dropped[];
  /** Whether it ended before its last item did, or an error ended it. */
  readonly isCut: boolean;
  /** The error that ended it, such as of the encoding. */
  readonly failure: unknown;
};

/** Keeps a file. It reads the bytes, at most `maxBytes`, and returns why it didn't keep them, or null. */
type KeepFile = (file: EnvelopeFile) => Promise<DropReason | null>;

export type CollectOptions = {
  readonly limits?: EnvelopeLimits;
  readonly keepFile: KeepFile;
  /** Called with the header before anything else is read. What it throws ends the reading. */
  readonly onHeader?: (header: Header) => Promise<void> | void;
  /** Awaited before a large JSON item is parsed, which takes long. */
  readonly beforeLarge?: () => Promise<void>;
};

/** A body decodes to at most this: an event, a dump, a log, attachments, and what is dropped. */
const DECODED_LIMITS: DecodingLimits = {
  maxBytes: 2 * LIMITS.crashFileBytes + 4 * LIMITS.crashAttachmentsBytes,
};

/** `collectEnvelope` for a body that is encoded. */
export function collectBody(
  body: ByteSource,
  contentEncoding: string | undefined,
  options: CollectOptions,
): Promise<Envelope> {
  return collectEnvelope(decodeBody(body, contentEncoding, DECODED_LIMITS), options);
}

/** Throws only what the functions of `options` throw. */
async function collectEnvelope(source: ByteSource, options: CollectOptions): Promise<Envelope> {
  const reader = new EnvelopeReader(source, options.limits ?? ENVELOPE_LIMITS);
  const header = await reader.header();
  await options.onHeader?.(header);
  const items: JsonItem[] = [];
  const drops = new Drops();
  let files = 0;
  let isCut = false;
  let jsonLeft = MAX_JSON_BYTES;
  for await (const item of reader.items()) {
    if (item.kind.use === 'dropped') drops.add(item, 'not_used');
    else if (item.kind.use === 'json') {
      const read = await readJson(item, jsonLeft, options.beforeLarge);
      if (typeof read === 'string') drops.add(item, read);
      else {
        jsonLeft -= read.size;
        items.push({ type: item.type as JsonItem['type'], value: read.value, isLarge: read.size > LARGE_JSON_BYTES });
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
/** It takes a few milliseconds to parse. */
export const LARGE_JSON_BYTES = 256 * KIB;
/** A dump, a log, and attachments. */
const MAX_FILES = 2 + LIMITS.crashAttachments;

function idOfItems(items: readonly JsonItem[]): string | null {
  const event = items.find(({ type }) => type === 'event' || type === 'feedback');
  return eventIdOf(fieldOf(event?.value, 'event_id'));
}

async function readJson(
  item: EnvelopeItem,
  jsonLeft: number,
  beforeLarge: CollectOptions['beforeLarge'],
): Promise<{ readonly value: unknown; readonly size: number } | DropReason> {
  const bytes = await collectBytes(item.bytes, Math.min(item.kind.maxBytes, jsonLeft));
  if (bytes === null) return 'too_large';
  if (bytes.length > LARGE_JSON_BYTES) await beforeLarge?.();
  const value = parseJson(bytes);
  // Of JSON that was cut off, nothing can be parsed.
  return value === undefined || value === null ? 'unreadable' : { value, size: bytes.length };
}

/** All bytes; null if there are more than `max`. A payload in one piece isn't copied. */
export async function collectBytes(source: ByteSource, max: number): Promise<Uint8Array | null> {
  const pieces: Uint8Array[] = [];
  let length = 0;
  for await (const piece of source) {
    length += piece.length;
    if (length <= max) pieces.push(piece);
    else pieces.length = 0;
  }
  if (length > max) return null;
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
