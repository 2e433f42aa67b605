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

/** Breaks after the dot where the column is narrow. */
function OperationName({ id }: { id: string }) {
  const [tag, ...name] = id.split('.');
  return (
    <code>
      {tag}.<wbr />
      {name.join('.')}
    </code>
  );
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
        {field}: {isSet(before) && <del>{format(before)}</del>}
        {isSet(before) && isSet(after) && ' → '}
        {isSet(after) ? format(after) : !isSet(before) && 'removed'}
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

function isSet(value: unknown): boolean {
  return value !== undefined && value !== null && value !== '' && !(Array.isArray(value) && value.length === 0);
}

function format(value: unknown): string {
  if (Array.isArray(value)) return value.map(format).join(', ');
  return typeof value === 'string' ? value : JSON.stringify(value);
}
