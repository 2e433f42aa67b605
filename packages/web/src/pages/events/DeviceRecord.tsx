// A device's record: how far it came with each build, and its events; taken along as JSON, or deleted.
import { ApiError } from '@chauffeur/contract/errors';
import { Button, Group, Skeleton, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { Facts } from '../../ui/Facts.tsx';
import { NextPage } from '../../ui/NextPage.tsx';
import { Notice } from '../../ui/Notice.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { sayExactNumber } from '../../ui/say.ts';
import { Time } from '../../ui/Time.tsx';
import { DeleteDevice } from './DeleteDevice.tsx';
import { DeviceBuilds, DeviceEvents } from './DeviceTables.tsx';
import { type Deletion, useDevice, useDeviceDeletion, useDeviceExport } from './use-device.ts';

type DeviceProps = { gameUid: string; device: string };

export function DeviceRecord({ gameUid, device }: DeviceProps) {
  const deletion = useDeviceDeletion(gameUid, device);
  if (deletion.data !== undefined) return <Deleted {...deletion.data} />;
  return <Kept gameUid={gameUid} device={device} deletion={deletion} />;
}

function Deleted({ builds, events }: { builds: number; events: number }) {
  return (
    <div role="status">
      <Notice tone="good" title="The device is deleted">
        <Text size="sm">
          {sayExactNumber(events)} {events === 1 ? 'event is' : 'events are'} gone, and {sayExactNumber(builds)}{' '}
          {builds === 1 ? 'build has' : 'builds have'} a device less.
        </Text>
      </Notice>
    </div>
  );
}

function Kept({ gameUid, device, deletion }: DeviceProps & { deletion: Deletion }) {
  const { data, error, isPending, hasNextPage, isFetchingNextPage, fetchNextPage, refetch } = useDevice(
    gameUid,
    device,
  );
  if (isPending) return <Skeleton h={160} />;
  // What no device can be called, none is called.
  if (error instanceof ApiError && error.code === 4002) return <Nothing />;
  if (error !== null) return <Problem error={error} again={() => void refetch()} />;
  const [{ builds, first_seen } = { builds: [], first_seen: null }] = data.pages;
  const events = data.pages.flatMap((page) => page.events);
  if (builds.length === 0 && events.length === 0 && !hasNextPage) return <Nothing />;
  return (
    <Stack gap="sm">
      <Acts gameUid={gameUid} device={device} builds={builds.length} deletion={deletion} />
      <Facts facts={[['First heard of', first_seen === null ? 'Not known' : <Time key="at" at={first_seen} />]]} />
      <DeviceBuilds builds={builds} />
      <DeviceEvents events={events} />
      <NextPage hasNextPage={hasNextPage} isFetchingNextPage={isFetchingNextPage} fetchNextPage={fetchNextPage}>
        Show older events
      </NextPage>
    </Stack>
  );
}

function Nothing() {
  return <Text size="sm">Nothing is kept of a device with this id.</Text>;
}

function Acts({ gameUid, device, builds, deletion }: DeviceProps & { builds: number; deletion: Deletion }) {
  const exporting = useDeviceExport(gameUid, device);
  const [asks, setAsks] = useState(false);
  return (
    <>
      <Group gap="sm">
        <Button size="xs" variant="default" loading={exporting.isPending} onClick={() => exporting.mutate()}>
          Export as JSON
        </Button>
        <Button size="xs" variant="default" onClick={() => setAsks(true)}>
          Delete
        </Button>
        <Text size="sm" role="status">
          {exporting.isSuccess && `Exported, with its events: ${sayExactNumber(exporting.data)}.`}
        </Text>
      </Group>
      {exporting.error !== null && <Problem error={exporting.error} again={() => exporting.mutate()} />}
      {asks && <DeleteDevice device={device} builds={builds} deletion={deletion} onClose={() => setAsks(false)} />}
    </>
  );
}
