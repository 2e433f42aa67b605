// The version that players get on each channel and platform.
import { formatPlatform } from '@chauffeur/contract/format';
import { Text, Title } from '@mantine/core';
import { type Column, DataTable } from '../../ui/DataTable.tsx';
import { comparePlatforms } from '../../ui/platforms.ts';
import { RowLink } from '../../ui/RowLink.tsx';
import { SiteLink } from '../../ui/SiteLink.tsx';
import { StateBadge } from '../../ui/StateBadge.tsx';
import { SCANS } from '../../ui/states.ts';
import { Time } from '../../ui/Time.tsx';
import { compareChannels, type Place } from '../channels/grid.ts';

export function LiveNow({ slug, places }: { slug: string; places: readonly Place[] }) {
  return (
    <section aria-labelledby="live-now">
      <Title order={2} size="h4" id="live-now" mb="xs">
        Live now
      </Title>
      <DataTable
        label="Live now"
        keepsColumns
        columns={placeColumns(slug)}
        rows={places.toSorted((a, b) => compareChannels(a.channel, b.channel) || comparePlatforms(a, b))}
        rowKey={({ channel, os, arch }) => `${channel} ${os} ${arch}`}
        empty={<Text size="sm">No channel offers a build. Promote one on the Channels page.</Text>}
      />
    </section>
  );
}

function placeColumns(slug: string): Column<Place>[] {
  return [
    {
      header: 'Channel',
      cell: ({ channel }) => (
        <RowLink to="/dev/$slug/channels" params={{ slug }}>
          {channel}
        </RowLink>
      ),
    },
    { header: 'Platform', cell: (place) => formatPlatform(place) },
    { header: 'Version', cell: (place) => <LiveVersion slug={slug} place={place} /> },
    { header: 'Updated', hiddenBelow: 'sm', cell: ({ moved_at }) => <Time at={moved_at} /> },
    {
      header: 'Scan',
      hiddenBelow: 'sm',
      cell: ({ scan }) => scan !== null && <StateBadge tone={SCANS[scan].tone}>{SCANS[scan].label}</StateBadge>,
    },
  ];
}

function LiveVersion({ slug, place }: { slug: string; place: Place }) {
  if (place.expired) {
    return (
      <Text span size="sm" c="dimmed">
        {`None (${place.version} expired)`}
      </Text>
    );
  }
  return (
    <SiteLink to="/dev/$slug/builds/$buildId" params={{ slug, buildId: place.build_id }}>
      {place.version}
    </SiteLink>
  );
}
