// The builds that a device ran, and its events.
import type { OutputOf } from '@chauffeur/contract/operation';
import type { getDevice } from '@chauffeur/contract/operations/events';
import { Table } from '@mantine/core';
import { ScrollBox } from '../../ui/ScrollBox.tsx';
import { SiteLink } from '../../ui/SiteLink.tsx';
import { sayMs, saySeconds } from '../../ui/say.ts';
import { Time } from '../../ui/Time.tsx';
import table from '../../ui/table.module.css';
import { useGame } from '../games/use-game.ts';
import classes from './EventsPage.module.css';
import { useBuildNames } from './use-build-names.ts';

type Device = OutputOf<typeof getDevice>;

export function DeviceBuilds({ builds }: Pick<Device, 'builds'>) {
  if (builds.length === 0) return null;
  return (
    <ScrollBox label="Builds of the device">
      <Table className={table.table} aria-label="Builds of the device">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Build</Table.Th>
            <Table.Th>First heard of</Table.Th>
            <Table.Th>First boot</Table.Th>
            <Table.Th>Last day with a boot</Table.Th>
            <Table.Th>Crashed on boot</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {builds.map((build) => (
            <Table.Tr key={build.build_id}>
              <Table.Td>
                <BuildLink buildId={build.build_id} />
              </Table.Td>
              <Table.Td>
                <Time at={build.first_seen} />
              </Table.Td>
              <Table.Td>{build.first_boot_at === null ? 'Never' : <Time at={build.first_boot_at} />}</Table.Td>
              <Table.Td>{build.boot_day ?? '–'}</Table.Td>
              <Table.Td>{build.crash_day ?? 'No'}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </ScrollBox>
  );
}

export function DeviceEvents({ events }: Pick<Device, 'events'>) {
  if (events.length === 0) return null;
  return (
    <ScrollBox label="Events of the device">
      <Table className={table.table} aria-label="Events of the device">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Arrived</Table.Th>
            <Table.Th>Event</Table.Th>
            <Table.Th>Build</Table.Th>
            <Table.Th>Values</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {events.map((event, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: an event may have no id, and two may come at once
            <Table.Tr key={`${event.received_at} ${index}`}>
              <Table.Td className={table.small}>
                <Time at={event.received_at} />
              </Table.Td>
              <Table.Td>{event.event}</Table.Td>
              <Table.Td>
                <BuildLink buildId={event.build_id} />
              </Table.Td>
              <Table.Td className={classes.properties}>{sayValues(event)}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </ScrollBox>
  );
}

function BuildLink({ buildId }: { buildId: string }) {
  const { game_uid: gameUid, slug } = useGame();
  const nameOf = useBuildNames(gameUid);
  return (
    <SiteLink
      to="/dev/$slug/builds/$buildId"
      params={{ slug, buildId }}
      title={buildId}
      style={{ whiteSpace: 'nowrap' }}
    >
      {nameOf(buildId)}
    </SiteLink>
  );
}

function sayValues({ ms, seconds, properties }: Device['events'][number]): string {
  const own = Object.entries(properties).map(([name, value]) => `${name}=${JSON.stringify(value)}`);
  return [...(ms === null ? [] : [sayMs(ms)]), ...(seconds === null ? [] : [saySeconds(seconds)]), ...own].join(' ');
}
