// Looks up the stored data of one device, for players who ask for their data or its deletion.
import { LIMITS } from '@chauffeur/contract/limits';
import { getDevice } from '@chauffeur/contract/operations/events';
import { Button, Group, Stack, Text, TextInput, Title } from '@mantine/core';
import { useState } from 'react';
import { Permitted } from '../../ui/Permitted.tsx';
import { DeviceRecord } from './DeviceRecord.tsx';

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
