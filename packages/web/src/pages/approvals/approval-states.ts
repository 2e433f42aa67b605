// The labels and tones of approval states.
import type { ApprovalState } from '@chauffeur/contract/operations/approvals';
import type { Tone } from '../../ui/StateBadge.tsx';

export const APPROVAL_BADGES: Readonly<Record<ApprovalState, { tone: Tone; label: string }>> = {
  pending: { tone: 'busy', label: 'Pending' },
  approved: { tone: 'good', label: 'Approved' },
  denied: { tone: 'bad', label: 'Denied' },
  expired: { tone: 'none', label: 'Expired' },
};
