// The states of bug tickets: their labels, the filter of the list, and the actions that change them.
import type { OutputOf } from '@chauffeur/contract/operation';
import type { listBugTickets, updateBugTicket } from '@chauffeur/contract/operations/bugs';
import type { Tone } from '../../ui/StateBadge.tsx';

export type Ticket = OutputOf<typeof updateBugTicket>;
export type ListedTicket = OutputOf<typeof listBugTickets>['bugs'][number];
export type BugStatus = Ticket['status'];
export type StatusFilter = BugStatus | 'all';

export const STATUSES: Readonly<Record<BugStatus, { tone: Tone; label: string }>> = {
  open: { tone: 'unsure', label: 'Open' },
  fixed: { tone: 'good', label: 'Fixed' },
  closed: { tone: 'none', label: 'Closed' },
};

export const STATUS_FILTERS: readonly { readonly value: StatusFilter; readonly label: string }[] = [
  { value: 'open', label: 'Open' },
  { value: 'fixed', label: 'Fixed' },
  { value: 'closed', label: 'Closed' },
  { value: 'all', label: 'All' },
];

/** Reads the filter from the URL; open tickets by default. */
export function readStatusFilter(text: string | undefined): StatusFilter {
  return STATUS_FILTERS.find(({ value }) => value === text)?.value ?? 'open';
}

export type BugStatusAction = {
  readonly status: BugStatus;
  readonly label: string;
  /** Shown after the action. */
  readonly result: string;
};

const ACTIONS: Readonly<Record<BugStatus, BugStatusAction>> = {
  fixed: { status: 'fixed', label: 'Mark as fixed…', result: 'Ticket marked as fixed.' },
  closed: { status: 'closed', label: 'Close', result: 'Ticket closed.' },
  open: { status: 'open', label: 'Reopen', result: 'Ticket reopened.' },
};

/** The actions that lead to the two other states, the most frequent one first. */
export function actionsFrom(status: BugStatus): BugStatusAction[] {
  const order: readonly BugStatus[] = status === 'open' ? ['fixed', 'closed'] : ['open', 'fixed', 'closed'];
  return order.filter((other) => other !== status).map((other) => ACTIONS[other]);
}

/** The change that brings a ticket back to the state that it has. */
export function stateOf({ status, fixed_in_version: version }: Pick<Ticket, 'status' | 'fixed_in_version'>): {
  status: BugStatus;
  fixed_in_version?: string;
} {
  return { status, ...(version !== null && { fixed_in_version: version }) };
}

/** The labels in a text where they are separated by commas. */
export function parseLabels(text: string): string[] {
  const labels = text.split(',').map((label) => label.trim());
  return [...new Set(labels.filter((label) => label !== ''))];
}

/** The ID in an address or text; undefined without one. */
export function findId(text: string): string | undefined {
  return /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/i.exec(text)?.[0].toLowerCase();
}
