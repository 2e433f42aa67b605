// Reads an envelope as it arrives: a line with its header, and items, each a line with its header and a payload. The
// payload of an item is passed on in the pieces in which it came, without a copy, and what isn't read is skipped.
//
// Clients are sloppy, so nothing here throws because of what they write. An item without `length` ends with its line. A
// line that isn't the header of an item is skipped, and the next one is tried. A length that is too short, as of a client
// that counts characters instead of bytes, is noticed for JSON, which has no line breaks: its payload then ends with its
// line. An envelope that was cut off ends after its last byte, and the item says that it isn't whole.
import type { ByteSource } from '../encoding.ts';
import { parseJson } from '../json.ts';
import { countOf, fieldOf, isFields, lineOf, textOf } from '../values.ts';
import { type ItemKind, kindOf } from './kinds.ts';

export type EnvelopeLimits = {
  /** Further items are left unread. */
  readonly maxItems: number;
  /** The header of the envelope, and that of each item. A longer one is skipped like any line that can't be read. */
  readonly maxHeaderBytes: number;
};

export const ENVELOPE_LIMITS: EnvelopeLimits = { maxItems: 500, maxHeaderBytes: 64 * 1024 };

/** The header of an envelope or an item: an object with any fields. */
export type Header = Readonly<Record<string, unknown>>;

export type EnvelopeItem = {
  /** The type, in lower case; empty if the header has none. */
  readonly type: string;
  readonly kind: ItemKind;
  /** `length` of the header; null without one. */
  readonly length: number | null;
  /** The number of things in a container, such as of spans; 1 for any other item. */
  readonly count: number;
  readonly filename: string;
  readonly contentType: string;
  readonly attachmentType: string;
  readonly header: Header;
  /** The payload, which can be read once, before the next item is asked for. */
  readonly bytes: ByteSource;
  /** False if the envelope ended first. Known once the payload was read. */
  readonly isWhole: () => boolean;
};

const NEWLINE = 0x0a;
const RETURN = 0x0d;
const NO_HEADER: Header = {};

export class EnvelopeReader {
  readonly #lines: LineSource;
  readonly #limits: EnvelopeLimits;
  #header: Header | null = null;
  #badLines = 0;
  #moreItems = false;

  constructor(source: ByteSource, limits: EnvelopeLimits = ENVELOPE_LIMITS) {
    this.#lines = new LineSource(source);
    this.#limits = limits;
  }

  /** The header of the envelope; empty if its first line isn't one. */
  async header(): Promise<Header> {
    if (this.#header === null) {
      await this.#lines.skipBlank();
      const line = await this.#lines.line(this.#limits.maxHeaderBytes);
      this.#header = line === null ? NO_HEADER : (headerOf(line) ?? NO_HEADER);
    }
    return this.#header;
  }

  /** The error that ended the source, if one did. Everything before it was read. */
  get failure(): unknown {
    return this.#lines.failure;
  }

  /** Lines that were skipped, since they are not the header of an item. */
  get badLines(): number {
    return this.#badLines;
  }

  /** Whether items were left unread, because there were too many. */
  get hasMoreItems(): boolean {
    return this.#moreItems;
  }

  async *items(): AsyncGenerator<EnvelopeItem, undefined> {
    try {
      yield* this.#items();
    } finally {
      await this.#lines.close();
    }
  }

  async *#items(): AsyncGenerator<EnvelopeItem, undefined> {
    await this.header();
    for (let lines = 0; ; lines += 1) {
      await this.#lines.skipBlank();
      if (this.#lines.isAtEnd) return;
      if (lines >= this.#limits.maxItems) {
        this.#moreItems = true;
        return;
      }
      const line = await this.#lines.line(this.#limits.maxHeaderBytes);
      const header = line === null ? null : headerOf(line);
      if (header === null || typeof fieldOf(header, 'type') !== 'string') {
        this.#badLines += 1;
        continue;
      }
      const payload = new Payload(this.#lines, header);
      yield payload.item;
      await payload.skip();
    }
  }
}

function headerOf(line: Uint8Array): Header | null {
  const value = parseJson(line, 10_000);
  return isFields(value) ? value : null;
}

class Payload {
  readonly item: EnvelopeItem;
  readonly #bytes: AsyncGenerator<Uint8Array, undefined>;
  #isWhole = true;

