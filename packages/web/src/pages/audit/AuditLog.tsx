// The audit log with its filters and exports, of a game or of the whole service.
import {
  exportAuditEntries,
  exportServiceAuditEntries,
  listAuditEntries,
  listServiceAuditEntries,
} from '@chauffeur/contract/operations/audit';
import { Anchor, Group, Text } from '@mantine/core';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { PagedTable } from '../../ui/PagedTable.tsx';
import { usePages } from '../../ui/use-pages.ts';
import { AuditFilters } from './AuditFilters.tsx';
import { auditColumns } from './audit-columns.tsx';
import { type AuditSearch, filtersOf } from './audit-search.ts';

type AuditLogProps = {
  /** Undefined for the whole service. */
  uid?: string;
  search: AuditSearch;
  onChange: (search: AuditSearch) => void;
};

export function AuditLog({ uid, search, onChange }: AuditLogProps) {
  const filters = filtersOf(search);
  const options = { keepsPreviousRows: true };
  const ofGame = { uid: uid ?? '', ...filters };
  const list =
    uid === undefined
      ? // biome-ignore lint/correctness/useHookAtTopLevel: a page never changes between a game and the service.
        usePages(listServiceAuditEntries, filters, (page) => page.entries, options)
      : // biome-ignore lint/correctness/useHookAtTopLevel: as above.
        usePages(listAuditEntries, ofGame, (page) => page.entries, options);
  return (
    <>
      <AuditFilters search={search} onChange={onChange} />
      <Group gap="md">
        <Text size="sm" c="dimmed">
          Export these entries:
        </Text>
        {(['csv', 'jsonl'] as const).map((format) => (
          <Anchor key={format} size="sm" href={exportUrl(uid, { format, ...filters })} download>
            {format === 'csv' ? 'CSV' : 'JSON lines'}
          </Anchor>
        ))}
      </Group>
      <PagedTable
        label="Audit log"
        list={list}
        columns={auditColumns(uid === undefined)}
        rowKey={({ entry_id }) => entry_id}
        empty={<EmptyState>No changes match.</EmptyState>}
        more="Show older changes"
      />
    </>
  );
}

function exportUrl(uid: string | undefined, query: Record<string, string>): string {
  const operation = uid === undefined ? exportServiceAuditEntries : exportAuditEntries;
  return `/api/v1${operation.path.replace('{uid}', uid ?? '')}?${new URLSearchParams(query)}`;
}
