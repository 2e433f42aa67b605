// The errors of a blob store that callers tell apart. `runInThread` can only rebuild errors of known classes. The AWS
// SDK is not imported here, because only S3 blob stores load it.
import { BlobMissingError } from './store.ts';

/**
 * S3 refused a request or could not be reached. `code` comes from S3 or the network, such as AccessDenied or
 * ECONNREFUSED; an error that comes from a thread has it only in its message.
 */
export class S3Error extends Error {
  override readonly name = 'S3Error';
  readonly code: string;

  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = codeOf(options?.cause);
  }

  /** `request` is text such as `GetObject of a.zip`. */
  static of(request: string, bucket: string, cause: unknown): S3Error {
    return new S3Error(`${request} on S3 bucket ${bucket} failed: ${codeOf(cause)}: ${messageOf(cause)}`, { cause });
  }
}

/** Errors of S3 have their code as their name; network errors have it in `code`. */
export function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return 'Unknown';
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name;
}

function messageOf(error: unknown): string {
  return error instanceof Error && error.message !== '' ? error.message : 'no further reason given';
}

export const BLOB_FAILURES = [BlobMissingError, S3Error] as const;
