// How a version that is to be promoted does, next to what players have now: launch health, crashes and new groups.
import { formatNumber, formatPercent } from '@chauffeur/contract/format';
import type { OutputOf } from '@chauffeur/contract/operation';
import { getVersion } from '@chauffeur/contract/operations/versions';
import { Stack, Text } from '@mantine/core';
import { useQueries } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { ask } from '../../api.ts';
import { BandBadge } from '../../ui/BandBadge.tsx';
import { type Column, DataTable } from '../../ui/DataTable.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { SiteLink } from '../../ui/SiteLink.tsx';

type CompareReleasesProps = {
  readonly game: { readonly game_uid: string; readonly slug: string };
  /** The version to promote. */
  readonly version: string;
  /** The other versions that players get now. */
  readonly replaced: readonly string[];
};

type Version = OutputOf<typeof getVersion>;
/** A figure, which each version has in a column. */
type Row = { readonly name: string; readonly cell: (version: Version) => ReactNode };

const ROWS: readonly Row[] = [
  { name: 'Launch health', cell: ({ launch }) => <BandBadge band={launch.band} /> },
  { name: 'Crashed on boot', cell: ({ launch }) => <Share {...launch.crash_rate} /> },
  { name: 'Crash-free sessions', cell: ({ crash_free }) => <Share {...crash_free.session_rate} /> },
  { name: 'Crash-free devices', cell: ({ crash_free }) => <Share {...crash_free.device_rate} /> },
  { name: 'New crash groups', cell: ({ new_groups }) => formatNumber(new_groups.count) },
];

function linkRow(slug: string): Row {
  return {
    name: 'Details',
    cell: ({ version }) => (
      <SiteLink to="/dev/$slug/version" params={{ slug }} search={{ version }} size="sm">
        View {version}
      </SiteLink>
    ),
  };
}

/** Other versions on the platforms of one channel are on its page. */
const MAX_REPLACED = 3;

export function CompareReleases({ game, version, replaced }: CompareReleasesProps) {
  const versions = [version, ...replaced.slice(0, MAX_REPLACED)];
  const found = useQueries({
    queries: versions.map((each) => ask(getVersion, { uid: game.game_uid, version: each })),
  });
  const failed = found.find(({ error }) => error !== null);
  if (failed?.error) return <Problem error={failed.error} onRetry={() => void failed.refetch()} />;
  const loaded = found.flatMap(({ data }) => data ?? []);
  const isLoaded = loaded.length === versions.length;
  return (
    <Stack gap="xs" component="section" aria-label="Comparison with what players have">
      <DataTable
        label="Versions"
        keepsColumns
        columns={[{ header: 'Metric', cell: ({ name }) => name }, ...loaded.map((of) => columnOf(version, of))]}
        rows={isLoaded ? [...ROWS, linkRow(game.slug)] : undefined}
        rowKey={({ name }) => name}
        isLoading={!isLoaded}
        skeletonRows={ROWS.length}
      />
      <Text size="xs" c="dimmed">
        {replaced.length === 0 ? 'Players have no other version there. ' : ''}All numbers cover the last 30 days. The
        ranges are 95% confidence intervals.
      </Text>
    </Stack>
  );
}

function columnOf(promoted: string, of: Version): Column<Row> {
  return {
    header: of.version === promoted ? `${of.version}, to promote` : `${of.version}, now`,
    cell: ({ cell }) => cell(of),
  };
}

function Share({ rate, low, high }: Version['launch']['crash_rate']) {
  if (rate === null) return 'No data';
  return (
    <>
      {formatPercent(rate)}
      {low !== null && high !== null && (
        <Text size="xs" c="dimmed">{`${formatPercent(low)} to ${formatPercent(high)}`}</Text>
      )}
    </>
  );
}
