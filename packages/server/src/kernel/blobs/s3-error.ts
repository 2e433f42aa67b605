// The error of every request to S3 that failed. Without the AWS SDK, which only S3 blob stores load.

/**
 * S3 refused a request or could not be reached. `code` comes from S3 or the network, such as AccessDenied or
 * ECONNREFUSED.
 */
export class S3Error extends Error {
  override readonly name = 'S3Error';
  readonly code: string;

  constructor(request: string, bucket: string, cause: unknown) {
    const code = codeOf(cause);
    super(`${request} on S3 bucket ${bucket} failed: ${code}: ${messageOf(cause)}`, { cause });
    this.code = code;
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
