// What became of a file since it was uploaded, step by step.
import type { ScanState } from '@chauffeur/contract/operations/files';
import { Group, Text } from '@mantine/core';
import { StateBadge, type Tone } from '../../ui/StateBadge.tsx';
import { Time } from '../../ui/Time.tsx';
import classes from './FilePage.module.css';

type ScanEvent = {
  readonly at: string;
  readonly state: ScanState;
  readonly engine: string | null;
  readonly signature_version: string | null;
  readonly detail: string | null;
};

const WORDS: Readonly<Record<ScanState, { tone: Tone; says: string }>> = {
  pending: { tone: 'none', says: 'Uploaded, waiting for the scan' },
  scanning: { tone: 'busy', says: 'Scanning' },
  clean: { tone: 'good', says: 'Clean' },
  infected: { tone: 'bad', says: 'Infected' },
  error: { tone: 'bad', says: 'Could not be checked' },
  unscanned: { tone: 'unsure', says: 'Not scanned' },
};

export function ScanHistory({ events }: { events: readonly ScanEvent[] }) {
  return (
    <ol className={classes.history}>
      {events.map(({ at, state, engine, signature_version: signatures, detail }) => (
        <li key={`${at} ${state}`}>
          <Group gap="xs">
            <StateBadge tone={WORDS[state].tone}>{WORDS[state].says}</StateBadge>
            <Text size="sm" c="dimmed">
              <Time at={at} />
            </Text>
          </Group>
          {engine !== null && (
            <Text size="sm" mt={4}>
              {engine}
              {signatures !== null && `, signatures ${signatures}`}
            </Text>
          )}
          {detail !== null && (
            <Text size="sm" mt={4}>
              {detail}
            </Text>
          )}
        </li>
      ))}
    </ol>
  );
}
