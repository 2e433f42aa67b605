// The audit log with its filters and exports, of a game, an organisation or the whole service.
import { pathOf } from '@chauffeur/contract/operation';
import {
  exportAuditEntries,
  exportOrganisationAuditEntries,
  exportServiceAuditEntries,
  listAuditEntries,
  listOrganisationAuditEntries,
  listServiceAuditEntries,
} from '@chauffeur/contract/operations/audit';
import { Anchor, Group, Text } from '@mantine/core';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { PagedTable } from '../../ui/PagedTable.tsx';
import { usePages } from '../../ui/use-pages.ts';
import classes from './AuditFilters.module.css';
import { AuditFilters } from './AuditFilters.tsx';
import { auditColumns } from './audit-columns.tsx';
import { type AuditSearch, filtersOf } from './audit-search.ts';

/** The uid of a game or of an organisation, or everything. */
type AuditScope = { readonly game: string } | { readonly organisation: string } | 'service';

type AuditLogProps = {
  scope: AuditScope;
  search: AuditSearch;
  onChange: (search: AuditSearch) => void;
};

export function AuditLog({ scope, search, onChange }: AuditLogProps) {
  const filters = filtersOf(search);
  const list = useEntries(scope, filters);
  return (
    <>
      <AuditFilters search={search} onChange={onChange} />
      <Group gap="md">
        <Text size="sm" c="dimmed">
          Export these entries:
        </Text>
        {(['csv', 'jsonl'] as const).map((format) => (
          <Anchor key={format} size="sm" href={exportUrl(scope, { format, ...filters })} download>
            {format === 'csv' ? 'CSV' : 'JSON lines'}
          </Anchor>
        ))}
      </Group>
      <div className={classes.log}>
        <PagedTable
          label="Audit log"
          list={list}
          columns={auditColumns(!(typeof scope === 'object' && 'game' in scope))}
          rowKey={({ entry_id }) => entry_id}
          empty={<EmptyState>No changes match.</EmptyState>}
          more="Show older changes"
        />
      </div>
    </>
  );
}

/** A page never changes between the kinds of scopes, so it always calls the same hook. */
function useEntries(scope: AuditScope, filters: ReturnType<typeof filtersOf>) {
  const options = { keepsPreviousRows: true };
  if (scope === 'service')
    // biome-ignore lint/correctness/useHookAtTopLevel: see above.
    return usePages(listServiceAuditEntries, filters, (page) => page.entries, options);
  if ('game' in scope)
    // biome-ignore lint/correctness/useHookAtTopLevel: see above.
    return usePages(listAuditEntries, { uid: scope.game, ...filters }, (page) => page.entries, options);
  const ofOrganisation = { organisation: scope.organisation, ...filters };
  // biome-ignore lint/correctness/useHookAtTopLevel: see above.
  return usePages(listOrganisationAuditEntries, ofOrganisation, (page) => page.entries, options);
}

function exportUrl(scope: AuditScope, query: Record<string, string>): string {
  return `/api/v1${exportPath(scope)}?${new URLSearchParams(query)}`;
}

function exportPath(scope: AuditScope): string {
  if (scope === 'service') return exportServiceAuditEntries.path;
  if ('game' in scope) return pathOf(exportAuditEntries, { uid: scope.game });
  return pathOf(exportOrganisationAuditEntries, { organisation: scope.organisation });
}
