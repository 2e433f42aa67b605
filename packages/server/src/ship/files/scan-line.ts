// The status line of a file's scan for players and deploy tools.
import type { ScanState } from '@chauffeur/contract/operations/files';

const LINES: Record<ScanState, string> = {
  pending: 'Queued for virus scan',
  scanning: 'Scanning for viruses',
  clean: 'Scanned clean with ClamAV',
  infected: 'Rejected: malware found',
  error: 'Rejected: the scan failed',
  unscanned: 'Not scanned: no virus scanner on this server',
};

export function scanLine(state: ScanState): string {
  return LINES[state];
}
