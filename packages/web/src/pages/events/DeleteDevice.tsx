// Asks before a device is deleted, and says what is lost by it.
import { Text } from '@mantine/core';
import { ConfirmDialog } from '../../ui/ConfirmDialog.tsx';
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
    <ConfirmDialog
      title="Delete this device?"
      does="Delete the device"
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
          'Its events are removed, on all days that are kept. This cannot be undone.',
          `It leaves launch health: ${builds === 1 ? 'one build has' : `${builds} builds have`} a device less, which may change a band.`,
          'Counts by hour and median times stay; they name no device.',
          'What it sends later makes it a new device: stop the game there first.',
        ]}
      />
    </ConfirmDialog>
  );
}
