// The link to the page where a web build is played.
import { Button, Stack, Text } from '@mantine/core';
import { Bytes } from '../../ui/Bytes.tsx';
import { useNow } from '../../ui/use-now.ts';
import type { Offer } from './ScanLine.tsx';
import { ScanLine } from './ScanLine.tsx';

type PlayButtonProps = {
  offer: Offer;
  slug: string;
  /** Undefined for the channel that the game's page shows by default. */
  channel: string | undefined;
  /** Whether this machine can't run any of the downloads. */
  isMain: boolean;
};

export function PlayButton({ offer, slug, channel, isMain }: PlayButtonProps) {
  const now = useNow();
  const query = channel === undefined ? '' : `?${new URLSearchParams({ channel })}`;
  return (
    <Stack gap="xs">
      {/* A full page load: that page is served with its own headers, which engines with threads need. */}
      <Button
        component="a"
        href={`/g/${slug}/play${query}`}
        size={isMain ? 'lg' : 'md'}
        variant={isMain ? 'filled' : 'default'}
        fullWidth
      >
        Play in browser
      </Button>
      {isMain && (
        <>
          <Text size="sm">
            Version {offer.version} · <Bytes count={offer.file.size} />
          </Text>
          <ScanLine offer={offer} slug={slug} now={now} />
        </>
      )}
    </Stack>
  );
}
