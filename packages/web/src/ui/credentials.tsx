// Cells of the lists of keys and tokens.
import { Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { StateBadge } from './StateBadge.tsx';
import { Time } from './Time.tsx';
import table from './table.module.css';

type NameProps = {
  name: string;
  /** The start of the secret, by which it is recognized. */
  reference: string;
  /** What it allows. */
  children?: ReactNode;
};

export function CredentialName({ name, reference, children }: NameProps) {
  return (
    <>
      <span className={table.main}>{name}</span>{' '}
      <Text span size="sm" c="dimmed" ff="monospace">
        {reference}…
      </Text>
      {children !== undefined && (
        <Text size="sm" c="dimmed">
          {children}
        </Text>
      )}
    </>
  );
}

const STATES = {
  active: { tone: 'good', label: 'Active' },
  expired: { tone: 'none', label: 'Expired' },
  revoked: { tone: 'none', label: 'Revoked' },
} as const;

type StateProps = { state: keyof typeof STATES; expiresAt: string | null };

export function CredentialState({ state, expiresAt }: StateProps) {
  const { tone, label } = STATES[state];
  return (
    <>
      <StateBadge tone={tone}>{label}</StateBadge>
      {state === 'active' && (
        <Text size="xs" c="dimmed">
          {expiresAt === null ? (
            'Never expires'
          ) : (
            <>
              Expires <Time at={expiresAt} />
            </>
          )}
        </Text>
      )}
    </>
  );
}

type UseProps = { at: string | null; from: string | null };

export function LastUse({ at, from }: UseProps) {
  if (at === null) return 'Never';
  return (
    <>
      <Time at={at} />
      {from !== null && (
        <Text size="xs" c="dimmed">
          from {from}
        </Text>
      )}
    </>
  );
}
