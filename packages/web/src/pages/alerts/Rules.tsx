// What causes alerts: each kind is sent at once, in the digest or never, and can be muted for a time.
import type { ALERT_TIMINGS } from '@chauffeur/contract/operations/alerts';
import { Button, NativeSelect, Text } from '@mantine/core';
import { type Column, DataTable } from '../../ui/DataTable.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { Time } from '../../ui/Time.tsx';
import { type AlertSettings, KIND_NAMES, TIMING_NAMES } from './kinds.ts';
import { useChange } from './use-change.ts';

type Rule = AlertSettings['rules'][number];

const TIMINGS = Object.entries(TIMING_NAMES).map(([value, label]) => ({ value, label }));
const REPEATS = [
  { value: '1', label: 'an hour' },
  { value: '6', label: '6 hours' },
  { value: '24', label: 'a day' },
  { value: '168', label: 'a week' },
  { value: '720', label: '30 days' },
];
const DAY_MS = 24 * 3_600_000;
const MUTES = [
  { value: '', label: 'Mute…' },
  { value: '1', label: 'for a day' },
  { value: '7', label: 'for a week' },
  { value: '30', label: 'for 30 days' },
];

export function Rules({ uid, settings }: { uid: string; settings: AlertSettings }) {
  const change = useChange(uid);
  const set = (rule: Rule, changes: Partial<Rule>) => change.mutate({ rules: [{ kind: rule.kind, ...changes }] });
  const columns: Column<Rule>[] = [
    {
      header: 'What',
      cell: ({ kind }) => (
        <>
          <strong>{KIND_NAMES[kind].name}</strong>
          <Text size="sm" c="dimmed">
            {KIND_NAMES[kind].meaning}
          </Text>
        </>
      ),
    },
    {
      header: 'When',
      cell: (rule) => (
        <NativeSelect
          aria-label={`When: ${KIND_NAMES[rule.kind].name}`}
          size="xs"
          data={TIMINGS}
          value={rule.send}
          onChange={({ currentTarget }) => set(rule, { send: currentTarget.value as (typeof ALERT_TIMINGS)[number] })}
        />
      ),
    },
    {
      header: 'Again after',
      hiddenBelow: 'sm',
      cell: (rule) => (
        <NativeSelect
          aria-label={`Again after: ${KIND_NAMES[rule.kind].name}`}
          size="xs"
          data={withCurrent(rule.repeat_hours)}
          value={String(rule.repeat_hours)}
          onChange={({ currentTarget }) => set(rule, { repeat_hours: Number(currentTarget.value) })}
        />
      ),
    },
    { header: 'Mute', isHeaderHidden: true, cell: (rule) => <Mute rule={rule} onChange={set} />, align: 'right' },
  ];
  return (
    <>
      {change.error !== null && <Problem error={change.error} />}
      <DataTable label="Rules" columns={columns} rows={settings.rules} rowKey={({ kind }) => kind} />
      <Text size="sm" c="dimmed">
        The same group, build or ticket causes an alert again only after this time. A message contains everything that
        has happened since the last one: there is at most one a minute, and ten in an hour.
      </Text>
    </>
  );
}

/** A program may have set other hours. */
function withCurrent(hours: number) {
  const isKnown = REPEATS.some(({ value }) => value === String(hours));
  return isKnown ? REPEATS : [...REPEATS, { value: String(hours), label: `${hours} hours` }];
}

function Mute({ rule, onChange }: { rule: Rule; onChange: (rule: Rule, changes: Partial<Rule>) => void }) {
  const until = rule.muted_until;
  const { name } = KIND_NAMES[rule.kind];
  if (until !== null && new Date(until) > new Date())
    return (
      <>
        <Text size="xs" span>
          Muted until <Time at={until} />{' '}
        </Text>
        <Button
          size="compact-xs"
          variant="default"
          aria-label={`Unmute ${name}`}
          onClick={() => onChange(rule, { muted_until: null })}
        >
          Unmute
        </Button>
      </>
    );
  return (
    <NativeSelect
      aria-label={`Mute ${name}`}
      size="xs"
      data={MUTES}
      value=""
      onChange={({ currentTarget }) =>
        onChange(rule, { muted_until: new Date(Date.now() + Number(currentTarget.value) * DAY_MS).toISOString() })
      }
    />
  );
}
