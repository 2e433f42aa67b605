// Describes new content by what a client has: bytes to copy, bytes to add differences to, and bytes that are new.
import { type AnchorIndex, SAMPLE_BYTES } from './anchor-index.ts';
import { free } from './memory.ts';
import type { Pages } from './pages.ts';

/**
 * `copy` repeats the bytes at `address`, `add` adds a byte of the patch to each of them (modulo 256), and `literal` takes all
 * from the patch.
 */
export type Op = { readonly kind: 'copy' | 'add' | 'literal'; readonly length: number; readonly address: number };

/** Old content around the expected place is searched for each of its positions. */
const NEAR_BEFORE = 32 * 1024;
const NEAR_BYTES = 160 * 1024;
const NEAR_BITS = 17;
const NEAR_SAMPLE = 8;
const MAX_NEAR_PARTS = 12;
/** Shorter matches take as many bytes as they save. */
const MIN_NEAR = 14;
/** How many more bytes have to be equal than at the place where the content continues, as in bsdiff. */
const MIN_GAIN = 4;
/** Equal bytes in the middle of a changed region become a copy from this length on; shorter ones are zeros to add. */
const MIN_COPY = 64;
/** A change up to this length between bytes that stay in place is added, since numbers often change by the same amount. */
const MAX_CHANGED = 64;
/** The search for an approximate continuation ends after so many bytes without improvement. */
const MAX_TAIL = 4096;

export class Matcher {
  readonly #pages: Pages;
  readonly #anchors: AnchorIndex;
  /** The parts that were used last come first. */
  readonly #near: NearPart[] = [];
  #words = new Int32Array(0);

  /** `pages` are the old content and behind it all new content. */
  constructor(pages: Pages, anchors: AnchorIndex) {
    this.#pages = pages;
    this.#anchors = anchors;
  }

