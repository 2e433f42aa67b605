// The interface of virus scanners.

export type ScanVerdict =
  | { result: 'clean' }
  | { result: 'infected'; signature: string }
  /** The scanner did not scan everything, because of its own limit or an encrypted archive. */
  | { result: 'not-scanned'; reason: string };

export type ScannerVersion = {
  /** Such as `ClamAV 1.4.3`. */
  engine: string;
  /** Such as `27800 (2026-11-20)`; null if the scanner does not report it. */
  signatures: string | null;
};

export type Scanner = {
  /** The largest stream, in bytes, that one `scan` accepts. */
  readonly streamLimit: number;
  /**
   * Scans one stream. Rejects with ScannerUnavailableError if the scanner cannot be reached; errors of `source` pass
   * through.
   */
  scan(source: AsyncIterable<Uint8Array>): Promise<ScanVerdict>;
  version(): Promise<ScannerVersion>;
};

/** The scanner could not be reached or broke off; worth retrying later. */
export class ScannerUnavailableError extends Error {
  override readonly name = 'ScannerUnavailableError';
}
