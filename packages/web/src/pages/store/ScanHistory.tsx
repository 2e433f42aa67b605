// The scan history of a file since its upload.
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

const STATES: Readonly<Record<ScanState, { tone: Tone; label: string }>> = {
  pending: { tone: 'none', label: 'Uploaded, queued for scan' },
  scanning: { tone: 'busy', label: 'Scanning' },
  clean: { tone: 'good', label: 'Clean' },
  infected: { tone: 'bad', label: 'Infected' },
  error: { tone: 'bad', label: "Couldn't be scanned" },
  unscanned: { tone: 'unsure', label: 'Not scanned' },
};

export function ScanHistory({ events }: { events: readonly ScanEvent[] }) {
  return (
    <ol className={classes.history}>
      {events.map(({ at, state, engine, signature_version: signatures, detail }) => (
        <li key={`${at} ${state}`}>
          <Group gap="xs">
            <StateBadge tone={STATES[state].tone}>{STATES[state].label}</StateBadge>
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
