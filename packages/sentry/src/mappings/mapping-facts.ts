// Reads what scripts and mappings say about themselves while they are stored: their debug id, and the source map that a
// script names. Nothing is kept of a file but its end, however large it is.
import { createHash } from 'node:crypto';
import { debugIdOf } from '../ids.ts';
import type { MappingKind } from './mapping-kind.ts';

export type MappingFacts = {
  /** A debug id as Breakpad's symbol files have it; empty without one. */
  readonly debugId: string;
  /** What a script says about its source map: a URL, usually relative; empty if it says nothing, or has the map in itself. */
  readonly sourceMapUrl: string;
  /** Whether the source map is in the script, as a data: URL. */
  readonly hasInlineMap: boolean;
};

/** Comments are at the end, but a license or another comment may follow them. */
const TAIL_BYTES = 4096;
/** The longest key with its id. */
const KEY_BYTES = 80;
const UUID = '[0-9a-fA-F]{8}-?(?:[0-9a-fA-F]{4}-?){3}[0-9a-fA-F]{12}';
/** In a text of JSON, a quotation mark inside of a string is escaped, so this is the key of an object. */
const MAP_DEBUG_ID = new RegExp(`(?<!\\\\)"debug_?[iI]d"\\s{0,8}:\\s{0,8}"(${UUID})"`);
const SCRIPT_DEBUG_ID = new RegExp(`^[ \\t]*//# debugId=(${UUID})[ \\t]*\\r?$`, 'gm');
const SOURCE_MAP_URL = /^[ \t]*(?:\/\/|\/\*)[#@] sourceMappingURL=([^\s'"]{1,2000})[ \t]*(?:\*\/)?[ \t]*\r?$/gm;
const INLINE_MAP = /(?:\/\/|\/\*)[#@] sourceMappingURL=data:/;

/** The namespace of names of domains (RFC 9562, section 6.6). */
const DNS = '6ba7b810-9dad-11d1-80b4-00c04fd430c8';
/** The mappings of one program have the id that Sentry's tools compute: that of their content within this namespace. */
const PROGUARD_NAMESPACE = Buffer.from(uuid5(DNS, Buffer.from('guardsquare.com')).replaceAll('-', ''), 'hex');

/** Reads the facts of one file. Call `write` with each part of its text in order, then `finish`. */
export class MappingFactsReader {
  readonly #kind: MappingKind;
  readonly #proguard = createHash('sha1').update(PROGUARD_NAMESPACE);
  #tail: Buffer = Buffer.alloc(0);
  #mapId = '';
  #hasInlineMap = false;

  constructor(kind: MappingKind) {
    this.#kind = kind;
  }

  write(bytes: Uint8Array): void {
    if (this.#kind === 'proguard') this.#proguard.update(bytes);
    const text = Buffer.concat([this.#tail, bytes]);
    if (this.#kind === 'source_map' && this.#mapId === '')
      this.#mapId = MAP_DEBUG_ID.exec(text.toString('latin1'))?.[1] ?? '';
    if (this.#kind === 'script' && !this.#hasInlineMap) this.#hasInlineMap = INLINE_MAP.test(text.toString('latin1'));
    this.#tail = Buffer.from(text.subarray(-(this.#kind === 'source_map' ? KEY_BYTES : TAIL_BYTES)));
  }

  finish(): MappingFacts {
    const tail = this.#tail.toString('utf8');
    const url = this.#kind === 'script' ? (lastOf(tail, SOURCE_MAP_URL) ?? '') : '';
    return {
      debugId: debugIdOf(this.#idOf(tail)) ?? '',
      sourceMapUrl: url.startsWith('data:') ? '' : url,
      hasInlineMap: this.#hasInlineMap,
    };
  }

  #idOf(tail: string): string {
    if (this.#kind === 'script') return lastOf(tail, SCRIPT_DEBUG_ID) ?? '';
    if (this.#kind === 'proguard') return formatUuid5(this.#proguard.digest());
    return this.#mapId;
  }
}

function lastOf(text: string, pattern: RegExp): string | undefined {
  return [...text.matchAll(pattern)].at(-1)?.[1];
}

/** The facts of a file that is in memory. */
export function mappingFactsOf(kind: MappingKind, bytes: Uint8Array): MappingFacts {
  const reader = new MappingFactsReader(kind);
  reader.write(bytes);
  return reader.finish();
}

/** A UUID of version 5: the hash of a namespace and a name (RFC 9562, section 5.5). */
function formatUuid5(hash: Buffer): string {
  const bytes = Buffer.from(hash.subarray(0, 16));
  bytes[6] = (bytes[6]! & 0x0f) | 0x50;
  bytes[8] = (bytes[8]! & 0x3f) | 0x80;
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

/** A UUID of version 5 for any bytes. */
export function uuid5(namespace: string, bytes: Uint8Array): string {
  return formatUuid5(
    createHash('sha1')
      .update(Buffer.from(namespace.replaceAll('-', ''), 'hex'))
      .update(bytes)
      .digest(),
  );
}
