// Counts the blobs of deferred requests that one process has written and that were not taken yet, so that floods fill no
// disk. Small requests share a blob.
import { errors } from '@chauffeur/contract/errors';
import { GIB, MIB } from '@chauffeur/contract/limits';
import type { ByteSource } from '../../kernel/blobs/store.ts';
import { type Clock, SECOND } from '../../kernel/clock.ts';

export const DEFERRED_LIMITS = {
  all: { blobs: 10_000, bytes: 2 * GIB },
  /** The limits of each DSN: its key is in every copy of the game, so that anyone can use it. */
  ofKey: { blobs: 2000, bytes: 512 * MIB },
} as const;

/** How often it is looked up which were taken, while there is no room. */
const REFRESH_MS = SECOND;

type Use = { blobs: number; bytes: number };
type Deferred = { readonly key: string; bytes: number; isWritten: boolean };

/** Room for one blob, whose bytes are counted while they pass. */
export type DeferredPlace = {
  /** The same bytes. Throws `unavailable` once there is no room for them. */
  readonly counted: (body: ByteSource) => AsyncGenerator<Uint8Array, undefined>;
  /** Called when the blob is written. The room is then taken until the blob is deleted. */
  readonly keep: () => void;
  /** Called when there is no blob. */
  readonly give: () => void;
};

export class DeferredSpace {
  readonly #list: () => AsyncIterable<{ readonly key: string }>;
  readonly #clock: Clock;
  readonly #blobs = new Map<string, Deferred>();
  readonly #used: Use = { blobs: 0, bytes: 0 };
  readonly #usedByKey = new Map<string, Use>();
  #refresh: Promise<void> | null = null;
  #refreshedAt = Number.NEGATIVE_INFINITY;

  /** `list` returns the blobs of deferred requests of all processes. */
  constructor(list: () => AsyncIterable<{ readonly key: string }>, clock: Clock) {
    this.#list = list;
    this.#clock = clock;
  }

  /** Whether another request with the key may be deferred. Requests that were taken since count no longer. */
  async hasRoomFor(key: string): Promise<boolean> {
    if (this.#isRoomFor(key)) return true;
    if (Math.abs(this.#clock.now().getTime() - this.#refreshedAt) >= REFRESH_MS)
      this.#refresh ??= this.#forgetTaken().finally(() => {
        this.#refreshedAt = this.#clock.now().getTime();
        this.#refresh = null;
      });
    await this.#refresh;
    return this.#isRoomFor(key);
  }

  take(key: string, blobKey: string): DeferredPlace {
    const deferred = { key, bytes: 0, isWritten: false };
    this.#blobs.set(blobKey, deferred);
    this.#add(key, 1, 0);
    return {
      counted: (body) => this.#counted(deferred, body),
      keep: () => {
        deferred.isWritten = true;
      },
      give: () => this.#forget(blobKey),
    };
  }

  async *#counted(deferred: Deferred, body: ByteSource): AsyncGenerator<Uint8Array, undefined> {
    for await (const bytes of body) {
      deferred.bytes += bytes.length;
      this.#add(deferred.key, 0, bytes.length);
      const { all, ofKey } = DEFERRED_LIMITS;
      if (this.#used.bytes > all.bytes || this.#ofKey(deferred.key).bytes > ofKey.bytes) throw errors.unavailable();
      yield bytes;
    }
  }

  #isRoomFor(key: string): boolean {
    return hasRoom(this.#used, DEFERRED_LIMITS.all) && hasRoom(this.#ofKey(key), DEFERRED_LIMITS.ofKey);
  }

  #ofKey(key: string): Use {
    return this.#usedByKey.get(key) ?? { blobs: 0, bytes: 0 };
  }

  #add(key: string, blobs: number, bytes: number): void {
    const ofKey = this.#ofKey(key);
    for (const use of [this.#used, ofKey]) {
      use.blobs += blobs;
      use.bytes += bytes;
    }
    if (ofKey.blobs === 0) this.#usedByKey.delete(key);
    else this.#usedByKey.set(key, ofKey);
  }

  #forget(blobKey: string): void {
    const deferred = this.#blobs.get(blobKey);
    if (deferred === undefined) return;
    this.#blobs.delete(blobKey);
    this.#add(deferred.key, -1, -deferred.bytes);
  }

  async #forgetTaken(): Promise<void> {
    // A blob that is written while they are listed may be missing in the list.
    const written = [...this.#blobs].filter(([, { isWritten }]) => isWritten).map(([blobKey]) => blobKey);
    const present = new Set<string>();
    try {
      for await (const { key } of this.#list()) present.add(key);
    } catch {
      // The blob store is away, too.
      return;
    }
    for (const blobKey of written) if (!present.has(blobKey)) this.#forget(blobKey);
  }
}

function hasRoom(used: Use, limits: Use): boolean {
  return used.blobs < limits.blobs && used.bytes < limits.bytes;
}
