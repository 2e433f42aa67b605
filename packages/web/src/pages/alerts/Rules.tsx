// What causes alerts: each kind is sent at once, in the digest or never, and can be muted for a time.
import { ALERT_TIMINGS } from '@chauffeur/contract/operations/alerts';
import { Box, Button, Group, NativeSelect, Text } from '@mantine/core';
import { Problem } from '../../ui/Problem.tsx';
import { Time } from '../../ui/Time.tsx';
import { type AlertSettings, KIND_NAMES, nameTiming, REPEATED_KINDS } from './kinds.ts';
import classes from './Rules.module.css';
import { useChange } from './use-change.ts';

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
  { value: '', label: 'Mute…' },
  { value: '1', label: 'for a day' },
  { value: '7', label: 'for a week' },
  { value: '30', label: 'for 30 days' },
];

export function Rules({ uid, settings }: { uid: string; settings: AlertSettings }) {
  const change = useChange(uid);
  const set = (rule: Rule, changes: Partial<Rule>) => change.mutate({ rules: [{ kind: rule.kind, ...changes }] });
  return (
    <>
      {change.error !== null && <Problem error={change.error} />}
      <ul aria-label="Rules" className={classes.rules}>
        {settings.rules.map((rule) => (
          <li key={rule.kind} className={classes.rule}>
            <Settings rule={rule} onChange={(changes) => set(rule, changes)} />
          </li>
        ))}
      </ul>
      <Text size="sm" c="dimmed">
        Once a day means that the same group or build causes at most one such alert a day. A message contains everything
        that has happened since the last one. At most one message is sent per minute, and ten per hour.
      </Text>
    </>
  );
}

type RuleProps = { rule: Rule; onChange: (changes: Partial<Rule>) => void };

function Settings({ rule, onChange }: RuleProps) {
  const { name, meaning } = KIND_NAMES[rule.kind];
  return (
    <>
      <Box>
        <strong>{name}</strong>
        <Text size="sm" c="dimmed">
          {meaning}
        </Text>
      </Box>
      <Group gap={6}>
        <NativeSelect
          aria-label={`When: ${name}`}
          size="xs"
          w={132}
          data={ALERT_TIMINGS.map((value) => ({ value, label: nameTiming(value, rule.kind) }))}
          value={rule.send}
          onChange={({ currentTarget }) => onChange({ send: currentTarget.value as Rule['send'] })}
        />
        {REPEATED_KINDS.has(rule.kind) && (
          <NativeSelect
            aria-label={`How often: ${name}`}
            size="xs"
            w={130}
            data={withCurrent(rule.repeat_hours)}
            value={String(rule.repeat_hours)}
            onChange={({ currentTarget }) => onChange({ repeat_hours: Number(currentTarget.value) })}
          />
        )}
        <Mute rule={rule} onChange={onChange} />
      </Group>
    </>
  );
}

/** A program may have set other hours. */
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
        <Text size="xs" span>
          Muted until <Time at={until} />{' '}
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
      w={84}
      data={MUTES}
      value=""
      onChange={({ currentTarget }) =>
        onChange({ muted_until: new Date(Date.now() + Number(currentTarget.value) * DAY_MS).toISOString() })
      }
    />
  );
}
