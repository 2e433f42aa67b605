// How a version does: how it starts and crashes, with intervals, who plays it, and which crashes are new or fixed.
import { formatCompactNumber, formatNumber, formatPercent } from '@chauffeur/contract/format';
import { Group, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { type Series, timesOf } from '../../charts/series.ts';
import { TimeChart } from '../../charts/TimeChart.tsx';
import { BandBadge, formatMissingDevices } from '../../ui/BandBadge.tsx';
import { type Column, DataTable } from '../../ui/DataTable.tsx';
import { type Figure, Figures } from '../../ui/Facts.tsx';
import { formatItems } from '../../ui/format.ts';
import { isOnlySessions, OnlySessions } from '../../ui/OnlySessions.tsx';
import { SiteLink } from '../../ui/SiteLink.tsx';
import { Time } from '../../ui/Time.tsx';
import { CrashLink } from '../crashes/CrashTitle.tsx';
import { timeOfDay } from '../health/health-days.ts';
import type { VersionDetail } from './version-builds.ts';

export function VersionHealth({ version: { launch, crash_free: free } }: { version: VersionDetail }) {
  const missing = formatMissingDevices(launch);
  const hasOnlySessions = isOnlySessions({ devices: launch.devices, crash_free: free });
  const crashFree = [
    figureOf('Crash-free devices', free.device_rate, free.devices),
    figureOf('Crash-free sessions', free.session_rate, free.sessions),
  ];
  return (
    <>
      <Group gap="sm">
        <BandBadge band={launch.band} />
        {!hasOnlySessions && (
          <Text size="sm">{missing ?? formatItems(launch.devices, 'device')} in the last 30 days</Text>
        )}
      </Group>
      {hasOnlySessions && <OnlySessions of="version" />}
      {hasOnlySessions && <Figures figures={crashFree} />}
      {launch.devices > 0 && (
        <Figures
          figures={[
            figureOf('Booted', launch.boot_rate, launch.devices),
            figureOf('Crashed on boot', launch.crash_rate, launch.devices),
            ...crashFree,
          ]}
        />
      )}
      {(launch.devices > 0 || hasOnlySessions) && (
        <Text size="xs" c="dimmed">
          The ranges are 95% confidence intervals.
        </Text>
      )}
    </>
  );
}

type Rate = VersionDetail['launch']['boot_rate'];

function figureOf(name: string, { rate, low, high }: Rate, total: number): Figure {
  if (rate === null) return { name, value: '–', note: 'none yet' };
  const range = low === null || high === null ? '' : `${formatPercent(low)} to ${formatPercent(high)}, `;
  return { name, value: formatPercent(rate), note: `${range}of ${formatNumber(total)}` };
}

const DAY_MS = 86_400_000;

/** How many devices run the version on each day, next to all other devices. */
export function VersionAdoption({ version: { version, adoption } }: { version: VersionDetail }) {
  const [hidden, setHidden] = useState<readonly string[]>([]);
  const [hasTable, setTable] = useState(false);
  const [first, last] = [adoption[0], adoption.at(-1)];
  if (first === undefined || last === undefined || adoption.every(({ devices }) => devices === 0))
    return <Text size="sm">No device sent events with this version in the last 30 days.</Text>;
  const end = new Date(Date.parse(timeOfDay(last.day)) + DAY_MS).toISOString();
  const values = (of: (day: (typeof adoption)[number]) => number) =>
    new Map(adoption.map((day) => [timeOfDay(day.day), of(day)]));
  const series: Series[] = [
    { key: 'version', label: version, colour: 0, pattern: 0, values: values(({ devices }) => devices) },
    {
      key: 'others',
      label: 'Other versions',
      colour: 1,
      pattern: 1,
      values: values((day) => Math.max(0, day.all_devices - day.devices)),
    },
  ];
  return (
    <TimeChart
      label="Devices by day"
      height={160}
      series={series}
      times={timesOf(timeOfDay(first.day), end, 'day')}
      step="day"
      shape="stacked"
      format={formatCompactNumber}
      formatExactly={formatNumber}
      formatTotal={({ key }) => formatShareOn(last, key === 'version')}
      hidden={hidden}
      onToggle={(key) => setHidden(hidden.includes(key) ? hidden.filter((each) => each !== key) : [...hidden, key])}
      hasTable={hasTable}
      onTable={setTable}
    />
  );
}

/** The share of the devices of a day. */
function formatShareOn({ devices, all_devices: all }: VersionDetail['adoption'][number], isVersion: boolean): string {
  if (all === 0) return '0';
  return `${formatPercent((isVersion ? devices : Math.max(0, all - devices)) / all)} on the last day`;
}

type VersionCrashesProps = { slug: string; version: VersionDetail };
type Groups = VersionDetail['new_groups'];

export function VersionCrashes({ slug, version }: VersionCrashesProps) {
  if (version.new_groups.count + version.fixed_groups.count === 0)
    return <Text size="sm">No crash group is new or fixed in this version.</Text>;
  return (
    <Stack gap="md">
      <GroupTable
        slug={slug}
        label="New crash groups"
        found={version.new_groups}
        none="No crash group is new in this version."
      />
      <GroupTable
        slug={slug}
        label="Fixed crash groups"
        found={version.fixed_groups}
        none="No crash group is fixed in this version."
      />
    </Stack>
  );
}

function GroupTable({ slug, label, found, none }: { slug: string; label: string; found: Groups; none: string }) {
  const more = found.count - found.groups.length;
  if (found.count === 0) return <Text size="sm">{none}</Text>;
  return (
    <div>
      <Text size="sm" fw={600}>
        {label} ({formatNumber(found.count)})
      </Text>
      <DataTable
        label={label}
        keepsColumns
        isFixed
        columns={groupColumns(slug)}
        rows={found.groups}
        rowKey={({ group_id }) => group_id}
      />
      {more > 0 && <Text size="sm" c="dimmed">{`And ${formatItems(more, 'more group')}.`}</Text>}
    </div>
  );
}

function groupColumns(slug: string): Column<Groups['groups'][number]>[] {
  return [
    {
      header: 'Crash',
      cell: ({ group_id: groupId, title }) => <CrashLink slug={slug} groupId={groupId} title={title} />,
    },
    {
      header: 'Reports of this version',
      phoneHeader: 'Reports',
      align: 'right',
      width: 'clamp(84px, 23vw, 180px)',
      title: ({ reports }) => formatNumber(reports),
      cell: ({ reports }) => formatCompactNumber(reports),
    },
    {
      header: 'Devices, all versions',
      align: 'right',
      hiddenBelow: 'md',
      width: 170,
      title: ({ devices }) => formatNumber(devices),
      cell: ({ devices }) => (devices === 0 ? '–' : formatCompactNumber(devices)),
    },
    { header: 'Last seen', hiddenBelow: 'sm', width: 130, cell: ({ last_seen }) => <Time at={last_seen} /> },
  ];
}

export function MissingSymbols({ slug, version }: VersionCrashesProps) {
  return (
    <DataTable
      label="Missing symbols"
      columns={[
        {
          header: 'Module',
          overflow: 'anywhere',
          cell: ({ module, build_ids: [buildId] }) =>
            buildId === undefined ? (
              module
            ) : (
              <SiteLink to="/dev/$slug/builds/$buildId" params={{ slug, buildId }} size="sm">
                {module}
              </SiteLink>
            ),
        },
        { header: 'Debug ID', overflow: 'anywhere', cell: ({ debug_id }) => debug_id },
        { header: 'Reason', cell: ({ why, detail }) => (why === 'never_uploaded' ? 'Never uploaded' : detail) },
        { header: 'Reports', align: 'right', cell: ({ crashes }) => formatNumber(crashes) },
      ]}
      rows={version.missing_symbols}
      rowKey={({ module, debug_id }) => `${module} ${debug_id}`}
    />
  );
}
