// Looks up the stored data of one device, for players who ask for their data or its deletion.
import { isError } from '@chauffeur/contract/errors';
import { formatDuration, formatMilliseconds, formatNumber, formatPlatform } from '@chauffeur/contract/format';
import { LIMITS } from '@chauffeur/contract/limits';
import type { OutputOf } from '@chauffeur/contract/operation';
import { deleteDevice, getDevice } from '@chauffeur/contract/operations/events';
import { getBuildHealth, listHealth } from '@chauffeur/contract/operations/health';
import { Button, Group, Skeleton, Stack, Text, TextInput, Title } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ask, call, pagesQuery } from '../../api.ts';
import { saveFile } from '../../file-transfer.ts';
import { type Column, DataTable } from '../../ui/DataTable.tsx';
import { ConfirmDialog } from '../../ui/Dialog.tsx';
import { Facts } from '../../ui/Facts.tsx';
import { shorten } from '../../ui/format.ts';
import { usePages } from '../../ui/PagedTable.tsx';
import { Consequences, Notice } from '../../ui/PageLayout.tsx';
import { Permitted } from '../../ui/Permitted.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { ShowMore } from '../../ui/ShowMore.tsx';
import { SiteLink } from '../../ui/SiteLink.tsx';
import { Time } from '../../ui/Time.tsx';
import { useGame } from '../games/use-game.ts';
import classes from './EventsPage.module.css';

type DeviceSectionProps = {
  gameUid: string;
  /** The `device_uid` in the URL. */
  device: string | undefined;
  onDevice: (device: string | undefined) => void;
};

export function DeviceSection({ gameUid, device, onDevice }: DeviceSectionProps) {
  const [input, setInput] = useState(device ?? '');
  return (
    <Stack gap="sm" component="section" aria-labelledby="device">
      <div>
        <Title order={2} size="h4" id="device">
          Device lookup
        </Title>
        <Text size="sm" c="dimmed">
          Shows everything stored about one installation, by its <code>device_uid</code>. Use it when a player asks for
          their data or its deletion.
        </Text>
      </div>
      <Permitted operation={getDevice} to="look up devices">
        <form
          aria-label="Look up a device"
          onSubmit={(event) => {
            event.preventDefault();
            onDevice(input.trim() === '' ? undefined : input.trim());
          }}
        >
          <Group align="flex-end" gap="sm">
            <TextInput
              label="device_uid"
              required
              maxLength={LIMITS.eventIdLength}
              w={360}
              maw="100%"
              value={input}
              onChange={(event) => setInput(event.currentTarget.value)}
            />
            <Button type="submit" variant="default">
              Look up
            </Button>
          </Group>
        </form>
        {device !== undefined && <DeviceRecord gameUid={gameUid} device={device} />}
      </Permitted>
    </Stack>
  );
}

type DeviceProps = { gameUid: string; device: string };

/** The record of a device: its builds and events, with buttons to export it as JSON or to delete it. */
function DeviceRecord({ gameUid, device }: DeviceProps) {
  const deletion = useDeviceDeletion(gameUid, device);
  if (deletion.data !== undefined) return <Deleted {...deletion.data} />;
  return <Stored gameUid={gameUid} device={device} deletion={deletion} />;
}

function Deleted({ builds, events }: { builds: number; events: number }) {
  return (
    <div role="status">
      <Notice tone="good" title="Device deleted">
        <Text size="sm">
          {`Events deleted: ${formatNumber(events)}. Builds with one device fewer: ${formatNumber(builds)}.`}
        </Text>
      </Notice>
    </div>
  );
}