  constructor(lines: LineSource, header: Header) {
    const type = lineOf(fieldOf(header, 'type'), 64).toLowerCase();
    const kind = kindOf(type);
    const length = countOf(fieldOf(header, 'length'));
    this.#bytes = this.#read(lines, length, kind.use === 'json');
    this.item = {
      type,
      kind,
      length,
      count: Math.max(1, countOf(fieldOf(header, 'item_count'), 1_000_000) ?? 1),
      filename: textOf(fieldOf(header, 'filename'), 1024),
      contentType: lineOf(fieldOf(header, 'content_type'), 255),
      attachmentType: lineOf(fieldOf(header, 'attachment_type'), 64),
      header,
      bytes: this.#bytes,
      isWhole: () => this.#isWhole,
    };
  }

  async skip(): Promise<void> {
    for await (const _ of this.#bytes);
  }

  async *#read(lines: LineSource, length: number | null, isJson: boolean): AsyncGenerator<Uint8Array, undefined> {
    if (length === null) {
      yield* lines.restOfLine();
      return;
    }
    let left = length;
    while (left > 0) {
      const piece = await lines.take(left);
      if (piece === null) {
        this.#isWhole = false;
        return;
      }
      left -= piece.length;
      yield piece;
    }
    if (!isJson) return;
    const next = await lines.peek();
    if (next !== null && next !== NEWLINE && next !== RETURN) yield* lines.restOfLine();
  }
}

/** Bytes by lines and by lengths. Only a line that came in several pieces is copied. */
class LineSource {
  readonly #iterator: AsyncIterator<Uint8Array>;
  #piece: Uint8Array = new Uint8Array();
  #at = 0;
  #isEnded = false;
  failure: unknown;

  constructor(source: ByteSource) {
    this.#iterator = source[Symbol.asyncIterator]();
  }

  get isAtEnd(): boolean {
    return this.#isEnded;
  }

  /** Ends the source early, unless it has ended. */
  async close(): Promise<void> {
    if (!this.#isEnded) await this.#iterator.return?.();
    this.#isEnded = true;
  }

  /** The next byte; null at the end. */
  async peek(): Promise<number | null> {
    return (await this.#fill()) ? this.#piece[this.#at]! : null;
  }

  /** Up to `max` bytes; null at the end. */
  async take(max: number): Promise<Uint8Array | null> {
    if (!(await this.#fill())) return null;
    const bytes = this.#piece.subarray(this.#at, this.#at + max);
    this.#at += bytes.length;
    return bytes;
  }

  /** Skips line breaks, all of a piece at once: a body can consist of nothing else. */
  async skipBlank(): Promise<void> {
    while (await this.#fill()) {
      while (this.#piece[this.#at] === NEWLINE || this.#piece[this.#at] === RETURN) this.#at += 1;
      if (this.#at < this.#piece.length) return;
    }
  }

  /** The rest of the line, whose end is skipped; null for a line of more than `max` bytes. */
  async line(max: number): Promise<Uint8Array | null> {
    const pieces: Uint8Array[] = [];
    let length = 0;
    for await (const piece of this.restOfLine()) {
      length += piece.length;
      if (length <= max) pieces.push(piece);
    }
    if (length > max) return null;
    return pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces);
  }

  async *restOfLine(): AsyncGenerator<Uint8Array, undefined> {
    while (await this.#fill()) {
      const end = this.#piece.indexOf(NEWLINE, this.#at);
      const bytes = this.#piece.subarray(this.#at, end < 0 ? undefined : end);
      this.#at += bytes.length + (end < 0 ? 0 : 1);
      if (bytes.length > 0) yield bytes;
      if (end >= 0) return;
    }
  }

  /** Makes sure that there is a byte; false at the end. */
  async #fill(): Promise<boolean> {
    while (this.#at >= this.#piece.length) {
      if (this.#isEnded) return false;
      try {
        const { done, value } = await this.#iterator.next();
        if (done) this.#isEnded = true;
        else [this.#piece, this.#at] = [value, 0];
      } catch (error) {
        this.failure = error;
        this.#isEnded = true;
      }
    }
    return true;
  }
}
