// Which alerts the game sends, to which destinations, and when.
import type { InputOf, OutputOf } from '@chauffeur/contract/operation';
import {
  ALERT_TIMINGS,
  type AlertKind,
  type DESTINATION_KINDS,
  getAlerts,
  updateAlerts,
} from '@chauffeur/contract/operations/alerts';
import { Button, Checkbox, Group, NativeSelect, Stack, Text, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ask, call } from '../../api.ts';
import { type Column, DataTable } from '../../ui/DataTable.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { Time } from '../../ui/Time.tsx';
import { UnsavedChanges } from '../../ui/UnsavedWarning.tsx';

type Rule = AlertSettings['rules'][number];

const REPEATS = [
  { value: '1', label: 'Once an hour' },
  { value: '6', label: 'Every 6 hours' },
  { value: '24', label: 'Once a day' },
  { value: '168', label: 'Once a week' },
  { value: '720', label: 'Every 30 days' },
];
const DAY_MS = 24 * 3_600_000;
const MUTES = [
  { value: '', label: 'Not muted' },
  { value: '1', label: 'For a day' },
  { value: '7', label: 'For a week' },
  { value: '30', label: 'For 30 days' },
];

/** What causes alerts: each kind is sent immediately, in the digest or never, and can be muted for a time. */
export function Rules({ uid, settings }: { uid: string; settings: AlertSettings }) {
  const change = useChange(uid);
  const set = (rule: Rule, changes: Partial<Rule>) => change.mutate({ rules: [{ kind: rule.kind, ...changes }] });
  return (
    <>
      {change.error !== null && <Problem error={change.error} />}
      <DataTable
        label="Rules"
        columns={ruleColumns(set)}
        rows={settings.rules}
        rowKey={({ kind }) => kind}
        keepsColumns={false}
      />
      <Text size="sm" c="dimmed">
        “At most” applies to each crash group or build separately. A message contains everything that has happened since
        the last one. At most one message is sent per minute, and ten per hour.
      </Text>
    </>
  );
}

type RuleProps = { rule: Rule; onChange: (changes: Partial<Rule>) => void };

function ruleColumns(set: (rule: Rule, changes: Partial<Rule>) => void): Column<Rule>[] {
  return [
    {
      header: 'Alert',
      isLong: true,
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
      header: 'Sent',
      width: 152,
      cell: (rule) => (
        <NativeSelect
          aria-label={`When: ${KIND_NAMES[rule.kind].name}`}
          size="xs"
          w={136}
          data={ALERT_TIMINGS.map((value) => ({ value, label: nameTiming(value, rule.kind) }))}
          value={rule.send}
          onChange={({ currentTarget }) => set(rule, { send: currentTarget.value as Rule['send'] })}
        />
      ),
    },
    {
      header: 'At most',
      width: 146,
      cell: (rule) =>
        REPEATED_KINDS.has(rule.kind) ? (
          <NativeSelect
            aria-label={`How often: ${KIND_NAMES[rule.kind].name}`}
            size="xs"
            w={130}
            data={withCurrent(rule.repeat_hours)}
            value={String(rule.repeat_hours)}
            onChange={({ currentTarget }) => set(rule, { repeat_hours: Number(currentTarget.value) })}
          />
        ) : (
          <Text size="sm" c="dimmed">
            {FREQUENCIES[rule.kind] ?? 'Once'}
          </Text>
        ),
    },
    {
      header: 'Muted',
      width: 190,
      cell: (rule) => <Mute rule={rule} onChange={(changes) => set(rule, changes)} />,
    },
  ];
}

/** How often kinds cause an alert that are not about a group or a build. The others happen once to each. */
const FREQUENCIES: { readonly [Kind in AlertKind]?: string } = {
  quota_low: 'Once a day',
  weekly_summary: 'Once a week',
};

/** The choices, and the current one if only the API can set it. */
function withCurrent(hours: number) {
  const isKnown = REPEATS.some(({ value }) => value === String(hours));
  return isKnown ? REPEATS : [...REPEATS, { value: String(hours), label: `Every ${hours} hours` }];
}

function Mute({ rule, onChange }: RuleProps) {
  const until = rule.muted_until;
  const { name } = KIND_NAMES[rule.kind];
  if (until !== null && new Date(until) > new Date())
    return (
      <>
        <Text size="sm" span>
          Until <Time at={until} />{' '}
        </Text>
        <Button
          size="compact-xs"
          variant="default"
          aria-label={`Unmute ${name}`}
          onClick={() => onChange({ muted_until: null })}
        >
          Unmute
        </Button>
      </>
    );
  return (
    <NativeSelect
      aria-label={`Mute ${name}`}
      size="xs"
      w={110}
      data={MUTES}
      value=""
      onChange={({ currentTarget }) =>
        onChange({ muted_until: new Date(Date.now() + Number(currentTarget.value) * DAY_MS).toISOString() })
      }
    />
  );
}

const ZONES = ['UTC', ...Intl.supportedValuesOf('timeZone').filter((zone) => zone !== 'UTC')];
const USUAL = { from: '22:00', until: '08:00' };

