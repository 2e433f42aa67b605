// The columns of the audit log: when, who, what, and the values before and after.
import type { OutputOf } from '@chauffeur/contract/operation';
import type { listAuditEntries } from '@chauffeur/contract/operations/audit';
import { Text } from '@mantine/core';
import type { Column } from '../../ui/DataTable.tsx';
import { StateBadge } from '../../ui/StateBadge.tsx';
import { Time } from '../../ui/Time.tsx';
import table from '../../ui/table.module.css';

type Entry = OutputOf<typeof listAuditEntries>['entries'][number];

export function auditColumns(showsGame: boolean): Column<Entry>[] {
  return [
    { header: 'Date', className: table.small, cell: ({ at }) => <Time at={at} /> },
    { header: 'Who', overflow: 'anywhere', cell: (entry) => <Who entry={entry} /> },
    {
      header: 'What',
      overflow: 'anywhere',
      cell: (entry) => (
        <>
          <code>{entry.operation}</code>
          {entry.outcome !== 0 && <StateBadge tone="bad">{`Error ${entry.outcome}`}</StateBadge>}
          {showsGame && entry.game !== null && (
            <Text size="xs" c="dimmed">
              {entry.game.name}
            </Text>
          )}
        </>
      ),
    },
    { header: 'Change', overflow: 'anywhere', cell: (entry) => <Changes entry={entry} /> },
    {
      header: 'From',
      hiddenBelow: 'md',
      overflow: 'anywhere',
      title: ({ client }) => client ?? undefined,
      cell: ({ address }) => address ?? '',
    },
  ];
}

function Who({ entry: { actor } }: { entry: Entry }) {
  return (
    <>
      {actor.name}
      {actor.via !== null && (
        <Text size="xs" c="dimmed">
          {actor.kind === 'agent' ? `through ${actor.via}` : actor.via}
        </Text>
      )}
    </>
  );
}

/** Without values before and after, the options of the request say what was done. */
function Changes({ entry: { changes, details } }: { entry: Entry }) {
  const changed = Object.entries(changes);
  if (changed.length > 0)
    return changed.map(([field, { before, after }]) => (
      <Text key={field} size="sm">
        {field}: {before !== undefined && before !== null && <del>{format(before)}</del>}{' '}
        {after !== undefined && after !== null ? <span>→ {format(after)}</span> : 'removed'}
      </Text>
    ));
  return Object.entries(details)
    .filter(([name]) => name !== 'uid')
    .map(([name, value]) => (
      <Text key={name} size="sm" c="dimmed">
        {name}: {format(value)}
      </Text>
    ));
}

function format(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
