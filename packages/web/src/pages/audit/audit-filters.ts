// The names of the filters of the audit log. They are separate from what reads them, because every page loads them with
// the addresses of all pages.

export const AUDIT_FILTERS = ['who', 'kind', 'what', 'from', 'to', 'search'] as const;

/** `from` and `to` are days in the local time of the browser, such as 2026-11-30. */
export type AuditSearch = Partial<Record<(typeof AUDIT_FILTERS)[number], string | undefined>>;
