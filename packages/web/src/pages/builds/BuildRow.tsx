// A build as a row of a table.
import type { OutputOf } from '@chauffeur/contract/operation';
import type { listGameBuilds } from '@chauffeur/contract/operations/builds';
import { sayPlatform } from '@chauffeur/contract/platform-words';
import { Table, Text } from '@mantine/core';
import { Bytes } from '../../ui/Bytes.tsx';
import { SiteLink } from '../../ui/SiteLink.tsx';
import { StateBadge } from '../../ui/StateBadge.tsx';
import { BUILD_STATES } from '../../ui/states.ts';
import { Time } from '../../ui/Time.tsx';
import table from '../../ui/table.module.css';

export type ListedBuild = OutputOf<typeof listGameBuilds>['builds'][number];

export const BUILD_COLUMNS = 6;

export function BuildHeads() {
  return (
    <Table.Thead>
      <Table.Tr>
        <Table.Th>Version</Table.Th>
        <Table.Th>Platform</Table.Th>
        <Table.Th visibleFrom="sm">Channel</Table.Th>
        <Table.Th>State</Table.Th>
        <Table.Th visibleFrom="sm" ta="right">
          Size
        </Table.Th>
        <Table.Th visibleFrom="sm">Registered</Table.Th>
      </Table.Tr>
    </Table.Thead>
  );
}

export function BuildRow({ slug, build }: { slug: string; build: ListedBuild }) {
  const { tone, word } = BUILD_STATES[build.state];
  return (
    <Table.Tr>
      <Table.Td>
        <SiteLink
          to="/dev/$slug/builds/$buildId"
          params={{ slug, buildId: build.build_id }}
          className={table.main}
          data-row
        >
          {build.version}
        </SiteLink>
        {build.title !== build.version && (
          <Text span size="sm" c="dimmed" visibleFrom="sm">
            {' '}
            · {build.title}
          </Text>
        )}
      </Table.Td>
      <Table.Td>{sayPlatform(build)}</Table.Td>
      <Table.Td visibleFrom="sm">{build.channel}</Table.Td>
      <Table.Td>
        <StateBadge tone={tone}>{word}</StateBadge>
      </Table.Td>
      <Table.Td visibleFrom="sm" ta="right">
        {build.file === null ? '–' : <Bytes count={build.file.size} />}
      </Table.Td>
      <Table.Td visibleFrom="sm" className={table.small}>
        <Time at={build.created_at} />
      </Table.Td>
    </Table.Tr>
  );
}
