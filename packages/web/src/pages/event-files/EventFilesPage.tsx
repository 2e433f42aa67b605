// The Parquet files of a game's raw events: the switch, what exists, and downloads.
import { formatNumber } from '@chauffeur/contract/format';
import type { OutputOf } from '@chauffeur/contract/operation';
import {
  deleteEventFiles,
  getEventFiles,
  listEventFiles,
  setEventFiles,
} from '@chauffeur/contract/operations/event-files';
import { Anchor, Button, Group, Skeleton, Stack, Switch, Text, TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ask, call } from '../../api.ts';
import { CopyText } from '../../ui/CopyText.tsx';
import { type Column, EmptyState } from '../../ui/DataTable.tsx';
import { ConfirmDialog } from '../../ui/Dialog.tsx';
import { Bytes, type Fact, Facts } from '../../ui/Facts.tsx';
import { PagedTable, usePages } from '../../ui/PagedTable.tsx';
import { Notice, PageHead } from '../../ui/PageLayout.tsx';
import { Permitted } from '../../ui/Permitted.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { DocLink } from '../../ui/SiteLink.tsx';
import { Time } from '../../ui/Time.tsx';
import { useGame } from '../games/use-game.ts';

type Settings = OutputOf<typeof getEventFiles>;
type EventFile = OutputOf<typeof listEventFiles>['files'][number];

export function EventFilesPage() {
  const game = useGame();
  const uid = game.game_uid;
  const { data, error, refetch } = useQuery(ask(getEventFiles, { uid }));
  return (
    <Stack gap="md">
      <PageHead title="Event files" tabTitle={`Event files · ${game.name}`} />
      <Text size="sm">
        Every event of this game as Parquet files in the blob storage, one hour at a time, for engines such as DuckDB,
        ClickHouse, Trino and Spark. See <DocLink page="raw-events">Raw events</DocLink>.
      </Text>
      {error !== null && <Problem error={error} onRetry={() => void refetch()} />}
      {data === undefined ? error === null && <Skeleton h={200} /> : <State uid={uid} settings={data} />}
      <Files uid={uid} isOn={data?.enabled ?? false} />
    </Stack>
  );
}

function State({ uid, settings }: { uid: string; settings: Settings }) {
  const queries = useQueryClient();
  const [isDeleting, setDeleting] = useState(false);
  const turn = useMutation({
    mutationFn: (enabled: boolean) => call(setEventFiles, { uid, enabled }),
    onSuccess: (changed) => queries.setQueryData(ask(getEventFiles, { uid }).queryKey, changed),
  });
  const { enabled, changed_at, changed_by, files } = settings;
  return (
    <>
      <Switch
        label="Write event files"
        checked={enabled}
        disabled={turn.isPending}
        onChange={({ currentTarget }) => turn.mutate(currentTarget.checked)}
        description={
          changed_at !== null && (
            <>
              Turned {enabled ? 'on' : 'off'} by {changed_by} <Time at={changed_at} />
            </>
          )
        }
      />
      {turn.error !== null && <Problem error={turn.error} />}
      {settings.storage_full && (
        <Notice tone="bad" title="The storage of this game is full">
          <Text size="sm">No files are written until there is free space. Delete builds, symbols or event files.</Text>
        </Notice>
      )}
      {changed_at !== null && (
        <>
          <Facts facts={factsOf(settings)} />
          {files > 0 && (
            <Permitted operation={deleteEventFiles} to="delete the files">
              <Group>
                <Button variant="default" onClick={() => setDeleting(true)}>
                  Delete files
                </Button>
              </Group>
            </Permitted>
          )}
        </>
      )}
      {isDeleting && <DeleteFiles uid={uid} onClose={() => setDeleting(false)} />}
    </>
  );
}

function factsOf({ written_until, files, bytes, events, keep_days, prefix, devices_to_remove }: Settings): Fact[] {
  return [
    ['Files', formatNumber(files)],
    ['Size', <Bytes key="size" count={bytes} />],
    ['Events', formatNumber(events)],
    ['Written until', written_until === null ? 'Nothing yet' : hourOf(written_until)],
    ['Kept', keep_days === 0 ? 'Forever' : `${formatNumber(keep_days)} days`],
    ['Keys begin with', <CopyText key="prefix" text={prefix} label="prefix" block />],
    ...(devices_to_remove === 0
      ? []
      : [['Deleted devices that are still in files', formatNumber(devices_to_remove)] as const]),
  ];
}

/** Formats an hour: `2026-11-30 17:00 UTC`. */
function hourOf(time: string): string {
  return `${time.slice(0, 10)} ${time.slice(11, 16)} UTC`;
}

function Files({ uid, isOn }: { uid: string; isOn: boolean }) {
  const list = usePages(listEventFiles, { uid }, (page) => page.files);
  return (
    <PagedTable
      label="Files"
      list={list}
      columns={columnsOf(uid)}
      rowKey={(file) => file.uid}
      empty={
        <EmptyState>{isOn ? 'No files yet. They are written after each full hour.' : 'No event files.'}</EmptyState>
      }
      more="Show older files"
    />
  );
}

function columnsOf(uid: string): Column<EventFile>[] {
  return [
    { header: 'Hour', cell: ({ hour, part }) => (part === 0 ? hourOf(hour) : `${hourOf(hour)}, part ${part + 1}`) },
    { header: 'Events', align: 'right', cell: ({ events }) => formatNumber(events) },
    { header: 'Size', align: 'right', cell: ({ size }) => <Bytes count={size} /> },
    { header: 'Written', cell: ({ written_at }) => <Time at={written_at} /> },
    {
      header: 'Download',
      isHeaderHidden: true,
      align: 'right',
      cell: (file) => (
        <Anchor
          size="sm"
          href={`/api/v1/games/${uid}/event-files/${file.uid}`}
          aria-label={`Download the file of ${hourOf(file.hour)}`}
        >
          Download
        </Anchor>
      ),
    },
  ];
}

/** The dialog that deletes a game's event files from before a day. */
function DeleteFiles({ uid, onClose }: { uid: string; onClose: () => void }) {
  const [before, setBefore] = useState(new Date().toISOString().slice(0, 10));
  const queries = useQueryClient();
  const deletion = useMutation({
    mutationFn: () => call(deleteEventFiles, { uid, before }),
    onSuccess: async () => {
      onClose();
      await queries.invalidateQueries({ queryKey: [getEventFiles.id] });
      await queries.invalidateQueries({ queryKey: [listEventFiles.id] });
    },
  });
  return (
    <ConfirmDialog
      title="Delete event files?"
      confirmLabel="Delete files"
      isBusy={deletion.isPending}
      error={deletion.error}
      onConfirm={() => deletion.mutate()}
      onClose={onClose}
    >
      <TextInput
        type="date"
        label="Delete the files of all days before"
        value={before}
        onChange={({ currentTarget }) => setBefore(currentTarget.value)}
      />
      <Text size="sm">
        The files are deleted in the background and not written again. This cannot be undone. Launch health and counts
        stay.
      </Text>
    </ConfirmDialog>
  );
}