  /**
   * The operations that make `content`, whose first byte has the address `own`. They only refer to lower addresses.
   * `expected` is the place that it probably continues.
   */
  match(content: Buffer, own: number, expected: number): Op[] {
    if (this.#words.length < content.length) this.#words = new Int32Array(content.length);
    return new Search(this.#pages, this.#anchors, this, content, own, expected).run(fillWords(this.#words, content));
  }

  /** The address of a place near `expected` with these words, or -1. Its bytes may differ. */
  findNear(a: number, b: number, expected: number, limit: number): number {
    const first = this.#near[0];
    if (first?.serves(expected, limit) === true) return first.find(a, b);
    const index = this.#near.findIndex((part) => part.serves(expected, limit));
    const [part] = index >= 0 ? this.#near.splice(index, 1) : this.#near.splice(MAX_NEAR_PARTS - 1);
    const ready = part ?? new NearPart();
    if (index < 0) ready.load(this.#pages, expected, limit);
    this.#near.unshift(ready);
    return ready.find(a, b);
  }
}

/** Every position of a part of the content by its bytes. */
class NearPart {
  readonly #slots = new Int32Array(2 ** NEAR_BITS);
  #start = 0;
  /** The expected places for which the part is right. */
  #from = 0;
  #until = -1;
  #limit = 0;

  serves(expected: number, limit: number): boolean {
    return expected >= this.#from && expected <= this.#until && limit === this.#limit;
  }

  find(a: number, b: number): number {
    const at = this.#slots[nearHash(a, b)]!;
    return at < 0 ? -1 : this.#start + at;
  }

  load(pages: Pages, expected: number, limit: number): void {
    const start = Math.max(0, Math.min(expected, limit) - NEAR_BEFORE);
    const end = Math.max(start, Math.min(start + NEAR_BYTES, limit));
    this.#slots.fill(-1);
    const bytes = pages.slice(start, end - start);
    let [a, b] = [0, 0];
    for (let at = 0; at < bytes.length; at += 1) {
      a = (a >>> 8) | (b << 24);
      b = (b >>> 8) | (bytes[at]! << 24);
      if (at >= NEAR_SAMPLE - 1) this.#slots[nearHash(a, b)] = at - NEAR_SAMPLE + 1;
    }
    free(bytes);
    this.#start = start;
    this.#from = start === 0 ? Number.NEGATIVE_INFINITY : start + NEAR_BEFORE / 2;
    this.#until = end === limit ? Number.POSITIVE_INFINITY : end - NEAR_BEFORE;
    this.#limit = limit;
  }
}

function nearHash(a: number, b: number): number {
  const sum = Math.imul(a, 0x9e3779b1) + Math.imul(b ^ (a >>> 13), 0x85ebca77);
  return Math.imul(sum ^ (sum >>> 15), 0xc2b2ae3d) >>> (32 - NEAR_BITS);
}

/** The search through one piece of content. */
class Search {
  readonly #pages: Pages;
  readonly #anchors: AnchorIndex;
  readonly #matcher: Matcher;
  readonly #content: Buffer;
  readonly #own: number;
  readonly #ops: Op[] = [];
  /** Everything before is in `#ops`. */
  #done = 0;
  /** Where the content is expected to continue: an address minus the position in the content. */
  #shift: number;

  constructor(pages: Pages, anchors: AnchorIndex, matcher: Matcher, content: Buffer, own: number, expected: number) {
    this.#pages = pages;
    this.#anchors = anchors;
    this.#matcher = matcher;
    this.#content = content;
    this.#own = own;
    this.#shift = expected;
  }

  run(words: Int32Array): Op[] {
    const { length } = this.#content;
    let at = 0;
    while (at < length) {
      const found = this.#find(words, at);
      if (found === null) {
        at += 1;
        continue;
      }
      this.#accept(found);
      at = this.#done;
    }
    this.#finish();
    return this.#ops;
  }

  /** The best match that begins at or before a position, if it is worth an operation. */
  #find(words: Int32Array, at: number): Match | null {
    const left = this.#content.length - at;
    if (left < NEAR_SAMPLE) return null;
    const [a, b] = [words[at]!, words[at + 4]!];
    // Continues after a change of a few bytes.
    const aligned = this.#measure(at, at + this.#shift, NEAR_SAMPLE);
    if (aligned !== null) return aligned;
    let best: Match | null = null;
    if (left >= SAMPLE_BYTES) {
      const far = this.#anchors.find(a, b, words[at + 8]!, words[at + 12]!);
      if (far >= 0) best = this.#measure(at, far, SAMPLE_BYTES);
    }
    const near = this.#matcher.findNear(a, b, at + this.#shift, this.#own);
    if (near >= 0 && (best === null || best.end - best.start < 64)) {
      const match = this.#measure(at, near, NEAR_SAMPLE);
      if (match !== null && match.end - match.start >= MIN_NEAR) best = longer(best, match);
    }
    if (best === null) return null;
    return this.#gains(best) ? best : null;
  }

  /** The whole match around a position; null if fewer than `min` bytes from there on are equal. */
  #measure(at: number, address: number, min: number): Match | null {
    if (address < 0 || address >= this.#own) return null;
    const max = Math.min(this.#content.length - at, this.#own - address);
    const after = this.#pages.countEqual(address, this.#content, at, max);
    if (after < min) return null;
    const before = this.#pages.countEqualBefore(address, this.#content, at, Math.min(at - this.#done, address));
    return { start: at - before, end: at + after, shift: address - at };
  }

  /** Whether enough bytes of a match differ at the place where the content was expected to continue. */
  #gains({ start, end }: Match): boolean {
    let different = 0;
    for (let at = start; at < end; at += 1) {
      if (!this.#equals(at, this.#shift)) different += 1;
      if (different >= MIN_GAIN) return true;
    }
    return false;
  }

  #equals(at: number, shift: number): boolean {
    const address = at + shift;
    return address >= 0 && address < this.#own && this.#pages.byteAt(address) === this.#content[at];
  }

  /** Adds the operations up to the end of a match: the previous one goes on approximately, and this one begins earlier. */
  #accept({ start, end, shift }: Match): void {
    if (shift === this.#shift) {
      this.#cover(this.#done, start, this.#shift);
    } else {
      const forward = this.#extendForward(this.#done, start);
      const backward = this.#extendBackward(start, this.#done, shift);
      const [first, second] = this.#resolve(this.#done + forward, start - backward, shift);
      this.#emitChanged(this.#done, first, this.#shift);
      this.#literal(first, second);
      this.#emitChanged(second, start, shift);
    }
    this.#shift = shift;
    this.#emit('copy', end - start, start + shift);
    this.#done = end;
  }

  /** A gap between two parts of the same alignment: as differences where they are mostly equal. */
  #cover(start: number, end: number, shift: number): void {
    const forward = this.#extendForward(start, end);
    const backward = this.#extendBackward(end, start, shift);
    if (forward + backward >= end - start || end - start <= MAX_CHANGED) {
      this.#emitChanged(start, end, shift);
      return;
    }
    this.#emitChanged(start, start + forward, shift);
    this.#literal(start + forward, end - backward);
    this.#emitChanged(end - backward, end, shift);
  }

