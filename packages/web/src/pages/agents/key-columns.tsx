// The columns of the list of personal keys.
import { Button, Text } from '@mantine/core';
import type { Column } from '../../ui/DataTable.tsx';
import { StateBadge } from '../../ui/StateBadge.tsx';
import { Time } from '../../ui/Time.tsx';
import table from '../../ui/table.module.css';
import { ACCESS_COLUMNS } from './access-columns.tsx';
import { type Key, stateOf } from './reach.ts';

const STATES = {
  active: { tone: 'good', label: 'Active' },
  expired: { tone: 'none', label: 'Expired' },
  revoked: { tone: 'none', label: 'Revoked' },
} as const;

export function keyColumns(onRevoke: (key: Key) => void): Column<Key>[] {
  return [
    { header: 'Name', cell: (key) => <KeyName value={key} /> },
    { header: 'Status', cell: (key) => <Status value={key} /> },
    ...ACCESS_COLUMNS,
    {
      header: 'Actions',
      isHeaderHidden: true,
      align: 'right',
      cell: (key) =>
        stateOf(key, Date.now()) === 'active' && (
          <Button size="compact-xs" variant="default" aria-label={`Revoke ${key.name}`} onClick={() => onRevoke(key)}>
            Revoke
          </Button>
        ),
    },
  ];
}

function KeyName({ value: key }: { value: Key }) {
  return (
    <>
      <span className={table.main}>{key.name}</span>{' '}
      <Text span size="sm" c="dimmed" ff="monospace">
        {key.key_ref}…
      </Text>
    </>
  );
}

function Status({ value: key }: { value: Key }) {
  const state = stateOf(key, Date.now());
  const { tone, label } = STATES[state];
  return (
    <>
      <StateBadge tone={tone}>{label}</StateBadge>
      {state === 'active' && key.expires_at !== null && (
        <Text size="xs" c="dimmed">
          Expires <Time at={key.expires_at} />
        </Text>
      )}
    </>
  );
}
