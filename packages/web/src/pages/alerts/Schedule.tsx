// When messages are sent: the time of the digest, and quiet hours, in a time zone.
import { Button, Checkbox, Group, NativeSelect, Stack, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { Problem } from '../../ui/Problem.tsx';
import { UnsavedChanges } from '../../ui/UnsavedChanges.tsx';
import type { AlertSettings } from './kinds.ts';
import { useChange } from './use-change.ts';

const ZONES = ['UTC', ...Intl.supportedValuesOf('timeZone').filter((zone) => zone !== 'UTC')];
const USUAL = { from: '22:00', until: '08:00' };

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
