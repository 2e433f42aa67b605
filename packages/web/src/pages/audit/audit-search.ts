// Reads the filters of the audit log in the address of the page.
import type { InputOf } from '@chauffeur/contract/operation';
import type { listServiceAuditEntries } from '@chauffeur/contract/operations/audit';
import { ACTOR_KINDS } from '@chauffeur/contract/operations/audit';
import type { AUDIT_FILTERS, AuditSearch } from './audit-filters.ts';

type Filters = Pick<InputOf<typeof listServiceAuditEntries>, (typeof AUDIT_FILTERS)[number]>;

/** The filters without what the API would refuse, such as a part of an operation that is being typed. */
export function filtersOf({ who, kind, what, from, to, search }: AuditSearch): Filters & Record<string, string> {
  const listed = ACTOR_KINDS.find((name) => name === kind);
  const filters = {
    ...(who && { who: who.slice(0, 100) }),
    ...(listed !== undefined && { kind: listed }),
    ...(what !== undefined && /^[A-Za-z]+(\.[A-Za-z]+)?$/.test(what) && { what }),
    ...timeOf('from', from, 0),
    ...timeOf('to', to, 1),
    ...(search && { search: search.slice(0, 100) }),
  };
  return filters as Filters & Record<string, string>;
}

function timeOf(name: string, day: string | undefined, daysLater: number): Record<string, string> {
  const time = /^\d{4}-\d\d-\d\d$/.test(day ?? '') ? new Date(`${day}T00:00`) : new Date(Number.NaN);
  if (Number.isNaN(time.getTime())) return {};
  time.setDate(time.getDate() + daysLater);
  return { [name]: time.toISOString() };
}
