// The error for a client ID metadata document that cannot be fetched or is not accepted.

/** The message is a clause that gives the developer of the program the reason, such as `it is not JSON`. */
export class ClientDocumentError extends Error {
  override readonly name = 'ClientDocumentError';
  /** Whether the document may be available again soon, so that existing tokens can be kept. */
  readonly passing: boolean;

  constructor(message: string, { passing = false, cause }: { passing?: boolean; cause?: unknown } = {}) {
    super(message, { cause });
    this.passing = passing;
  }
}
