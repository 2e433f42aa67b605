// The errors of a blob store that callers tell apart, for `runInThread`, which can only rebuild errors of known classes.
import { S3Error } from './s3-error.ts';
import { BlobMissingError } from './store.ts';

export const BLOB_FAILURES = [BlobMissingError, S3Error] as const;
