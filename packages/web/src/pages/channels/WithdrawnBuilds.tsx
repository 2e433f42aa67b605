// Builds that were withdrawn from a channel, with the number of devices that still use them: a table on the page of the
// channels, a notice on that of a version, and a line in lists of builds.
import { formatPlatform } from '@chauffeur/contract/format';
import type { OutputOf } from '@chauffeur/contract/operation';
import type { listChannels } from '@chauffeur/contract/operations/channels';
import { Text } from '@mantine/core';
import { formatTick } from '../../charts/series.ts';
import { type Column, DataTable } from '../../ui/DataTable.tsx';
import { formatItems } from '../../ui/format.ts';
import { Notice, Section } from '../../ui/PageLayout.tsx';
import { RowLink } from '../../ui/SiteLink.tsx';
import { Time } from '../../ui/Time.tsx';
import type { Pointer } from './channel-grid.ts';
import { formatPlatforms } from './use-moves.tsx';

export type WithdrawnBuild = OutputOf<typeof listChannels>['withdrawn'][number];

const REASONS: Readonly<Record<WithdrawnBuild['reason'], string>> = {
  rolled_back: 'Rolled back',
  rollout_aborted: 'Rollout aborted',
  expired: 'Expired',
  deleted: 'Deleted',
};

const SOURCE =
  'The numbers are of devices that sent events with the build since the day after it was withdrawn, at most 7 days back. If it was withdrawn today, devices that used it earlier today count as well. Devices that are offline or send no events are not counted.';

/** Formats `12 devices since 28 Nov`. */
function formatDevices({ devices, devices_since: since }: WithdrawnBuild): string {
  if (devices === null) return 'Devices unknown: none sent events lately';
  return `${devices === 0 ? 'No device' : formatItems(devices, 'device')} since ${formatTick(since, 'day')}`;
}

/** The channels that still offer one of the builds, whose devices are counted too. */
function otherChannels(withdrawn: readonly WithdrawnBuild[], pointers: readonly Pointer[]): string[] {
  const ids = new Set(withdrawn.map(({ build_id }) => build_id));
  return [
    ...new Set(pointers.filter(({ build_id, expired }) => ids.has(build_id) && !expired).map((each) => each.channel)),
  ];
}

type ListProps = { slug: string; withdrawn: readonly WithdrawnBuild[]; pointers: readonly Pointer[] };

/** Shows nothing if no build was withdrawn. */
export function WithdrawnBuilds({ slug, withdrawn, pointers }: ListProps) {
  if (withdrawn.length === 0) return null;
  return (
    <Section title="Withdrawn builds">
      <DataTable
        label="Withdrawn builds"
        keepsColumns
        columns={columnsOf(slug, pointers)}
        rows={withdrawn}
        rowKey={({ build_id, channel }) => `${build_id} ${channel}`}
      />
      <Text size="xs" c="dimmed">
        {SOURCE}
      </Text>
    </Section>
  );
}

function columnsOf(slug: string, pointers: readonly Pointer[]): Column<WithdrawnBuild>[] {
  return [
    {
      header: 'Build',
      cell: (build) => (
        <RowLink
          to="/dev/$slug/builds/$buildId"
          params={{ slug, buildId: build.build_id }}
          aria-label={`${build.version} for ${formatPlatform(build)}`}
        >
          {build.version} · {formatPlatform(build)}
        </RowLink>
      ),
    },
    {
      header: 'Withdrawn',
      cell: ({ channel, reason, at }) => (
        <>
          {REASONS[reason]} on {channel}{' '}
          <Text span size="sm" c="dimmed">
            <Time at={at} />
          </Text>
        </>
      ),
    },
    {
      header: 'Still used by',
      phoneHeader: 'Used by',
      cell: (build) => (
        <>
          {formatDevices(build)}
          <OtherChannels withdrawn={[build]} pointers={pointers} />
        </>
      ),
    },
  ];
}

function OtherChannels({ withdrawn, pointers }: Omit<ListProps, 'slug'>) {
  const others = otherChannels(
    withdrawn.filter(({ devices }) => devices !== null && devices > 0),
    pointers,
  );
  if (others.length === 0) return null;
  return (
    <Text size="sm" c="dimmed">
      Includes devices of {others.join(', ')}, where it is still offered.
    </Text>
  );
}

type NoticeProps = { version: string; withdrawn: readonly WithdrawnBuild[]; pointers: readonly Pointer[] };

/** Says on the page of a version from which channels its builds were withdrawn. Shows nothing if none were. */
export function WithdrawnNotice({ version, withdrawn, pointers }: NoticeProps) {
  if (withdrawn.length === 0) return null;
  const channels = [...new Set(withdrawn.map(({ channel }) => channel))];
  return (
    <Notice tone="unsure" title={`${version} was withdrawn from ${channels.join(', ')}`}>
      {withdrawn.map((build) => (
        <Text key={`${build.build_id} ${build.channel}`} size="sm" component="div">
          {formatPlatforms([build])}: {REASONS[build.reason].toLowerCase()} on {build.channel} <Time at={build.at} />.
          {formatDevices(build)}.
        </Text>
      ))}
      <OtherChannels withdrawn={withdrawn} pointers={pointers} />
      <Text size="xs" c="dimmed">
        {SOURCE}
      </Text>
    </Notice>
  );
}

/** Shows each channel that a build was withdrawn from, and the devices, in a list of builds or on its page. */
export function WithdrawnLines({ withdrawn }: { withdrawn: readonly WithdrawnBuild[] }) {
  return withdrawn.map((build) => (
    <Text key={build.channel} size="sm" c="dimmed" component="div" title={SOURCE}>
      {REASONS[build.reason]} on {build.channel} · {formatDevices(build)}
    </Text>
  ));
}
