// The builds with their bands and the numbers behind them.

import { sayPlatform } from '@chauffeur/contract/platform-words';
import { Table, Text } from '@mantine/core';
import { useParams } from '@tanstack/react-router';
import { Swatch } from '../../charts/Fill.tsx';
import { BandBadge } from '../../ui/BandBadge.tsx';
import { sayMissing } from '../../ui/bands.ts';
import { ScrollBox } from '../../ui/ScrollBox.tsx';
import { SiteLink } from '../../ui/SiteLink.tsx';
import { sayExactNumber, sayMs, saySeconds, sayShare } from '../../ui/say.ts';
import table from '../../ui/table.module.css';
import type { BuildHealth } from './health-days.ts';

type HealthTableProps = {
  builds: readonly BuildHealth[];
  /** Whose days are shown below. */
  opened: string | undefined;
  /** Whose band players see. */
  listed: string | null;
  colourOf: (buildId: string) => number;
};

export function HealthTable({ builds, opened, listed, colourOf }: HealthTableProps) {
  return (
    <ScrollBox label="Builds by launch health">
      <Table className={table.table} aria-label="Builds by launch health">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Build</Table.Th>
            <Table.Th>Band</Table.Th>
            <Table.Th ta="right">Devices</Table.Th>
            <Table.Th ta="right">Booted</Table.Th>
            <Table.Th ta="right">Crashed on boot</Table.Th>
            <Table.Th ta="right">Time to start</Table.Th>
            <Table.Th ta="right">Session</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {builds.map((build) => (
            <HealthRow
              key={build.build_id}
              build={build}
              isOpen={build.build_id === opened}
              isListed={build.build_id === listed}
              colour={colourOf(build.build_id)}
            />
          ))}
        </Table.Tbody>
      </Table>
    </ScrollBox>
  );
}

type HealthRowProps = { build: BuildHealth; isOpen: boolean; isListed: boolean; colour: number };

function HealthRow({ build, isOpen, isListed, colour }: HealthRowProps) {
  const { slug } = useParams({ from: '/signed-in/dev/$slug' });
  const missing = sayMissing(build);
  return (
    <Table.Tr aria-current={isOpen ? 'true' : undefined}>
      <Table.Td className={table.small}>
        <Swatch look={{ colour, pattern: 0 }} />{' '}
        <SiteLink
          to="/dev/$slug/health"
          params={{ slug }}
          search={(before) => ({ ...before, build: build.build_id })}
          resetScroll={false}
          className={table.main}
          data-row
        >
          {build.version}
        </SiteLink>{' '}
        <Text span size="sm" c="dimmed">
          {sayPlatform(build)}
        </Text>
      </Table.Td>
      <Table.Td className={table.small}>
        <BandBadge band={build.band} />{' '}
        <Text span size="sm" c="dimmed">
          {missing}
          {isListed && 'on the game’s page'}
        </Text>
      </Table.Td>
      <Table.Td ta="right">{sayExactNumber(build.devices)}</Table.Td>
      <Table.Td ta="right" className={table.small}>
        {sayShare(build.booted, build.devices)}
      </Table.Td>
      <Table.Td ta="right" className={table.small}>
        {sayShare(build.crashed_on_boot, build.devices)}
      </Table.Td>
      <Table.Td ta="right" className={table.small}>
        <Median of={build.boot_ms} say={sayMs} />
      </Table.Td>
      <Table.Td ta="right" className={table.small}>
        <Median of={build.session_seconds} say={saySeconds} />
      </Table.Td>
    </Table.Tr>
  );
}

type MedianProps = { of: BuildHealth['boot_ms']; say: (median: number) => string };

/** With what it is the median of. */
export function Median({ of: { median, samples }, say }: MedianProps) {
  if (median === null) return '–';
  return (
    <>
      {say(median)}{' '}
      <Text span size="sm" c="dimmed">
        of {sayExactNumber(samples)}
      </Text>
    </>
  );
}
