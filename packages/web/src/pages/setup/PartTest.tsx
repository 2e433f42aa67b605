// The button that tests a part of the installation, and the result of the test.
import { ApiError } from '@chauffeur/contract/errors';
import { Button, Group, Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { Problem } from '../../ui/Problem.tsx';
import { StateBadge } from '../../ui/StateBadge.tsx';
import classes from './Installation.module.css';
import { type Check, runTest, type TestedPart } from './run-test.ts';

const LABELS: Readonly<Record<TestedPart, string>> = {
  address: 'Test address',
  mail: 'Send a test email',
  scanner: 'Test scanner',
  storage: 'Test storage',
};

const LEVELS = { good: 'OK', unsure: 'Check', bad: 'Failed' } as const;

export function PartTest({ part, name }: { part: TestedPart; name: string }) {
  const test = useMutation({ mutationFn: () => runTest(part) });
  return (
    <Stack gap="xs">
      <Group>
        <Button variant="default" size="xs" loading={test.isPending} onClick={() => test.mutate()}>
          {LABELS[part]}
        </Button>
      </Group>
      <div role="status" aria-label={`Test of ${name.toLowerCase()}`}>
        {test.data !== undefined && !test.isPending && <Checks checks={test.data} />}
      </div>
      {test.error !== null && (
        <>
          <Problem error={test.error} onRetry={() => test.mutate()} />
          {part === 'address' && test.error instanceof ApiError && test.error.code === 4043 && (
            <Text size="sm">For nginx, set client_max_body_size 0.</Text>
          )}
        </>
      )}
    </Stack>
  );
}

function Checks({ checks }: { checks: readonly Check[] }) {
  return (
    <ul className={classes.checks}>
      {checks.map(({ level, says, remedy }) => (
        <li key={says} className={classes.check}>
          <StateBadge tone={level}>{LEVELS[level]}</StateBadge>
          <div>
            <Text size="sm">{says}</Text>
            {remedy !== null && (
              <Text size="sm" c="dimmed">
                {remedy}
              </Text>
            )}
          </div>
        </li>
      ))}
    </ul>
  );
}
