// The record of a device: its builds and events, with buttons to export it as JSON or to delete it.
import { ApiError } from '@chauffeur/contract/errors';
import { formatNumber } from '@chauffeur/contract/format';
import { deleteDevice } from '@chauffeur/contract/operations/events';
import { Button, Group, Skeleton, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { Facts } from '../../ui/Facts.tsx';
import { Notice } from '../../ui/Notice.tsx';
import { Permitted } from '../../ui/Permitted.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { ShowMore } from '../../ui/ShowMore.tsx';
import { Time } from '../../ui/Time.tsx';
import { DeleteDevice } from './DeleteDevice.tsx';
import { DeviceBuilds, DeviceEvents } from './DeviceTables.tsx';
import { type Deletion, useDevice, useDeviceDeletion, useDeviceExport } from './use-device.ts';

type DeviceProps = { gameUid: string; device: string };

export function DeviceRecord({ gameUid, device }: DeviceProps) {
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
  if (list.error instanceof ApiError && list.error.code === 4002) return <NotStored />;
  if (list.error !== null) return <Problem error={list.error} onRetry={list.retry} />;
  const { builds, first_seen } = list.firstPage ?? { builds: [], first_seen: null };
  const events = list.rows ?? [];
  if (builds.length === 0 && events.length === 0 && !list.hasNext) return <NotStored />;
  return (
    <Stack gap="sm">
      <Actions gameUid={gameUid} device={device} builds={builds.length} deletion={deletion} />
      <Facts facts={[['First seen', first_seen === null ? 'Unknown' : <Time key="at" at={first_seen} />]]} />
      <DeviceBuilds builds={builds} />
      <DeviceEvents events={events} />
      <ShowMore list={list}>Show older events</ShowMore>
    </Stack>
  );
}

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
