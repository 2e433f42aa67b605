// One account as operators see it.
import { Button, Group, Table, Text } from '@mantine/core';
import { StateBadge } from '../../ui/StateBadge.tsx';
import { sayCount } from '../../ui/say.ts';
import { Time } from '../../ui/Time.tsx';
import type { OperatedUser, UserStep } from './UsersPage.tsx';

type UserRowProps = { user: OperatedUser; isBusy: boolean; onStep: (step: UserStep) => void };

export function UserRow({ user, isBusy, onStep }: UserRowProps) {
  return (
    <Table.Tr>
      <Table.Td>
        <Group gap="xs">
          <Text span size="sm" fw={600} style={{ overflowWrap: 'anywhere' }}>
            {user.name}
          </Text>
          {user.operator && <StateBadge tone="busy">Operator</StateBadge>}
          {!user.verified && <StateBadge tone="unsure">Not verified</StateBadge>}
        </Group>
        <Text size="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
          {user.email}
        </Text>
      </Table.Td>
      <Table.Td visibleFrom="sm">
        <Time at={user.created_at} />
      </Table.Td>
      <Table.Td ta="right" visibleFrom="sm">
        {sayCount(user.games)}
      </Table.Td>
      <Table.Td ta="right" visibleFrom="sm">
        {sayCount(user.sessions)}
      </Table.Td>
      <Table.Td ta="right">
        <Group gap={6} justify="flex-end">
          {!user.verified && (
            <Button
              size="compact-xs"
              variant="default"
              disabled={isBusy}
              aria-label={`Verify ${user.email}`}
              onClick={() => onStep({ kind: 'verify', user })}
            >
              Verify
            </Button>
          )}
          <Button
            size="compact-xs"
            variant="default"
            disabled={isBusy || user.sessions === 0}
            aria-label={`Sign out ${user.email}`}
            onClick={() => onStep({ kind: 'sign-out', user })}
          >
            Sign out
          </Button>
        </Group>
      </Table.Td>
    </Table.Tr>
  );
}
