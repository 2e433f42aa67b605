// Remembers the body of a request while it is read, so that it can be kept if what reads it fails.
import { type BodySource, receiveBody } from '../../request/body.ts';

/** The bytes that the bodies of all requests may still take together. */
export type CopySpace = { left: number };

/** Larger bodies are not remembered. */
const MAX_BYTES = 1024 * 1024;

export class BodyCopy {
  readonly #request: BodySource;
  readonly #space: CopySpace;
  /** Null once it has become too large. */
  #pieces: Buffer[] | null = [];
  #bytes = 0;

  constructor(request: BodySource, space: CopySpace) {
    this.#request = request;
    this.#space = space;
    // A paused stream stays so when a listener is added, until someone reads the body.
    request.pause().on('data', this.#onData);
  }

  /** Reads what is left of the body. Returns the whole of it, as it was sent; null if it is too large or was cut off. */
  async whole(idleMs: number): Promise<Buffer | null> {
    const request = this.#request;
    if (!request.readableEnded)
      await receiveBody(request, { encoding: 'raw', maxBytes: MAX_BYTES, idleMs }, async (body) => {
        for await (const _ of body);
      }).catch(() => this.drop());
    return this.#pieces === null ? null : Buffer.concat(this.#pieces);
  }

  /** Gives the memory back. */
  drop(): void {
    this.#request.off('data', this.#onData);
    this.#pieces = null;
    this.#space.left += this.#bytes;
    this.#bytes = 0;
  }

  readonly #onData = (bytes: Buffer) => {
    if (this.#pieces === null) return;
    if (this.#bytes + bytes.length > MAX_BYTES || bytes.length > this.#space.left) return this.drop();
    this.#bytes += bytes.length;
    this.#space.left -= bytes.length;
    this.#pieces.push(bytes);
  };
}
