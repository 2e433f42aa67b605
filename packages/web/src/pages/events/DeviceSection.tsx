// What is kept of one device: looked up by its id, for a player who asks, or wants it gone.
import { LIMITS } from '@chauffeur/contract/limits';
import { Button, Group, Stack, Text, TextInput, Title } from '@mantine/core';
import { useState } from 'react';
import { DeviceRecord } from './DeviceRecord.tsx';

type DeviceSectionProps = {
  gameUid: string;
  /** As the address has it. */
  device: string | undefined;
  onDevice: (device: string | undefined) => void;
};

export function DeviceSection({ gameUid, device, onDevice }: DeviceSectionProps) {
  const [typed, setTyped] = useState(device ?? '');
  return (
    <Stack gap="sm" component="section" aria-labelledby="device">
      <div>
        <Title order={2} size="h4" id="device">
          One device
        </Title>
        <Text size="sm" c="dimmed">
          All that is kept of one install, by its <code>device_uid</code>: to answer a player who asks, or to delete it.
        </Text>
      </div>
      <form
        aria-label="Look up a device"
        onSubmit={(event) => {
          event.preventDefault();
          onDevice(typed.trim() === '' ? undefined : typed.trim());
        }}
      >
        <Group align="flex-end" gap="sm">
          <TextInput
            label="device_uid"
            required
            maxLength={LIMITS.eventIdLength}
            w={360}
            maw="100%"
            value={typed}
            onChange={(event) => setTyped(event.currentTarget.value)}
          />
          <Button type="submit" variant="default">
            Look up
          </Button>
        </Group>
      </form>
      {device !== undefined && <DeviceRecord gameUid={gameUid} device={device} />}
    </Stack>
  );
}
