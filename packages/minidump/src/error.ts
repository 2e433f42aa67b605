// The error that the package throws for invalid input.

/** What is wrong, as a stable code for programs. The error message explains it to people. */
type MinidumpErrorCode =
  /** The file is not a minidump at all. */
  | 'not-a-minidump'
  /** Something points past the end of the file or of the structure that contains it. */
  | 'truncated'
  /** A value is not allowed by the format. */
  | 'malformed'
  /** Well-formed, but of a kind that is not supported, such as a CPU or a version. */
  | 'unsupported'
  /** The text is not a Breakpad symbol file. */
  | 'bad-symbols'
  /** The symbol cache is damaged, or of another version. */
  | 'bad-cache'
  /** An unwind rule cannot be evaluated. */
  | 'bad-rule'
  /** The input is larger than the limits allow. */
  | 'too-large';

/** The input is invalid. The package throws no other error because of the content of a dump or a symbol file. */
export class MinidumpError extends Error {
  override readonly name = 'MinidumpError';
  readonly code: MinidumpErrorCode;

  constructor(code: MinidumpErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
