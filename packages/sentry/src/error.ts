// The error that the package throws for a body that can't be used any further.

/** What is wrong, as a stable code for programs. The error message explains it to people. */
type SentryErrorCode =
  /** The body is encoded in a way that isn't supported. */
  | 'unsupported'
  /** The bytes don't match the encoding that they claim or seem to have. */
  | 'malformed'
  /** The body is larger than allowed after decoding. */
  | 'too-large'
  /** No key identifies the sender, or two of them contradict each other. */
  | 'bad-credentials';

/** The package throws no other error because of the content of a request. */
export class SentryError extends Error {
  override readonly name = 'SentryError';
  readonly code: SentryErrorCode;

  constructor(code: SentryErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
