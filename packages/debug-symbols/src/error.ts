// The error that the package throws for invalid input.

/** What is wrong, as a stable code for programs. The error message explains it to people. */
type DebugSymbolsErrorCode =
  /** The file is of no format that the package reads. */
  | 'unknown-format'
  /** Something points past the end of the file or of the structure that contains it. */
  | 'truncated'
  /** A value is not allowed by the format. */
  | 'malformed'
  /** Well-formed, but of a kind that is not supported, such as a version or a compression. */
  | 'unsupported'
  /** Only half of what belongs together. */
  | 'incomplete'
  /** The two files that were given don't belong together. */
  | 'mismatch'
  /** The input is larger than the limits allow. */
  | 'too-large';

/** The input is invalid. The package throws no other error because of the content of a file. */
export class DebugSymbolsError extends Error {
  override readonly name = 'DebugSymbolsError';
  readonly code: DebugSymbolsErrorCode;

  constructor(code: DebugSymbolsErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
