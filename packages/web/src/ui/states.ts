// The labels and tones of build, file, symbol and crash states, and of a game's visibility.
import type { CrashState } from '@chauffeur/contract/operations/crash-reports';
import type { ScanState } from '@chauffeur/contract/operations/files';
import type { SymbolState } from '@chauffeur/contract/operations/symbols';
import type { Tone } from './StateBadge.tsx';

export type BuildStateName = 'registered' | 'processing' | 'ready' | 'rejected';
type State = { readonly tone: Tone; readonly label: string };

export const BUILD_STATES: Readonly<Record<BuildStateName, State>> = {
  registered: { tone: 'none', label: 'No file yet' },
  processing: { tone: 'busy', label: 'Scanning' },
  ready: { tone: 'good', label: 'Ready' },
  rejected: { tone: 'bad', label: 'Rejected' },
};

export const SCANS: Readonly<Record<ScanState, State>> = {
  pending: { tone: 'busy', label: 'Queued for scan' },
  scanning: { tone: 'busy', label: 'Scanning' },
  clean: { tone: 'good', label: 'Clean' },
  infected: { tone: 'bad', label: 'Infected' },
  error: { tone: 'bad', label: 'Unreadable' },
  unscanned: { tone: 'unsure', label: 'Unscanned' },
};

export const SYMBOLS: Readonly<Record<SymbolState, State>> = {
  stored: { tone: 'busy', label: 'Compiling' },
  compiled: { tone: 'good', label: 'In use' },
  unreadable: { tone: 'bad', label: 'Unreadable' },
};

/** A report stays in one of the last two states. */
export const CRASHES: Readonly<Record<CrashState, State>> = {
  received: { tone: 'none', label: 'Waiting for dump' },
  queued: { tone: 'busy', label: 'Queued' },
  processing: { tone: 'busy', label: 'Processing' },
  processed: { tone: 'good', label: 'Processed' },
  failed: { tone: 'bad', label: 'Unreadable' },
};

/** Who can see a game. */
export const VISIBILITIES = {
  public: {
    label: 'Public',
    description: 'Anyone can find it. It is listed in the store once it passes the listing check.',
  },
  invisible: { label: 'Invisible', description: 'Anyone with the link can see it. It is not listed in the store.' },
  draft: { label: 'Draft', description: 'Only its members can see it.' },
} as const;
