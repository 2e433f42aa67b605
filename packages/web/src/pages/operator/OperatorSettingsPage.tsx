// The active settings of the service, changed ones first, and the games that use up their limits.
import { formatNumber } from '@chauffeur/contract/format';
import type { OutputOf } from '@chauffeur/contract/operation';
import { getSettings } from '@chauffeur/contract/operations/operator';
import { Anchor, Code, Skeleton, Stack, Switch, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { ask } from '../../api.ts';
import { type Column, DataTable } from '../../ui/DataTable.tsx';
import { PageHead } from '../../ui/PageLayout.tsx';
import { Problem } from '../../ui/Problem.tsx';
import table from '../../ui/table.module.css';

type Settings = OutputOf<typeof getSettings>;
type Setting = Settings['settings'][number];
type LimitInUse = Settings['limits_in_use'][number];

const REFRESH_MS = 15_000;

export function OperatorSettingsPage() {
  const { data, error, isPending, refetch } = useQuery({ ...ask(getSettings, {}), refetchInterval: REFRESH_MS });
  const [onlyChanged, setOnlyChanged] = useState(false);
  return (
    <Stack gap="lg">
      <PageHead title="Settings and limits" />
      {error !== null && <Problem error={error} onRetry={() => void refetch()} />}
      {isPending && <Skeleton h={420} />}
      {data !== undefined && (
        <>
          <LimitsInUse limits={data.limits_in_use} />
          <Stack gap="xs" component="section" aria-labelledby="settings">
            <Title order={2} size="h4" id="settings">
              Active settings
            </Title>
            <Text size="sm" c="dimmed">
              Each process reads its settings from the environment when it starts. This list is from the process that
              handled the request.
            </Text>
            <Switch
              label="Changed settings only"
              checked={onlyChanged}
              onChange={(event) => setOnlyChanged(event.currentTarget.checked)}
            />
            <DataTable
              label="Settings"
              columns={SETTING_COLUMNS}
              rows={data.settings.filter(({ changed }) => changed || !onlyChanged)}
              rowKey={({ variable }) => variable}
              empty={<Text size="sm">All settings have their default values.</Text>}
            />
          </Stack>
        </>
      )}
    </Stack>
  );
}

const SETTING_COLUMNS: readonly Column<Setting>[] = [
  {
    header: 'Setting',
    cell: ({ variable, changed, doc }) => (
      <>
        <Text size="sm" fw={changed ? 600 : 400} style={{ overflowWrap: 'anywhere' }}>
          {variable}
        </Text>
        <Text size="xs" c="dimmed">
          {doc.replaceAll('`', '')}
        </Text>
      </>
    ),
  },
  {
    header: 'Value',
    width: '32%',
    overflow: 'anywhere',
    cell: ({ secret, value }) => (secret ? 'Set, but hidden' : <SettingValue value={value} />),
  },
  {
    header: 'Default',
    width: '24%',
    overflow: 'anywhere',
    cell: (setting) => <SettingValue value={setting.default} />,
  },
];

function SettingValue({ value }: { value: string | null }) {
  if (value !== null) return <Code>{value}</Code>;
  return (
    <Text span size="sm" c="dimmed">
      Not set
    </Text>
  );
}

function LimitsInUse({ limits }: { limits: readonly LimitInUse[] }) {
  return (
    <Stack gap="xs" component="section" aria-labelledby="limits">
      <Title order={2} size="h4" id="limits">
        Limits in use this hour
      </Title>
      <DataTable
        label="Limits in use"
        keepsColumns
        columns={LIMIT_COLUMNS}
        rows={limits}
        rowKey={({ game_uid, limit }) => `${game_uid} ${limit}`}
        empty={<Text size="sm">No game has uploaded anything this hour.</Text>}
      />
    </Stack>
  );
}

const LIMIT_COLUMNS: readonly Column<LimitInUse>[] = [
  {
    header: 'Game',
    cell: ({ slug, name }) => (
      <Anchor href={`/g/${slug}`} className={table.main}>
        {name}
      </Anchor>
    ),
  },
  { header: 'Limit', cell: ({ limit }) => limit },
  {
    header: 'Used',
    align: 'right',
    cell: ({ used, most }) =>
      most === 0 ? `${formatNumber(used)} (unlimited)` : `${formatNumber(used)} of ${formatNumber(most)}`,
  },
];
