// Recognizes errors caused by a full disk: of this machine, of the blob store, or of the database. They pass once there
// is room again.

const FULL = new Set([
  // File systems (Linux).
  'ENOSPC',
  'EDQUOT',
  // S3 servers.
  'XMinioStorageFull',
  'InsufficientStorage',
  'QuotaExceeded',
  // PostgreSQL: disk_full.
  '53100',
]);

/** Also checks the causes of the error. */
export function isStorageFull(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  // The AWS SDK puts the server's error code into the name.
  return FULL.has((error as { code?: string }).code ?? '') || FULL.has(error.name) || isStorageFull(error.cause);
}
