// The settings with which sentry-cli uploads to the game, and the symbols that it uploaded, which belong to no build.
import type { OutputOf } from '@chauffeur/contract/operation';
import { deleteSymbolsWithoutBuild, listSymbolsWithoutBuild } from '@chauffeur/contract/operations/symbols';
import { Button, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../../api.ts';
import { CopyText } from '../../ui/CopyText.tsx';
import { type Column, EmptyState } from '../../ui/DataTable.tsx';
import { ConfirmDialog } from '../../ui/Dialog.tsx';
import { Bytes } from '../../ui/Facts.tsx';
import { PagedTable, usePages } from '../../ui/PagedTable.tsx';
import { Section } from '../../ui/PageLayout.tsx';
import { useMay } from '../../ui/Permitted.tsx';
import { DocLink } from '../../ui/SiteLink.tsx';
import { StateBadge } from '../../ui/StateBadge.tsx';
import { SYMBOLS } from '../../ui/states.ts';
import { Time } from '../../ui/Time.tsx';
import type { OpenGame } from '../games/use-game.ts';

type UploadedFile = OutputOf<typeof listSymbolsWithoutBuild>['symbols'][number];

const PAGE_SIZE = 20;

export function SentryCli({ game }: { game: OpenGame }) {
  const list = usePages(listSymbolsWithoutBuild, { uid: game.game_uid, limit: PAGE_SIZE }, (page) => page.symbols);
  const [chosen, setChosen] = useState<UploadedFile | null>(null);
  const mayDelete = useMay(deleteSymbolsWithoutBuild);
  const lines = [
    `SENTRY_URL=${window.location.origin}`,
    'SENTRY_AUTH_TOKEN=ACCESS_TOKEN.SECRET_KEY',
    'SENTRY_ORG=any',
    `SENTRY_PROJECT=${game.slug}`,
  ].join('\n');
  return (
    <Section title="Upload with sentry-cli">
      <Text size="sm" mb={4}>
        Set these variables where sentry-cli runs, with an upload token for symbols.{' '}
        <DocLink page="sentry" size="sm">
          What it can upload
        </DocLink>
      </Text>
      <CopyText text={lines} label="settings of sentry-cli" block />
      <PagedTable
        label="Symbols without a build"
        list={list}
        columns={mayDelete ? [...COLUMNS, deleteColumn(setChosen)] : COLUMNS}
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
      {chosen !== null && <DeleteFile uid={game.game_uid} file={chosen} onClose={() => setChosen(null)} />}
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

function deleteColumn(onChoose: (file: UploadedFile) => void): Column<UploadedFile> {
  return {
    header: 'Actions',
    isHeaderHidden: true,
    align: 'right',
    cell: (file) => (
      <Button
        size="compact-xs"
        variant="default"
        aria-label={`Delete ${file.debug_file}`}
        onClick={() => onChoose(file)}
      >
        Delete
      </Button>
    ),
  };
}

type DeleteFileProps = { uid: string; file: UploadedFile; onClose: () => void };

function DeleteFile({ uid, file: { symbol_uid, debug_file: name }, onClose }: DeleteFileProps) {
  const queries = useQueryClient();
  const deletion = useMutation({
    mutationFn: () => call(deleteSymbolsWithoutBuild, { uid, symbol_uid }),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: [listSymbolsWithoutBuild.id] });
      onClose();
    },
  });
  return (
    <ConfirmDialog
      title={`Delete “${name}”?`}
      confirmLabel="Delete file"
      isBusy={deletion.isPending}
      error={deletion.error}
      onConfirm={() => deletion.mutate()}
      onClose={onClose}
    >
      <Text size="sm">
        Crash reports that arrive from now on, of all builds, are shown without it. To undo this, upload the file again.
      </Text>
    </ConfirmDialog>
  );
}
