// Asks before a device is deleted, and says what is lost by it.
import { Button, Group, Stack, Text } from '@mantine/core';
import { Dialog } from '../../ui/Dialog.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { Consequences } from '../channels/Consequences.tsx';
import type { Deletion } from './use-device.ts';

type DeleteDeviceProps = {
  device: string;
  /** That it is a device of. */
  builds: number;
  deletion: Deletion;
  onClose: () => void;
};

export function DeleteDevice({ device, builds, deletion, onClose }: DeleteDeviceProps) {
  return (
    <Dialog title="Delete this device?" onClose={onClose}>
      <Stack gap="sm">
        <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
          {device}
        </Text>
        <Consequences
          lines={[
            'Its events are removed, on all days that are kept. This cannot be undone.',
            `It leaves launch health: ${builds === 1 ? 'one build has' : `${builds} builds have`} a device less, which may change a band.`,
            'Counts by hour and median times stay; they name no device.',
            'What it sends later makes it a new device: stop the game there first.',
          ]}
        />
        {deletion.error !== null && <Problem error={deletion.error} again={() => deletion.mutate()} />}
        <Group justify="flex-end" gap="sm">
          <Button variant="default" onClick={onClose} data-autofocus>
            Keep it
          </Button>
          <Button color="red.9" loading={deletion.isPending} onClick={() => deletion.mutate()}>
            Delete the device
          </Button>
        </Group>
      </Stack>
    </Dialog>
  );
}
