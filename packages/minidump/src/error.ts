// The one kind of error that the package throws for bad input.

/** What is wrong, for programs; the message says it for people. */
export type MinidumpErrorCode =
  /** The file is not a minidump at all. */
  | 'not-a-minidump'
  /** Something points past the end of the file, or of what holds it. */
  | 'truncated'
  /** A value that the format does not allow. */
  | 'malformed'
  /** Well formed, and of a kind that is not supported: a CPU, a version. */
  | 'unsupported'
  /** The text is not a Breakpad symbol file. */
  | 'bad-symbols'
  /** A symbol cache that is damaged, or of another version. */
  | 'bad-cache'
  /** An unwind rule that does not evaluate. */
  | 'bad-rule'
  /** Larger than the limits allow. */
  | 'too-large';

/** The input is bad. No other error leaves the package for what stands in a dump or a symbol file. */
export class MinidumpError extends Error {
  override readonly name = 'MinidumpError';
  readonly code: MinidumpErrorCode;

  constructor(code: MinidumpErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
