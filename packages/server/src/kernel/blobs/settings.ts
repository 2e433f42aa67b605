// What a blob store needs to open, as JSON that can be passed to a worker thread. Credentials are not included.

/**
 * `prefix` precedes every name in the bucket; it is empty or ends with a slash. The AWS SDK finds credentials itself.
 */
export type S3Settings = { bucket: string; region: string; endpoint?: string; prefix?: string };

export type FileSettings = { folder: string };

export type BlobSettings = ({ kind: 'files' } & FileSettings) | ({ kind: 's3' } & S3Settings);
