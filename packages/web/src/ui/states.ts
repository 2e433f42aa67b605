// The states of builds, files and symbols: their words, and their tones.
import type { CrashState } from '@chauffeur/contract/operations/crashes';
import type { ScanState } from '@chauffeur/contract/operations/files';
import type { SYMBOL_STATES } from '@chauffeur/contract/operations/symbols';
import type { Tone } from './StateBadge.tsx';

export type BuildStateName = 'registered' | 'processing' | 'ready' | 'rejected';
type SymbolState = (typeof SYMBOL_STATES)[number];
type State = { readonly tone: Tone; readonly word: string };

export const BUILD_STATES: Readonly<Record<BuildStateName, State>> = {
  registered: { tone: 'none', word: 'No file yet' },
  processing: { tone: 'busy', word: 'Scanning' },
  ready: { tone: 'good', word: 'Ready' },
  rejected: { tone: 'bad', word: 'Rejected' },
};

export const SCANS: Readonly<Record<ScanState, State>> = {
  pending: { tone: 'busy', word: 'Waits for its scan' },
  scanning: { tone: 'busy', word: 'Scanning' },
  clean: { tone: 'good', word: 'Clean' },
  infected: { tone: 'bad', word: 'Infected' },
  error: { tone: 'bad', word: 'Not readable' },
  unscanned: { tone: 'unsure', word: 'Unscanned' },
};

export const SYMBOLS: Readonly<Record<SymbolState, State>> = {
  stored: { tone: 'busy', word: 'Compiling' },
  compiled: { tone: 'good', word: 'In use' },
  unreadable: { tone: 'bad', word: 'Unreadable' },
};

/** What becomes of a crash report; the last two are final. */
export const CRASHES: Readonly<Record<CrashState, State>> = {
  received: { tone: 'none', word: 'Waits for its dump' },
  queued: { tone: 'busy', word: 'Queued' },
  processing: { tone: 'busy', word: 'Being read' },
  processed: { tone: 'good', word: 'Processed' },
  failed: { tone: 'bad', word: 'Not readable' },
};

/** Who sees a game, in a word and in a sentence. */
export const VISIBILITIES = {
  public: { word: 'Public', says: 'Anyone can find it; it stands on shelves when it passes the listing check.' },
  invisible: { word: 'Invisible', says: 'Anyone who has the link can see it; it is listed nowhere.' },
  draft: { word: 'Draft', says: 'Only its owner and admins can see it.' },
} as const;
