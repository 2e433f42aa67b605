// Explains how launch health is computed, from the rules that the server uses.
import { BAND_RULES, MIN_DEVICES, WINDOW_DAYS } from '@chauffeur/contract/launch-bands';
import type { Band } from '@chauffeur/contract/operations/health';
import { Stack, Text, Title } from '@mantine/core';
import { BandBadge } from '../../ui/BandBadge.tsx';
import { type Column, DataTable } from '../../ui/DataTable.tsx';

export function HealthRules() {
  return (
    <Stack gap="xs" component="section" aria-labelledby="rules" maw={760}>
      <Title order={2} size="h4" id="rules">
        How launch health is computed
      </Title>
      <Text size="sm">
        A device is a distinct <code>device_uid</code> with any event of the build in the last {WINDOW_DAYS} days (UTC,
        including today). A device has booted if it sent <code>boot_ok</code>. It crashed on boot if a{' '}
        <code>crash</code> arrived before its first <code>boot_ok</code> on this build. Both are shown as a share of all
        devices of the build. Medians are accurate to 2%.
      </Text>
      <DataTable label="Bands" keepsColumns columns={COLUMNS} rows={RULES} rowKey={({ band }) => band} />
      <Text size="sm" c="dimmed">
        A build gets the best band whose limits it meets. Builds that were rolled back from stable don't count for the
        game's page.
      </Text>
    </Stack>
  );
}

type Rule = { readonly band: Band; readonly booted: string; readonly crashed: string };

/** A build that misses even these limits is problematic. */
const LOWEST = BAND_RULES[BAND_RULES.length - 1]!;

const RULES: readonly Rule[] = [
  ...BAND_RULES.map(({ band, minBooted, maxCrashed }) => ({
    band,
    booted: `at least ${minBooted}%`,
    crashed: `at most ${maxCrashed}%`,
  })),
  { band: 'problematic', booted: `below ${LOWEST.minBooted}%`, crashed: `above ${LOWEST.maxCrashed}%` },
  { band: 'unrated', booted: `fewer than ${MIN_DEVICES} devices`, crashed: `fewer than ${MIN_DEVICES} devices` },
];

const COLUMNS: readonly Column<Rule>[] = [
  { header: 'Band', cell: ({ band }) => <BandBadge band={band} /> },
  { header: 'Booted', align: 'right', cell: ({ booted }) => booted },
  { header: 'Crashed on boot', align: 'right', cell: ({ crashed }) => crashed },
];
