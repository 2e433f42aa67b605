// The settings with which sentry-cli uploads to the game, and the symbols that it uploaded, which belong to no build.
import type { OutputOf } from '@chauffeur/contract/operation';
import { listSymbolsWithoutBuild } from '@chauffeur/contract/operations/symbols';
import { Text } from '@mantine/core';
import { CopyText } from '../../ui/CopyText.tsx';
import { type Column, EmptyState } from '../../ui/DataTable.tsx';
import { Bytes } from '../../ui/Facts.tsx';
import { PagedTable, usePages } from '../../ui/PagedTable.tsx';
import { Section } from '../../ui/PageLayout.tsx';
import { DocLink } from '../../ui/SiteLink.tsx';
import { StateBadge } from '../../ui/StateBadge.tsx';
import { SYMBOLS } from '../../ui/states.ts';
import { Time } from '../../ui/Time.tsx';
import type { OpenGame } from '../games/use-game.ts';

type UploadedFile = OutputOf<typeof listSymbolsWithoutBuild>['symbols'][number];

const PAGE_SIZE = 20;

export function SentryCli({ game }: { game: OpenGame }) {
  const list = usePages(listSymbolsWithoutBuild, { uid: game.game_uid, limit: PAGE_SIZE }, (page) => page.symbols);
  const lines = [
    `SENTRY_URL=${window.location.origin}`,
    'SENTRY_AUTH_TOKEN=ACCESS_TOKEN.SECRET_KEY',
    'SENTRY_ORG=any',
    `SENTRY_PROJECT=${game.slug}`,
  ].join('\n');
  return (
    <Section title="Upload with sentry-cli">
      <Text size="sm" mb={4}>
        In the environment of sentry-cli, with an upload token for symbols.{' '}
        <DocLink page="sentry" size="sm">
          What it can upload
        </DocLink>
      </Text>
      <CopyText text={lines} label="settings of sentry-cli" block />
      <PagedTable
        label="Symbols without a build"
        list={list}
        columns={COLUMNS}
        rowKey={({ symbol_uid }) => symbol_uid}
        skeletonRows={2}
        empty={
          <EmptyState>
            No files yet. Debug files, source maps and mappings that sentry-cli uploads are used by all builds with
            their debug IDs.
          </EmptyState>
        }
        more="Show more files"
      />
    </Section>
  );
}

const COLUMNS: readonly Column<UploadedFile>[] = [
  {
    header: 'File',
    overflow: 'anywhere',
    cell: ({ debug_file, os, cpu, problem }) => (
      <>
        <strong>{debug_file}</strong>{' '}
        <Text span size="sm" c="dimmed">
          {os} {cpu}
        </Text>
        {problem !== null && <Text size="sm">{problem}</Text>}
      </>
    ),
  },
  {
    header: 'Debug ID',
    cell: ({ debug_id, debug_file }) =>
      debug_id === '' ? '–' : <CopyText text={debug_id} label={`debug ID of ${debug_file}`} />,
  },
  {
    header: 'State',
    cell: ({ state }) => <StateBadge tone={SYMBOLS[state].tone}>{SYMBOLS[state].label}</StateBadge>,
  },
  { header: 'Size', align: 'right', overflow: 'nowrap', cell: ({ size }) => <Bytes count={size} /> },
  { header: 'Uploaded', overflow: 'nowrap', cell: ({ uploaded_at }) => <Time at={uploaded_at} /> },
];
