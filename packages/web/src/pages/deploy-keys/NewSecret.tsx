// A new key or token. Its secret is shown only until it is confirmed as copied, or the page is left.
import { Button, Stack } from '@mantine/core';
import type { FreshKey } from '../games/first-build.ts';
import { IssuedKey } from './IssuedKey.tsx';

export function NewSecret({ issued, onDone }: { issued: FreshKey; onDone: () => void }) {
  return (
    <Stack gap="xs" align="flex-start">
      <IssuedKey issued={issued} />
      <Button size="xs" variant="default" onClick={onDone}>
        I've copied it
      </Button>
    </Stack>
  );
}
