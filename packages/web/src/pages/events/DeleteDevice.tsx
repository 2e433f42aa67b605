// The dialog that deletes a device; it lists the consequences.
import { Text } from '@mantine/core';
import { ConfirmDialog } from '../../ui/ConfirmDialog.tsx';
import { Consequences } from '../channels/Consequences.tsx';
import type { Deletion } from './use-device.ts';

type DeleteDeviceProps = {
  device: string;
  /** The number of builds that count the device. */
  builds: number;
  deletion: Deletion;
  onClose: () => void;
};

export function DeleteDevice({ device, builds, deletion, onClose }: DeleteDeviceProps) {
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
