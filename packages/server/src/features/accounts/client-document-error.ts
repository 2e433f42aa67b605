// The error for a client ID metadata document that cannot be fetched or is not accepted.

/** The message is a clause with the reason for the maker of the program, such as `it is not JSON`. */
export class ClientDocumentError extends Error {
  override readonly name = 'ClientDocumentError';
  /** Whether it may work again soon, so that existing tokens can be kept. */
  readonly passing: boolean;

  constructor(message: string, { passing = false, cause }: { passing?: boolean; cause?: unknown } = {}) {
    super(message, { cause });
    this.passing = passing;
  }
}
