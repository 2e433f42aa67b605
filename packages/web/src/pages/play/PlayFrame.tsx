// The frame of a game: a picture and a button first, then the game with its sandbox around it, and what can be done with its size.
import type { OutputOf } from '@chauffeur/contract/operation';
import type { getPlay } from '@chauffeur/contract/operations/play';
import { Button, Group, Text } from '@mantine/core';
import { useRef, useState } from 'react';
import { Picture, type StoredPicture } from '../../ui/Picture.tsx';
import classes from './PlayPage.module.css';

type Play = OutputOf<typeof getPlay>;
type PlayFrameProps = { play: Play; name: string; picture: StoredPicture | null };

/**
 * What a page may hand on to its frames (Permissions Policy). The frame’s origin is none of those that could be named, hence the stars. No
 * camera, no microphone, no place.
 */
const ALLOWED = ['fullscreen', 'autoplay', 'gamepad', 'screen-wake-lock', 'cross-origin-isolated']
  .map((feature) => `${feature} *`)
  .join('; ');

export function PlayFrame({ play, name, picture }: PlayFrameProps) {
  /** The address that is played; another may come meanwhile, and the game must not begin anew for that. */
  const [url, setUrl] = useState<string | null>(null);
  const [round, setRound] = useState(0);
  const [isLarge, setLarge] = useState(false);
  const box = useRef<HTMLDivElement>(null);
  const start = () => {
    setUrl(addressOf(play));
    setRound(round + 1);
  };
  return (
    <section aria-label="The game" className={classes.stage} data-large={isLarge}>
      <div ref={box} className={classes.box}>
        {url === null ? (
          <Cover name={name} picture={picture} onPlay={start} />
        ) : (
          <iframe
            key={round}
            className={classes.game}
            src={url}
            title={name}
            sandbox={play.sandbox}
            allow={ALLOWED}
            // The keys are the game's as soon as it is there.
            onLoad={({ currentTarget }) => document.activeElement === document.body && currentTarget.focus()}
          />
        )}
      </div>
      <Group gap="xs" justify="space-between">
        <Group gap="xs">
          <Button size="xs" variant="default" disabled={url === null} onClick={() => void fill(box.current)}>
            Full screen
          </Button>
          <Button size="xs" variant="default" visibleFrom="sm" onClick={() => setLarge(!isLarge)}>
            {isLarge ? 'Smaller' : 'Larger'}
          </Button>
          <Button size="xs" variant="default" disabled={url === null} onClick={start}>
            Start over
          </Button>
        </Group>
        {url !== null && (
          <Text size="xs" c="dimmed">
            Keys go to the game. A click beside it, or F6, takes them back.
          </Text>
        )}
      </Group>
    </section>
  );
}

/** Below this very site, under whatever name it is open, where games have no domain of their own. */
function addressOf({ url, keeps_saves: isApart }: Play): string {
  return isApart ? url : new URL(url).pathname;
}

/** The box, and with it the game, over the whole screen; the keys stay with the game. */
async function fill(box: HTMLDivElement | null): Promise<void> {
  // A browser may refuse; the game then stays where it is.
  await box?.requestFullscreen().catch(() => undefined);
  box?.querySelector('iframe')?.focus();
}

function Cover({ name, picture, onPlay }: { name: string; picture: StoredPicture | null; onPlay: () => void }) {
  return (
    <div className={classes.cover}>
      {picture !== null && <Picture picture={picture} sizes="(min-width: 72rem) 70rem, 100vw" alt="" />}
      <Button size="lg" onClick={onPlay} aria-label={`Play ${name}`}>
        Play
      </Button>
    </div>
  );
}
