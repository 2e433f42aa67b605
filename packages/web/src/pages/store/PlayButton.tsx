// The way to the page where a build for the browser is played.
import { Button, Stack, Text } from '@mantine/core';
import { Bytes } from '../../ui/Bytes.tsx';
import { useNow } from '../../ui/use-now.ts';
import type { Offer } from './DownloadPanel.tsx';
import { ScanLine } from './ScanLine.tsx';

type PlayButtonProps = {
  offer: Offer;
  slug: string;
  /** Undefined for the one that the game’s page shows by itself. */
  channel: string | undefined;
  /** Whether nothing else runs on this machine. */
  isMain: boolean;
};

export function PlayButton({ offer, slug, channel, isMain }: PlayButtonProps) {
  const now = useNow();
  const query = channel === undefined ? '' : `?${new URLSearchParams({ channel })}`;
  return (
    <Stack gap="xs">
      {/* No link within the page: the document of the page that plays has headers of its own, which engines with threads need. */}
      <Button
        component="a"
        href={`/g/${slug}/play${query}`}
        size={isMain ? 'lg' : 'md'}
        variant={isMain ? 'filled' : 'default'}
        fullWidth
      >
        Play in the browser
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
