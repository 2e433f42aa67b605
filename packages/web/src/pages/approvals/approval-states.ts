// The states of an approval: their words, and their tones.
import type { ApprovalState } from '@chauffeur/contract/operations/approvals';
import type { Tone } from '../../ui/StateBadge.tsx';

export const APPROVAL_BADGES: Readonly<Record<ApprovalState, { tone: Tone; word: string }>> = {
  pending: { tone: 'busy', word: 'Waits' },
  approved: { tone: 'good', word: 'Approved' },
  denied: { tone: 'bad', word: 'Denied' },
  expired: { tone: 'none', word: 'Expired' },
};