/** When messages are sent: the time of the digest, and quiet hours, in a time zone. */
export function Schedule({ uid, settings }: { uid: string; settings: AlertSettings }) {
  const change = useChange(uid);
  const [zone, setZone] = useState(settings.time_zone);
  const [digestAt, setDigestAt] = useState(settings.digest_at);
  const [quiet, setQuiet] = useState(settings.quiet_hours);
  const local = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const isChanged =
    zone !== settings.time_zone ||
    digestAt !== settings.digest_at ||
    JSON.stringify(quiet) !== JSON.stringify(settings.quiet_hours);
  const save = () => change.mutate({ time_zone: zone, digest_at: digestAt, quiet_hours: quiet });
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        save();
      }}
    >
      <Stack gap="sm">
        <Group align="flex-end">
          <NativeSelect
            data-field="time_zone"
            label="Time zone"
            data={ZONES.includes(zone) ? ZONES : [zone, ...ZONES]}
            value={zone}
            onChange={({ currentTarget }) => setZone(currentTarget.value)}
          />
          {zone !== local && (
            <Button variant="subtle" onClick={() => setZone(local)}>
              Use {local}
            </Button>
          )}
          <TextInput
            type="time"
            data-field="digest_at"
            label="Daily digest at"
            required
            withAsterisk={false}
            value={digestAt}
            onChange={({ currentTarget }) => setDigestAt(currentTarget.value)}
          />
        </Group>
        <Checkbox
          label="Quiet hours: alerts are held back until they end"
          checked={quiet !== null}
          onChange={({ currentTarget }) => setQuiet(currentTarget.checked ? USUAL : null)}
        />
        {quiet !== null && (
          <Group>
            <TextInput
              type="time"
              data-field="quiet_hours.from"
              label="From"
              required
              withAsterisk={false}
              value={quiet.from}
              onChange={({ currentTarget }) => setQuiet({ ...quiet, from: currentTarget.value })}
            />
            <TextInput
              type="time"
              data-field="quiet_hours.until"
              label="Until"
              required
              withAsterisk={false}
              value={quiet.until}
              onChange={({ currentTarget }) => setQuiet({ ...quiet, until: currentTarget.value })}
            />
          </Group>
        )}
        {change.error !== null && <Problem error={change.error} />}
        <Group>
          <Button type="submit" variant="default" loading={change.isPending}>
            Save times
          </Button>
          <Text size="sm" role="status">
            {change.isSuccess && !isChanged && 'Saved.'}
          </Text>
        </Group>
        <UnsavedChanges isChanged={isChanged} name="alert schedule" />
      </Stack>
    </form>
  );
}

type Changes = Omit<InputOf<typeof updateAlerts>, 'uid'>;

/** Changes the settings of a game's alerts. */
function useChange(uid: string) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (changes: Changes) => call(updateAlerts, { uid, ...changes }),
    onSuccess: (changed) => queries.setQueryData(ask(getAlerts, { uid }).queryKey, changed),
  });
}

export type AlertSettings = OutputOf<typeof getAlerts>;

/** The settings of alerts, and how the website names the kinds of alerts, their timings and the chats. */
export const KIND_NAMES: Readonly<Record<AlertKind, { readonly name: string; readonly meaning: string }>> = {
  new_group: { name: 'New crash group', meaning: "A crash that hasn't been seen before" },
  regression: { name: 'Regression', meaning: 'A resolved group has a report from a newer build' },
  snooze_ended: { name: 'Snooze ended', meaning: 'A snoozed group is open again' },
  spike: { name: 'Spike', meaning: 'A group gets many more reports in an hour than usual' },
  first_crash: { name: 'First crash of a build', meaning: 'A new build has its first crash report' },
  new_error_group: {
    name: 'New error group',
    meaning: "An error that the game handled and that hasn't been seen before",
  },
  health_dropped: { name: 'Launch health dropped', meaning: 'The band that players see got worse' },
  rollout: {
    name: 'Rollout stopped',
    meaning: 'A guard stopped a rollout, or it has too few devices to go on',
  },
  new_bug: { name: 'New bug ticket', meaning: 'A player has reported a bug' },
  upload_rejected: { name: 'Upload rejected', meaning: 'The scanner refused a file or a video' },
  quota_low: {
    name: 'Limit nearly reached',
    meaning: "80% of the storage, or of a day's crash reports or crash files, is used",
  },
  weekly_summary: { name: 'Weekly summary', meaning: "Last week's crashes, builds and downloads" },
};

/** Kinds that the same group or build can cause again. The others happen once to each group or build. */
const REPEATED_KINDS: ReadonlySet<AlertKind> = new Set([
  'regression',
  'snooze_ended',
  'spike',
  'health_dropped',
] as const);

type Timing = (typeof ALERT_TIMINGS)[number];

const TIMING_NAMES: Readonly<Record<Timing, string>> = { now: 'Immediately', digest: 'Daily digest', never: 'Never' };
/** The timings of the weekly summary, which isn't sent daily. */
const WEEKLY_NAMES: Readonly<Record<Timing, string>> = { ...TIMING_NAMES, now: 'On Monday', digest: 'In the digest' };

function nameTiming(timing: Timing, kind: AlertKind): string {
  return (kind === 'weekly_summary' ? WEEKLY_NAMES : TIMING_NAMES)[timing];
}

export const DESTINATION_NAMES: Readonly<Record<(typeof DESTINATION_KINDS)[number], string>> = {
  slack: 'Slack',
  discord: 'Discord',
  teams: 'Microsoft Teams',
  webhook: 'Webhook',
};
