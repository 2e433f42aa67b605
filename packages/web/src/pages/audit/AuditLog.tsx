// The audit log of a game, an organisation or the whole service, with its filters, columns and exports.
import { type OutputOf, pathOf } from '@chauffeur/contract/operation';
import {
  type ACTOR_KINDS,
  exportAuditEntries,
  exportOrganisationAuditEntries,
  exportServiceAuditEntries,
  listAuditEntries,
  listOrganisationAuditEntries,
  listServiceAuditEntries,
} from '@chauffeur/contract/operations/audit';
import { Anchor, Group, NativeSelect, Text, TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { useState } from 'react';
import { type Column, EmptyState } from '../../ui/DataTable.tsx';
import { PagedTable, usePages } from '../../ui/PagedTable.tsx';
import { StateBadge } from '../../ui/StateBadge.tsx';
import { Time } from '../../ui/Time.tsx';
import table from '../../ui/table.module.css';
import classes from './AuditFilters.module.css';
import type { AuditSearch } from './audit-filters.ts';
import { filtersOf } from './audit-search.ts';

/** What the log covers: a game or an organisation with this uid, or else the whole service. */
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

/** The kind of scope never changes while a page is open, so it always calls the same hook. */
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

const TYPING_DELAY_MS = 250;

type AuditFiltersProps = { search: AuditSearch; onChange: (search: AuditSearch) => void };

/** The filters of the audit log: person, kind of caller, change, days and text. */
function AuditFilters({ search, onChange }: AuditFiltersProps) {
  const change = (field: keyof AuditSearch, text: string) =>
    onChange({ ...search, [field]: text.trim() === '' ? undefined : text.trim() });
  const changeText = useDebouncedCallback(change, TYPING_DELAY_MS);
  const kinds = Object.entries(KINDS).map(([value, label]) => ({ value, label }));
  return (
    <div className={classes.filters}>
      <TextInput
        type="search"
        label="Search"
        placeholder="Value or name"
        defaultValue={search.search ?? ''}
        onChange={(event) => changeText('search', event.currentTarget.value)}
      />
      <TextInput
        type="search"
        label="Who"
        placeholder="Person or agent"
        defaultValue={search.who ?? ''}
        onChange={(event) => changeText('who', event.currentTarget.value)}
      />
      <NativeSelect
        label="Made by"
        data={[{ value: '', label: 'Anyone' }, ...kinds]}
        value={search.kind ?? ''}
        onChange={(event) => change('kind', event.currentTarget.value)}
      />
      <TextInput
        type="search"
        label="Operation"
        placeholder="channels"
        defaultValue={search.what ?? ''}
        onChange={(event) => changeText('what', event.currentTarget.value)}
      />
      <TextInput
        type="date"
        label="From"
        defaultValue={search.from ?? ''}
        onChange={(event) => changeText('from', event.currentTarget.value)}
      />
      <TextInput
        type="date"
        label="To"
        defaultValue={search.to ?? ''}
        onChange={(event) => changeText('to', event.currentTarget.value)}
      />
    </div>
  );
}

/** The names of the kinds of callers that make changes. */
const KINDS: Readonly<Record<(typeof ACTOR_KINDS)[number], string>> = {
  user: 'People',
  agent: 'Agents',
  operator: 'Operators',
  deploy_key: 'Deploy keys',
  upload_token: 'Upload tokens',
  cli_login: 'The chauffeur command',
  api_token: 'API token',
  server: 'The server command',
  anonymous: 'Not signed in',
};

type Entry = OutputOf<typeof listAuditEntries>['entries'][number];

/** The columns: time, caller, change, and the values before and after it. */
function auditColumns(showsGame: boolean): Column<Entry>[] {
  return [
    { header: 'Date', className: table.small, cell: ({ at }) => <Time at={at} /> },
    { header: 'Who', width: '10rem', overflow: 'anywhere', cell: (entry) => <Who entry={entry} /> },
    {
      header: 'What',
      cell: (entry) => (
        <>
          <OperationName id={entry.operation} />
          {entry.outcome !== 0 && <StateBadge tone="bad">{`Error ${entry.outcome}`}</StateBadge>}
          {showsGame && entry.game !== null && (
            <Text size="xs" c="dimmed">
              {entry.game.name}
            </Text>
          )}
        </>
      ),
    },
    { header: 'Change', overflow: 'anywhere', isLong: true, cell: (entry) => <Changes entry={entry} /> },
    {
      header: 'From',
      hiddenBelow: 'md',
      overflow: 'nowrap',
      title: ({ client }) => client ?? undefined,
      cell: ({ address }) => address ?? '',
    },
  ];
}

/** Lets the line break after the dot where the column is narrow. */
function OperationName({ id }: { id: string }) {
  const [tag, ...name] = id.split('.');
  return (
    <code>
      {tag}.<wbr />
      {name.join('.')}
    </code>
  );
}

function formatVia(kind: Entry['actor']['kind'], via: string): string {
  if (kind === 'agent') return `through ${via}`;
  return kind === 'api_token' ? `with the token ${via}` : via;
}

function Who({ entry: { actor } }: { entry: Entry }) {
  return (
    <>
      {actor.name}
      {actor.via !== null && (
        <Text size="xs" c="dimmed">
          {formatVia(actor.kind, actor.via)}
        </Text>
      )}
    </>
  );
}

/** The values before and after the change, or else the options of the request. */
function Changes({ entry: { changes, details } }: { entry: Entry }) {
  const changed = Object.entries(changes);
  if (changed.length > 0)
    return changed.map(([field, { before, after }]) => (
      <Text key={field} size="sm">
        {field}:{' '}
        {isSet(before) && (
          <del>
            <Value value={before} />
          </del>
        )}
        {isSet(before) && isSet(after) && ' → '}
        {isSet(after) ? <Value value={after} /> : !isSet(before) && 'removed'}
      </Text>
    ));
  return Object.entries(details)
    .filter(([name]) => name !== 'uid')
    .map(([name, value]) => (
      <Text key={name} size="sm" c="dimmed">
        {name}: <Value value={value} />
      </Text>
    ));
}

/** Longer values, such as descriptions, would push the other entries off the page. */
const SHOWN_LENGTH = 160;

/** Shows a value; of a long one, its beginning until someone opens it. */
function Value({ value }: { value: unknown }) {
  const [isOpen, setOpen] = useState(false);
  const text = format(value);
  if (text.length <= SHOWN_LENGTH || isOpen) return text;
  return (
    <>
      {[...text.slice(0, SHOWN_LENGTH)].slice(0, -1).join('').trimEnd()}…{' '}
      <Anchor component="button" type="button" size="sm" underline="always" onClick={() => setOpen(true)}>
        Show all
      </Anchor>
    </>
  );
}

function isSet(value: unknown): boolean {
  return value !== undefined && value !== null && value !== '' && !(Array.isArray(value) && value.length === 0);
}

function format(value: unknown): string {
  if (Array.isArray(value)) return value.map(format).join(', ');
  return typeof value === 'string' ? value : JSON.stringify(value);
}
