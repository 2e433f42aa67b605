// The newest version of each channel on the overview of a game, with its health and how it compares with the version
// before.
import { formatNumber, formatPercent, formatPlatform } from '@chauffeur/contract/format';
import { Stack, Text } from '@mantine/core';
import { BandBadge, formatMissingDevices } from '../../ui/BandBadge.tsx';
import { type Column, DataTable, EmptyState } from '../../ui/DataTable.tsx';
import { Section } from '../../ui/PageLayout.tsx';
import { comparePlatforms } from '../../ui/platforms.ts';
import { RowLink, SiteLink } from '../../ui/SiteLink.tsx';
import { StateBadge } from '../../ui/StateBadge.tsx';
import { Time } from '../../ui/Time.tsx';
import { type ChannelOverview, describeChange, formatBehind } from './describe-channel.ts';

type ChannelHealthProps = { slug: string; channels: readonly ChannelOverview[] };

export function ChannelHealth({ slug, channels }: ChannelHealthProps) {
  return (
    <Section
      title="Live now"
      actions={
        <SiteLink to="/dev/$slug/channels" params={{ slug }} size="sm">
          All channels
        </SiteLink>
      }
    >
      <DataTable
        label="Live now"
        columns={columnsOf(slug)}
        rows={channels}
        rowKey={({ channel }) => channel}
        empty={<EmptyState>No channel offers a build. Promote one on the Channels page.</EmptyState>}
      />
      {channels.some(({ launch }) => launch.devices > 0) && (
        <Text size="xs" c="dimmed">
          Shares are of the devices of the last 30 days. A change counts as better or worse if its 95% confidence
          interval excludes zero.
        </Text>
      )}
    </Section>
  );
}

function columnsOf(slug: string): Column<ChannelOverview>[] {
  return [
    { header: 'Channel', cell: ({ channel }) => <strong>{channel}</strong> },
    {
      header: 'Version',
      overflow: 'anywhere',
      isLong: true,
      cell: ({ version, platforms, behind }) => (
        <>
          <RowLink to="/dev/$slug/version" params={{ slug }} search={{ version }}>
            {version}
          </RowLink>
          <Text size="sm" c="dimmed">
            {[platforms.toSorted(comparePlatforms).map(formatPlatform).join(', '), ...formatBehind(behind)].join(' · ')}
          </Text>
        </>
      ),
    },
    { header: 'Updated', hiddenBelow: 'md', overflow: 'nowrap', cell: ({ moved_at }) => <Time at={moved_at} /> },
    {
      header: 'Launch health',
      cell: ({ launch }) => (
        <>
          <BandBadge band={launch.band} />
          {formatMissingDevices(launch) !== null && (
            <Text size="sm" c="dimmed">
              {formatMissingDevices(launch)}
            </Text>
          )}
        </>
      ),
    },
    { header: 'Crash-free devices', align: 'right', cell: ({ crash_free }) => <CrashFree {...crash_free} /> },
    {
      header: 'Change',
      isLong: true,
      title: ({ change }) => (change === null ? undefined : 'Percentage points, with 95% confidence intervals'),
      cell: (channel) => <Change slug={slug} channel={channel} />,
    },
  ];
}

function CrashFree({ rate, devices }: ChannelOverview['crash_free']) {
  if (rate === null) return '–';
  return (
    <>
      {formatPercent(rate)}
      <Text size="sm" c="dimmed">{`of ${formatNumber(devices)}`}</Text>
    </>
  );
}

function Change({ slug, channel }: { slug: string; channel: ChannelOverview }) {
  const described = describeChange(channel);
  if (channel.before === null || described === null)
    return (
      <Text size="sm" c="dimmed">
        First version
      </Text>
    );
  const { version } = channel.before;
  return (
    <Stack gap={0}>
      <span>
        <StateBadge tone={described.tone}>{described.verdict}</StateBadge>{' '}
        <Text span size="sm">
          {described.relation}{' '}
          <SiteLink to="/dev/$slug/version" params={{ slug }} search={{ version }} size="sm" underline="always">
            {version}
          </SiteLink>
        </Text>
      </span>
      {described.details.map((line) => (
        <Text key={line} size="sm" c="dimmed">
          {line}
        </Text>
      ))}
    </Stack>
  );
}
