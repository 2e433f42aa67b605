// One personal key in the list of them.
import { Button, Table, Text } from '@mantine/core';
import { StateBadge } from '../../ui/StateBadge.tsx';
import { Time } from '../../ui/Time.tsx';
import table from '../../ui/table.module.css';
import { type Key, sayGames, sayRights, stateOf } from './reach.ts';

const BADGES = {
  works: { tone: 'good', word: 'Works' },
  expired: { tone: 'none', word: 'Expired' },
  revoked: { tone: 'none', word: 'Revoked' },
} as const;

export function KeyRow({ value: key, onRevoke }: { value: Key; onRevoke: () => void }) {
  const state = stateOf(key, Date.now());
  const { tone, word } = BADGES[state];
  return (
    <Table.Tr>
      <Table.Td>
        <span className={table.main}>{key.name}</span>{' '}
        <Text span size="sm" c="dimmed" ff="monospace">
          {key.key_ref}…
        </Text>
        <Text size="sm" c="dimmed" hiddenFrom="sm">
          {sayRights(key)} · {sayGames(key)}
        </Text>
      </Table.Td>
      <Table.Td>
        <StateBadge tone={tone}>{word}</StateBadge>
        {state === 'works' && key.expires_at !== null && (
          <Text size="xs" c="dimmed">
            expires <Time at={key.expires_at} />
          </Text>
        )}
      </Table.Td>
      <Table.Td visibleFrom="sm">{sayRights(key)}</Table.Td>
      <Table.Td visibleFrom="sm">{sayGames(key)}</Table.Td>
      <Table.Td visibleFrom="sm">{key.last_used_at === null ? 'Never' : <Time at={key.last_used_at} />}</Table.Td>
      <Table.Td ta="right">
        {state === 'works' && (
          <Button size="compact-xs" variant="default" aria-label={`Revoke ${key.name}`} onClick={onRevoke}>
            Revoke
          </Button>
        )}
      </Table.Td>
    </Table.Tr>
  );
}
