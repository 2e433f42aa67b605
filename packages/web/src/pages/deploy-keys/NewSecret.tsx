// A new key or token. Its secret is shown only until the person has copied it or leaves, which asks first.
import { Button, Stack } from '@mantine/core';
import { useLeaveWarning } from '../../ui/use-leave-warning.ts';
import type { FreshKey } from '../games/first-build.ts';
import { IssuedKey } from './IssuedKey.tsx';

export function NewSecret({ issued, onDone }: { issued: FreshKey; onDone: () => void }) {
  useLeaveWarning(true, "The secret key won't be shown again. Leave this page?");
  return (
    <Stack gap="xs" align="flex-start">
      <IssuedKey issued={issued} />
      <Button size="xs" variant="default" onClick={onDone}>
        I've copied it
      </Button>
    </Stack>
  );
}
