// What players get now: each channel with its version on each platform.
import type { OutputOf } from '@chauffeur/contract/operation';
import type { listChannels } from '@chauffeur/contract/operations/channels';
import { sayPlatform } from '@chauffeur/contract/platform-words';
import { Table, Text, Title } from '@mantine/core';
import { comparePlatforms } from '../../ui/platforms.ts';
import { SiteLink } from '../../ui/SiteLink.tsx';
import { StateBadge } from '../../ui/StateBadge.tsx';
import { SCANS } from '../../ui/states.ts';
import { Time } from '../../ui/Time.tsx';
import table from '../../ui/table.module.css';
import { compareChannels } from '../channels/grid.ts';

type Place = OutputOf<typeof listChannels>['channels'][number];

export function LiveNow({ slug, places }: { slug: string; places: readonly Place[] }) {
  const sorted = places.toSorted((a, b) => compareChannels(a.channel, b.channel) || comparePlatforms(a, b));
  return (
    <section aria-labelledby="live-now">
      <Title order={2} size="h4" id="live-now" mb="xs">
        Live now
      </Title>
      <Table className={table.table}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Channel</Table.Th>
            <Table.Th>Platform</Table.Th>
            <Table.Th>Version</Table.Th>
            <Table.Th visibleFrom="sm">Since</Table.Th>
            <Table.Th>Scan</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {sorted.map((place) => (
            <Table.Tr key={`${place.channel} ${place.os} ${place.arch}`}>
              <Table.Td>
                <SiteLink to="/dev/$slug/channels" params={{ slug }} className={table.main} data-row>
                  {place.channel}
                </SiteLink>
              </Table.Td>
              <Table.Td>{sayPlatform(place)}</Table.Td>
              <Table.Td>
                {place.expired ? (
                  <Text span size="sm" c="dimmed">
                    none: {place.version} expired
                  </Text>
                ) : (
                  <SiteLink to="/dev/$slug/builds/$buildId" params={{ slug, buildId: place.build_id }}>
                    {place.version}
                  </SiteLink>
                )}
              </Table.Td>
              <Table.Td visibleFrom="sm">
                <Time at={place.moved_at} />
              </Table.Td>
              <Table.Td>
                {place.scan !== null && <StateBadge tone={SCANS[place.scan].tone}>{SCANS[place.scan].word}</StateBadge>}
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </section>
  );
}
