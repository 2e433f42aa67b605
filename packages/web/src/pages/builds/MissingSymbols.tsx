// The modules without symbols in recent crashes of a build, and why. Renders nothing if there are none.
import { formatNumber } from '@chauffeur/contract/format';
import type { OutputOf } from '@chauffeur/contract/operation';
import { listMissingSymbols } from '@chauffeur/contract/operations/crash-stacks';
import { Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { ask } from '../../api.ts';
import { follow, useLiveInterval } from '../../frame/live-changes.ts';
import { CopyText } from '../../ui/CopyText.tsx';
import { type Column, DataTable } from '../../ui/DataTable.tsx';
import { formatShare } from '../../ui/format.ts';
import { Problem } from '../../ui/Problem.tsx';

type Module = OutputOf<typeof listMissingSymbols>['modules'][number];

type MissingSymbolsProps = {
  gameUid: string;
  buildId: string;
  /** The upload command, unless the page shows it already. */
  command?: ReactNode;
};

const REFRESH_MS = 10_000;

export function MissingSymbols({ gameUid, buildId, command }: MissingSymbolsProps) {
  const pollMs = useLiveInterval(REFRESH_MS);
  const { data, error, refetch } = useQuery({
    ...ask(listMissingSymbols, { uid: gameUid, build_id: buildId }),
    refetchInterval: ({ state }) => (state.status === 'error' ? false : pollMs),
    meta: follow('crashes'),
  });
  if (error !== null && data === undefined) return <Problem error={error} onRetry={() => void refetch()} />;
  if (data === undefined || data.modules.length === 0) return null;
  return (
    <Stack gap="xs" component="section" aria-label="Missing symbols" mt="sm">
      <Title order={3} size="h5">
        Missing symbols
      </Title>
      <Text size="sm" c="dimmed">
        {formatSource(data.reports)} Upload symbols for the modules of your game; libraries of players' systems are
        listed too.
      </Text>
      <DataTable
        label="Modules without symbols"
        columns={moduleColumns(data.reports)}
        rows={data.modules}
        rowKey={({ module, debug_id }) => `${module} ${debug_id}`}
      />
      {command}
    </Stack>
  );
}

function formatSource(reports: number): string {
  return reports === 1
    ? "From this build's latest crash report."
    : `From this build's latest ${formatNumber(reports)} crash reports.`;
}

function moduleColumns(reports: number): Column<Module>[] {
  return [
    { header: 'Module', overflow: 'anywhere', cell: ({ module }) => module },
    {
      header: 'Debug ID',
      cell: ({ module, debug_id }) => <CopyText text={debug_id} label={`debug ID of ${module}`} />,
    },
    {
      header: 'Reason',
      overflow: 'anywhere',
      title: ({ detail }) => detail,
      cell: ({ why, detail }) => (why === 'never_uploaded' ? 'Never uploaded' : detail),
    },
    {
      header: 'Reports',
      align: 'right',
      overflow: 'nowrap',
      title: ({ crashes }) => formatShare(crashes, reports),
      cell: ({ crashes }) => formatNumber(crashes),
    },
  ];
}
