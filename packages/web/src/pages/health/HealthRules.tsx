// How launch health is counted, by the rules that the service itself rates by.
import { BAND_RULES, LEAST_DEVICES, WINDOW_DAYS } from '@chauffeur/contract/launch-bands';
import { Stack, Table, Text, Title } from '@mantine/core';
import { BandBadge } from '../../ui/BandBadge.tsx';
import table from '../../ui/table.module.css';

export function HealthRules() {
  return (
    <Stack gap="xs" component="section" aria-labelledby="rules" maw={760}>
      <Title order={2} size="h4" id="rules">
        How it is counted
      </Title>
      <Text size="sm">
        Devices are distinct <code>device_uid</code>s with any event of the build in the last {WINDOW_DAYS} days (UTC,
        today included). Booted are those of them that sent <code>boot_ok</code>. Crashed on boot are those whose{' '}
        <code>crash</code> arrived before the first <code>boot_ok</code> that they ever sent on this build. Both are
        shares of all devices of the build. Medians are within 2 %.
      </Text>
      <Table className={table.table} aria-label="Bands">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Band</Table.Th>
            <Table.Th ta="right">Booted</Table.Th>
            <Table.Th ta="right">Crashed</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {BAND_RULES.map(({ band, leastBooted, mostCrashed }) => (
            <Table.Tr key={band}>
              <Table.Td>
                <BandBadge band={band} />
              </Table.Td>
              <Table.Td ta="right">at least {leastBooted} %</Table.Td>
              <Table.Td ta="right">at most {mostCrashed} %</Table.Td>
            </Table.Tr>
          ))}
          <Table.Tr>
            <Table.Td>
              <BandBadge band="problematic" />
            </Table.Td>
            <Table.Td ta="right">less</Table.Td>
            <Table.Td ta="right">more</Table.Td>
          </Table.Tr>
          <Table.Tr>
            <Table.Td>
              <BandBadge band="unrated" />
            </Table.Td>
            <Table.Td colSpan={2} ta="right">
              fewer than {LEAST_DEVICES} devices
            </Table.Td>
          </Table.Tr>
        </Table.Tbody>
      </Table>
      <Text size="sm" c="dimmed">
        A build has the best band of which it keeps both bounds. Builds from which stable was rolled back do not count
        for the game’s page.
      </Text>
    </Stack>
  );
}
