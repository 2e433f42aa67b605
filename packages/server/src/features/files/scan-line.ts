// The one line about a file's scan that players and deploy tools read.
import type { ScanState } from '@chauffeur/contract/operations/files';

const LINES: Record<ScanState, string> = {
  pending: 'Waiting for the virus scan',
  scanning: 'Being scanned for viruses',
  clean: 'Scanned clean with ClamAV',
  infected: 'Rejected: the virus scan found something',
  error: 'Rejected: the file could not be checked',
  unscanned: 'Not scanned: this server has no virus scanner',
};

export function scanLine(state: ScanState): string {
  return LINES[state];
}
