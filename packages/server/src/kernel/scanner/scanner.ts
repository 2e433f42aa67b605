// What the service needs of a virus scanner.

export type Verdict =
  | { result: 'clean' }
  | { result: 'infected'; signature: string }
  /** The scanner answered that it did not look at all of it: a limit of its own, an encrypted archive. */
  | { result: 'not-scanned'; reason: string };

export type ScannerVersion = {
  /** Such as `ClamAV 1.4.3`. */
  engine: string;
  /** Such as `27800 (2026-11-20)`; null when the scanner does not tell. */
  signatures: string | null;
};

export type Scanner = {
  /** Largest stream in bytes that one `scan` takes. */
  readonly streamLimit: number;
  /** Scans one stream. Rejects with ScannerUnavailableError when the scanner cannot be asked; errors of `source` pass through. */
  scan(source: AsyncIterable<Uint8Array>): Promise<Verdict>;
  version(): Promise<ScannerVersion>;
};

/** The scanner is not reachable or broke off: worth another try later. */
export class ScannerUnavailableError extends Error {
  override readonly name = 'ScannerUnavailableError';
}
