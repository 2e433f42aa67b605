// The settings in force, those that differ from their defaults first, and the games that use up their limits.
import type { OutputOf } from '@chauffeur/contract/operation';
import { getSettings } from '@chauffeur/contract/operations/operator';
import { Code, Skeleton, Stack, Switch, Table, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { ask } from '../../api.ts';
import { PageHead } from '../../ui/PageHead.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { SiteLink } from '../../ui/SiteLink.tsx';
import { sayExactNumber } from '../../ui/say.ts';
import table from '../../ui/table.module.css';

type Settings = OutputOf<typeof getSettings>;

const REFRESH_MS = 15_000;

export function OperatorSettingsPage() {
  const { data, error, isPending, refetch } = useQuery({ ...ask(getSettings, {}), refetchInterval: REFRESH_MS });
  const [onlyChanged, setOnlyChanged] = useState(false);
  return (
    <Stack gap="lg">
      <PageHead title="Settings and limits" />
      {error !== null && <Problem error={error} again={() => void refetch()} />}
      {isPending && <Skeleton h={420} />}
      {data !== undefined && (
        <>
          <LimitsInUse limits={data.limits_in_use} />
          <Stack gap="xs" component="section" aria-labelledby="settings">
            <Title order={2} size="h4" id="settings">
              Settings in force
            </Title>
            <Text size="sm" c="dimmed">
              They come from the environment at the start of each process; this is what the one that answered has.
            </Text>
            <Switch
              label="Only those that differ from their defaults"
              checked={onlyChanged}
              onChange={(event) => setOnlyChanged(event.currentTarget.checked)}
            />
            <SettingsTable settings={data.settings.filter(({ changed }) => changed || !onlyChanged)} />
          </Stack>
        </>
      )}
    </Stack>
  );
}

function SettingsTable({ settings }: Pick<Settings, 'settings'>) {
  if (settings.length === 0) return <Text size="sm">All are as they come.</Text>;
  return (
    <Table className={table.table} aria-label="Settings">
      <Table.Thead>
        <Table.Tr>
          <Table.Th>Setting</Table.Th>
          <Table.Th w="32%">In force</Table.Th>
          <Table.Th w="24%" visibleFrom="sm">
            Default
          </Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {settings.map((setting) => (
          <Table.Tr key={setting.variable}>
            <Table.Td>
              <Text size="sm" fw={setting.changed ? 600 : 400} style={{ overflowWrap: 'anywhere' }}>
                {setting.variable}
              </Text>
              <Text size="xs" c="dimmed">
                {setting.doc.replaceAll('`', '')}
              </Text>
            </Table.Td>
            <Table.Td style={{ overflowWrap: 'anywhere' }}>
              <Value value={setting.secret ? 'set, not shown' : setting.value} isPlain={setting.secret} />
            </Table.Td>
            <Table.Td visibleFrom="sm" style={{ overflowWrap: 'anywhere' }}>
              <Value value={setting.default} isPlain={false} />
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}

function Value({ value, isPlain }: { value: string | null; isPlain: boolean }) {
  if (value === null) {
    return (
      <Text span size="sm" c="dimmed">
        not set
      </Text>
    );
  }
  return isPlain ? value : <Code>{value}</Code>;
}

function LimitsInUse({ limits }: { limits: Settings['limits_in_use'] }) {
  return (
    <Stack gap="xs" component="section" aria-labelledby="limits">
      <Title order={2} size="h4" id="limits">
        Limits in use this hour
      </Title>
      {limits.length === 0 ? (
        <Text size="sm">No game has uploaded anything in this hour.</Text>
      ) : (
        <Table className={table.table} aria-label="Limits in use">
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Game</Table.Th>
              <Table.Th>Limit</Table.Th>
              <Table.Th ta="right">Used</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {limits.map((limit) => (
              <Table.Tr key={`${limit.game_uid} ${limit.limit}`}>
                <Table.Td>
                  <SiteLink to="/g/$uid" params={{ uid: limit.slug }} className={table.main}>
                    {limit.name}
                  </SiteLink>
                </Table.Td>
                <Table.Td>{limit.limit}</Table.Td>
                <Table.Td ta="right">
                  {sayExactNumber(limit.used)} of {limit.most === 0 ? 'any number' : sayExactNumber(limit.most)}
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      )}
    </Stack>
  );
}
