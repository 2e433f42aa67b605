// A client ID metadata document cannot be had, or is not taken.

/** The message says why, to whoever made the program: `it is no JSON`. */
export class ClientDocumentError extends Error {
  override readonly name = 'ClientDocumentError';
  /** Whether it may be otherwise in a minute: what the program was given need not be thrown away. */
  readonly passing: boolean;

  constructor(message: string, { passing = false, cause }: { passing?: boolean; cause?: unknown } = {}) {
    super(message, { cause });
    this.passing = passing;
  }
}