function Stored({ gameUid, device, deletion }: DeviceProps & { deletion: Deletion }) {
  const list = useDevice(gameUid, device);
  if (list.isLoading) return <Skeleton h={160} />;
  // The server rejects an ID that no device can have.
  if (isError(list.error, 'invalid')) return <NotStored />;
  if (list.error !== null) return <Problem error={list.error} onRetry={list.retry} />;
  const { builds, first_seen, sdk_sessions: sessions } = list.firstPage ?? NOTHING;
  const events = list.rows ?? [];
  if (builds.length + sessions.length + events.length === 0 && !list.hasNext) return <NotStored />;
  return (
    <Stack gap="sm">
      <Actions gameUid={gameUid} device={device} builds={builds.length} deletion={deletion} />
      <Facts facts={[['First seen', first_seen === null ? 'Unknown' : <Time key="at" at={first_seen} />]]} />
      {sessions.length > 0 && <DeviceSessions sessions={sessions} />}
      <DeviceBuilds builds={builds} />
      <DeviceEvents events={events} />
      <ShowMore list={list}>Show older events</ShowMore>
    </Stack>
  );
}

const NOTHING: Pick<Device, 'builds' | 'first_seen' | 'sdk_sessions'> = {
  builds: [],
  first_seen: null,
  sdk_sessions: [],
};

function NotStored() {
  return <Text size="sm">No data is stored for a device with this ID.</Text>;
}

function Actions({ gameUid, device, builds, deletion }: DeviceProps & { builds: number; deletion: Deletion }) {
  const exporting = useDeviceExport(gameUid, device);
  const [isConfirming, setConfirming] = useState(false);
  return (
    <>
      <Group gap="sm">
        <Button size="xs" variant="default" loading={exporting.isPending} onClick={() => exporting.mutate()}>
          Export as JSON
        </Button>
        <Permitted operation={deleteDevice}>
          <Button size="xs" variant="default" onClick={() => setConfirming(true)}>
            Delete
          </Button>
        </Permitted>
        <Text size="sm" role="status">
          {exporting.isSuccess && `Exported. Events in the file: ${formatNumber(exporting.data)}.`}
        </Text>
      </Group>
      {exporting.error !== null && <Problem error={exporting.error} onRetry={() => exporting.mutate()} />}
      {isConfirming && (
        <DeleteDevice device={device} builds={builds} deletion={deletion} onClose={() => setConfirming(false)} />
      )}
    </>
  );
}

type Device = OutputOf<typeof getDevice>;
type DeviceBuild = Device['builds'][number];
type DeviceEvent = Device['events'][number];

/** The builds that a device used, and its events. */
function DeviceBuilds({ builds }: { builds: readonly DeviceBuild[] }) {
  return (
    <DataTable label="Builds of the device" columns={BUILD_COLUMNS} rows={builds} rowKey={({ build_id }) => build_id} />
  );
}

const BUILD_COLUMNS: readonly Column<DeviceBuild>[] = [
  { header: 'Build', cell: ({ build_id }) => <BuildLink buildId={build_id} /> },
  { header: 'First seen', cell: ({ first_seen }) => <Time at={first_seen} /> },
  {
    header: 'First boot',
    cell: ({ first_boot_at }) => (first_boot_at === null ? 'Never' : <Time at={first_boot_at} />),
  },
  { header: 'Last boot', cell: ({ boot_day }) => boot_day ?? '–' },
  { header: 'Crashed on boot', cell: ({ crash_day }) => crash_day ?? 'No' },
];

type SdkSessions = Device['sdk_sessions'][number];

/** What Sentry's SDKs reported of the device. */
function DeviceSessions({ sessions }: { sessions: readonly SdkSessions[] }) {
  return (
    <DataTable
      label="Sessions from Sentry's SDKs"
      columns={SESSION_COLUMNS}
      rows={sessions}
      rowKey={({ build_id, day }) => `${day} ${build_id}`}
    />
  );
}

const SESSION_COLUMNS: readonly Column<SdkSessions>[] = [
  { header: 'Day', overflow: 'nowrap', cell: ({ day }) => day },
  { header: 'Build', cell: ({ build_id }) => <BuildLink buildId={build_id} /> },
  { header: 'Sessions', align: 'right', cell: ({ sessions }) => formatNumber(sessions) },
  { header: 'Crashed', align: 'right', cell: ({ crashed }) => formatNumber(crashed) },
];

function DeviceEvents({ events }: { events: readonly DeviceEvent[] }) {
  return (
    <DataTable
      label="Events of the device"
      columns={EVENT_COLUMNS}
      rows={events}
      // An event may have no ID, and two may arrive at the same time.
      rowKey={({ received_at }, index) => `${received_at} ${index}`}
    />
  );
}

