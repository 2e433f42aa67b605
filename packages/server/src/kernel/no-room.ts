// Tells of an error whether it comes of a full disk: of this machine, of the blobs, or of the database. That passes when room is made.

const FULL = new Set([
  // Of a file system (Linux).
  'ENOSPC',
  'EDQUOT',
  // Of S3 servers that say it.
  'XMinioStorageFull',
  'InsufficientStorage',
  'QuotaExceeded',
  // Of PostgreSQL: disk_full.
  '53100',
]);

/** Looks also at what the error was caused by. */
export function hasNoRoom(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  // The AWS SDK has the server's word in the name.
  return FULL.has((error as { code?: string }).code ?? '') || FULL.has(error.name) || hasNoRoom(error.cause);
}
