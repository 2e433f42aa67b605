// What Sentry's SDKs sent apart from reports: what was dropped and why, what they discarded themselves, and wrong keys.
import { formatNumber } from '@chauffeur/contract/format';
import type { OutputOf } from '@chauffeur/contract/operation';
import type { getSentryActivity } from '@chauffeur/contract/operations/dsns';
import { Code, Stack, Text } from '@mantine/core';
import { type Column, DataTable } from '../../ui/DataTable.tsx';
import { formatDay } from '../../ui/format.ts';
import { Section } from '../../ui/PageLayout.tsx';
import { Time } from '../../ui/Time.tsx';
import { type ActivityRow, rowsOfCounts } from './describe-activity.ts';

type SentryActivity = OutputOf<typeof getSentryActivity>;
type WrongKey = SentryActivity['wrong_keys'][number];

export const ACTIVITY_DAYS = 30;

export function Activity({ counts, wrong_keys: keys }: Pick<SentryActivity, 'counts' | 'wrong_keys'>) {
  const received = rowsOfCounts(counts.filter(({ what }) => what !== 'discarded'));
  const discarded = rowsOfCounts(counts.filter(({ what }) => what === 'discarded'));
  const isEmpty = counts.length === 0 && keys.length === 0;
  return (
    <Section title="Activity">
      <Text size="sm" c="dimmed">
        {isEmpty
          ? `In the last ${ACTIVITY_DAYS} days, nothing was dropped or discarded, and no request had a wrong key.`
          : `The last ${ACTIVITY_DAYS} days. Crashes and errors that became reports are not counted here.`}
      </Text>
      <Stack gap="lg">
        {received.length > 0 && (
          <Counts
            label="Dropped or only counted"
            columns={[TYPE, { ...WHY, header: 'What became of it' }, ...NUMBERS]}
            rows={received}
          />
        )}
        {discarded.length > 0 && (
          <Counts
            label="Lost at the client"
            columns={[TYPE, { ...WHY, header: 'Why the SDK discarded it' }, ...NUMBERS]}
            rows={discarded}
          />
        )}
        {keys.length > 0 && (
          <Stack gap={4}>
            <Text size="sm" fw={600}>
              Wrong keys
            </Text>
            <Text size="sm" c="dimmed">
              Requests for this game with a key that isn't one of its DSNs, or was revoked. They were refused.
            </Text>
            <DataTable label="Wrong keys" columns={KEY_COLUMNS} rows={keys} rowKey={({ key_start }) => key_start} />
          </Stack>
        )}
      </Stack>
    </Section>
  );
}

type CountsProps = { label: string; columns: readonly Column<ActivityRow>[]; rows: readonly ActivityRow[] };

function Counts({ label, columns, rows }: CountsProps) {
  return (
    <Stack gap={4}>
      <Text size="sm" fw={600}>
        {label}
      </Text>
      <DataTable label={label} columns={columns} rows={rows} rowKey={({ type, why }) => `${type} ${why}`} />
    </Stack>
  );
}

const TYPE: Column<ActivityRow> = { header: 'Type', width: '30%', cell: ({ type }) => type };
const WHY: Column<ActivityRow> = { header: 'Why', cell: ({ why }) => why };
const NUMBERS: readonly Column<ActivityRow>[] = [
  { header: 'Number', align: 'right', overflow: 'nowrap', cell: ({ count }) => formatNumber(count) },
  { header: 'Last', align: 'right', overflow: 'nowrap', cell: ({ lastDay }) => formatDay(new Date(lastDay)) },
];

const KEY_COLUMNS: readonly Column<WrongKey>[] = [
  {
    header: 'Key',
    cell: ({ key_start: start }) => (start === '' ? 'Further keys' : <Code>{`${start}…`}</Code>),
  },
  { header: 'Requests', align: 'right', overflow: 'nowrap', cell: ({ count }) => formatNumber(count) },
  { header: 'Last used', align: 'right', overflow: 'nowrap', cell: ({ last_used_at }) => <Time at={last_used_at} /> },
];
