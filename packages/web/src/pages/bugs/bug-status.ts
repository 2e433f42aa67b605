// The states of bug tickets: their words, which of them a list shows, and what can be done from each.
import type { OutputOf } from '@chauffeur/contract/operation';
import type { getBugTicket } from '@chauffeur/contract/operations/bugs';
import type { Tone } from '../../ui/StateBadge.tsx';

export type Ticket = OutputOf<typeof getBugTicket>;
export type BugStatus = Ticket['status'];
export type Shown = BugStatus | 'all';

export const STATUSES: Readonly<Record<BugStatus, { tone: Tone; word: string }>> = {
  open: { tone: 'unsure', word: 'Open' },
  fixed: { tone: 'good', word: 'Fixed' },
  closed: { tone: 'none', word: 'Closed' },
};

export const CHOICES: readonly { readonly value: Shown; readonly label: string }[] = [
  { value: 'open', label: 'Open' },
  { value: 'fixed', label: 'Fixed' },
  { value: 'closed', label: 'Closed' },
  { value: 'all', label: 'All' },
];

/** What a list shows, as its address has it: the open ones, where it says nothing that is known. */
export function readShown(text: string | undefined): Shown {
  return CHOICES.find(({ value }) => value === text)?.value ?? 'open';
}

export type Step = { readonly status: BugStatus; readonly label: string; readonly says: string };

const MARKS: Readonly<Record<BugStatus, Step>> = {
  fixed: { status: 'fixed', label: 'Mark fixed', says: 'Marked as fixed.' },
  closed: { status: 'closed', label: 'Close', says: 'Closed.' },
  open: { status: 'open', label: 'Open again', says: 'Open again.' },
};

/** From each state into the two others, what is done most often first. */
export function stepsFrom(status: BugStatus): Step[] {
  const order: readonly BugStatus[] = status === 'open' ? ['fixed', 'closed'] : ['open', 'fixed', 'closed'];
  return order.filter((other) => other !== status).map((other) => MARKS[other]);
}

export function sayMark(status: BugStatus): string {
  return MARKS[status].says;
}

/** The message on one line, for a list. */
export function excerptOf(message: string): string {
  return message.slice(0, 400).replace(/\s+/g, ' ').trim();
}