const EVENT_COLUMNS: readonly Column<DeviceEvent>[] = [
  { header: 'Received', overflow: 'nowrap', cell: ({ received_at }) => <Time at={received_at} /> },
  { header: 'Event', cell: ({ event }) => event },
  { header: 'Build', cell: ({ build_id }) => <BuildLink buildId={build_id} /> },
  { header: 'Values', className: classes.properties, cell: formatValues },
];

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

/** Formats the duration, then the custom properties: `4.2 s level=3`. */
function formatValues({ ms, seconds, properties }: DeviceEvent): string {
  const own = Object.entries(properties).map(([name, value]) => `${name}=${JSON.stringify(value)}`);
  return [
    ...(ms === null ? [] : [formatMilliseconds(ms)]),
    ...(seconds === null ? [] : [formatDuration(seconds)]),
    ...own,
  ].join(' ');
}

type DeleteDeviceProps = {
  device: string;
  /** The number of builds that count the device. */
  builds: number;
  deletion: Deletion;
  onClose: () => void;
};

/** The dialog that deletes a device; it lists the consequences. */
function DeleteDevice({ device, builds, deletion, onClose }: DeleteDeviceProps) {
  return (
    <ConfirmDialog
      title="Delete this device?"
      confirmLabel="Delete device"
      isBusy={deletion.isPending}
      error={deletion.error}
      onConfirm={() => deletion.mutate()}
      onClose={onClose}
    >
      <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
        {device}
      </Text>
      <Consequences
        lines={[
          'All stored events of this device are deleted. This cannot be undone.',
          builds === 1
            ? 'The launch health of one build will count one device fewer, which may change its band.'
            : `The launch health of ${builds} builds will count one device fewer, which may change their bands.`,
          "Hourly counts and median times are kept. They don't identify a device.",
          'If the device sends events again, it counts as a new device. Stop the game on it first.',
        ]}
      />
    </ConfirmDialog>
  );
}

type Page = OutputOf<typeof getDevice>;

/** The stored data of one device: load it page by page, export all of it, or delete it. */
function useDevice(gameUid: string, device: string) {
  return usePages(getDevice, { uid: gameUid, device_uid: device }, (page) => page.events);
}

/** Saves the whole record as a JSON file and returns the number of its events. */
function useDeviceExport(gameUid: string, device: string) {
  const loadPage = (cursor: string | null): Promise<Page> =>
    call(getDevice, { uid: gameUid, device_uid: device, ...(cursor !== null && { cursor }) });
  return useMutation({
    mutationFn: async () => {
      let page = await loadPage(null);
      const { next_cursor: _, ...record } = page;
      const events = [...page.events];
      while (page.next_cursor !== null) {
        page = await loadPage(page.next_cursor);
        events.push(...page.events);
      }
      const file = new Blob([JSON.stringify({ ...record, events }, null, 2)], { type: 'application/json' });
      saveFile(`device-${device.replace(/[^\w.-]/g, '_')}.json`, file);
      return events.length;
    },
  });
}

type Deletion = ReturnType<typeof useDeviceDeletion>;

function useDeviceDeletion(gameUid: string, device: string) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: () => call(deleteDevice, { uid: gameUid, device_uid: device }),
    onSuccess: () => {
      queries.removeQueries({ queryKey: pagesQuery(getDevice, { uid: gameUid, device_uid: device }).queryKey });
      void queries.invalidateQueries({ queryKey: [listHealth.id] });
      void queries.invalidateQueries({ queryKey: [getBuildHealth.id] });
    },
  });
}

/** Returns a function that formats a build ID: `1.2.0 Linux x86_64`, or the shortened ID of any other build. */
function useBuildNames(gameUid: string): (buildId: string) => string {
  const { data } = useQuery(ask(listHealth, { uid: gameUid }));
  const names = new Map(data?.builds.map((build) => [build.build_id, `${build.version} ${formatPlatform(build)}`]));
  return (buildId) => names.get(buildId) ?? shorten(buildId);
}