  /** How far the content goes on approximately: the length with the most equal bytes minus different ones. */
  #extendForward(start: number, end: number): number {
    let [score, best, length] = [0, 0, 0];
    for (let at = start; at < end; at += 1) {
      score += this.#equals(at, this.#shift) ? 1 : -1;
      if (score > best) [best, length] = [score, at + 1 - start];
      else if (at - start - length > MAX_TAIL) break;
    }
    return length;
  }

  #extendBackward(start: number, until: number, shift: number): number {
    let [score, best, length] = [0, 0, 0];
    for (let at = start - 1; at >= until; at -= 1) {
      score += this.#equals(at, shift) ? 1 : -1;
      if (score > best) [best, length] = [score, start - at];
      else if (start - at - length > MAX_TAIL) break;
    }
    return length;
  }

  /** Where the first part ends and the second begins, if both reach over the same bytes. */
  #resolve(first: number, second: number, shift: number): [number, number] {
    if (first <= second) return [first, second];
    let [score, best, cut] = [0, 0, second];
    for (let at = second; at < first; at += 1) {
      score += (this.#equals(at, this.#shift) ? 1 : 0) - (this.#equals(at, shift) ? 1 : 0);
      if (score > best) [best, cut] = [score, at + 1];
    }
    return [cut, cut];
  }

  /** Bytes that are partly equal: long equal parts as copies. */
  #emitChanged(start: number, end: number, shift: number): void {
    let from = start;
    for (let at = start; at < end; ) {
      const equal = this.#pages.countEqual(at + shift, this.#content, at, end - at);
      if (equal >= MIN_COPY) {
        this.#emit('add', at - from, from + shift);
        this.#emit('copy', equal, at + shift);
        from = at + equal;
      }
      at += Math.max(equal, 1);
    }
    this.#emit('add', end - from, from + shift);
  }

  #finish(): void {
    const { length } = this.#content;
    const forward = this.#extendForward(this.#done, length);
    this.#emitChanged(this.#done, this.#done + forward, this.#shift);
    this.#literal(this.#done + forward, length);
    this.#done = length;
  }

  #literal(start: number, end: number): void {
    if (end > start) this.#ops.push({ kind: 'literal', length: end - start, address: 0 });
  }

  /** Joins short copies to the differences around them. */
  #emit(kind: 'copy' | 'add', length: number, address: number): void {
    if (length === 0) return;
    const last = this.#ops.at(-1);
    const continues = last !== undefined && last.kind !== 'literal' && last.address + last.length === address;
    if (continues && (last.kind === kind || (last.kind === 'add' && length < MIN_COPY)))
      this.#ops[this.#ops.length - 1] = { ...last, length: last.length + length };
    else this.#ops.push({ kind, length, address });
  }
}

type Match = { readonly start: number; readonly end: number; readonly shift: number };

function longer(a: Match | null, b: Match): Match {
  return a !== null && a.end - a.start >= b.end - b.start ? a : b;
}

/** Sets, for each position, the four bytes from there on as a number; bytes after the end are zero. */
function fillWords(words: Int32Array, content: Uint8Array): Int32Array {
  let word = 0;
  for (let at = content.length - 1; at >= 0; at -= 1) {
    word = (word << 8) | content[at]!;
    words[at] = word;
  }
  return words;
}
