// The columns of the list of upload tokens.
import type { OutputOf } from '@chauffeur/contract/operation';
import type { revokeUploadToken } from '@chauffeur/contract/operations/deploy-keys';
import { Button, Group, Text } from '@mantine/core';
import type { Column } from '../../ui/DataTable.tsx';
import { StateBadge } from '../../ui/StateBadge.tsx';
import { Time } from '../../ui/Time.tsx';
import table from '../../ui/table.module.css';

export type Token = OutputOf<typeof revokeUploadToken>;

const STATES = {
  active: { tone: 'good', label: 'Active' },
  expired: { tone: 'none', label: 'Expired' },
  revoked: { tone: 'none', label: 'Revoked' },
} as const;

export function tokenColumns(onAct: (kind: 'rename' | 'revoke', token: Token) => void): Column<Token>[] {
  return [
    { header: 'Name', cell: (token) => <TokenName token={token} /> },
    { header: 'Status', cell: (token) => <Status token={token} /> },
    {
      header: 'Created',
      hiddenBelow: 'md',
      cell: (token) => (
        <>
          <Time at={token.created_at} />{' '}
          <Text span size="sm" c="dimmed">
            by {token.created_by}
          </Text>
        </>
      ),
    },
    { header: 'Last used', cell: (token) => <LastUse token={token} /> },
    {
      header: 'Actions',
      isHeaderHidden: true,
      align: 'right',
      cell: (token) =>
        token.state === 'active' && (
          <Group gap={6} justify="flex-end" wrap="nowrap">
            <Button
              size="compact-xs"
              variant="default"
              aria-label={`Rename ${token.name}`}
              onClick={() => onAct('rename', token)}
            >
              Rename
            </Button>
            <Button
              size="compact-xs"
              variant="default"
              aria-label={`Revoke ${token.name}`}
              onClick={() => onAct('revoke', token)}
            >
              Revoke
            </Button>
          </Group>
        ),
    },
  ];
}

function TokenName({ token }: { token: Token }) {
  return (
    <>
      <span className={table.main}>{token.name}</span>{' '}
      <Text span size="sm" c="dimmed" ff="monospace">
        {token.key_ref}…
      </Text>
      <Text size="sm" c="dimmed">
        {token.scopes.join(', ')}
      </Text>
    </>
  );
}

function Status({ token: { state, expires_at } }: { token: Token }) {
  const { tone, label } = STATES[state];
  return (
    <>
      <StateBadge tone={tone}>{label}</StateBadge>
      {state === 'active' && (
        <Text size="xs" c="dimmed">
          {expires_at === null ? (
            'Never expires'
          ) : (
            <>
              Expires <Time at={expires_at} />
            </>
          )}
        </Text>
      )}
    </>
  );
}

function LastUse({ token: { last_used_at, last_used_from } }: { token: Token }) {
  if (last_used_at === null) return 'Never';
  return (
    <>
      <Time at={last_used_at} />
      {last_used_from !== null && (
        <Text size="xs" c="dimmed">
          from {last_used_from}
        </Text>
      )}
    </>
  );
}
