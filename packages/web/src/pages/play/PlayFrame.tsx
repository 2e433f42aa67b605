// The player of a web build: first its cover and a button, then the game in a sandboxed frame with controls for its size.
import type { OutputOf } from '@chauffeur/contract/operation';
import type { listMedia } from '@chauffeur/contract/operations/media';
import { Button, Group, Text } from '@mantine/core';
import { useRef, useState } from 'react';
import { t } from '../../texts.tsx';
import type { Venue } from './choose-venue.ts';
import classes from './PlayPage.module.css';

type PlayFrameProps = { venue: Venue; name: string; picture: StoredPicture | null };

/**
 * The features that the frame may use (Permissions Policy). A sandboxed frame has an opaque origin that can't be named,
 * hence the stars. Camera, microphone and location are not included.
 */
const ALLOWED = ['fullscreen', 'autoplay', 'gamepad', 'screen-wake-lock', 'cross-origin-isolated']
  .map((feature) => `${feature} *`)
  .join('; ');

export function PlayFrame({ venue, name, picture }: PlayFrameProps) {
  /** The venue when the game was started. A refetch may bring another one, which must not restart the game. */
  const [started, setStarted] = useState<Venue | null>(null);
  const [round, setRound] = useState(0);
  const [isLarge, setLarge] = useState(false);
  const box = useRef<HTMLDivElement>(null);
  const start = () => {
    setStarted(venue);
    setRound(round + 1);
  };
  return (
    <section aria-label={t('play.game')} className={classes.stage} data-large={isLarge}>
      <div ref={box} className={classes.box}>
        {started === null ? (
          <Cover name={name} picture={picture} onPlay={start} />
        ) : (
          <iframe
            key={round}
            className={classes.game}
            src={started.url}
            title={name}
            sandbox={started.sandbox}
            allow={ALLOWED}
            ref={focusGame}
          />
        )}
      </div>
      <Group gap="xs" justify="space-between">
        <Group gap="xs">
          <Button
            size="xs"
            variant="default"
            disabled={started === null}
            onClick={() => void showFullScreen(box.current)}
          >
            {t('play.fullScreen')}
          </Button>
          <Button size="xs" variant="default" visibleFrom="sm" onClick={() => setLarge(!isLarge)}>
            {t(isLarge ? 'play.smaller' : 'play.larger')}
          </Button>
          <Button size="xs" variant="default" disabled={started === null} onClick={start}>
            {t('play.restart')}
          </Button>
        </Group>
        {started !== null && (
          <Text size="xs" c="dimmed">
            {t('play.keys')}
          </Text>
        )}
      </Group>
    </section>
  );
}

/** Gives the keyboard to the game when it starts. */
function focusGame(frame: HTMLIFrameElement | null): void {
  frame?.focus();
}

/** Keeps the keyboard focus in the game. */
async function showFullScreen(box: HTMLDivElement | null): Promise<void> {
  // A browser may refuse. The game then stays in the page.
  await box?.requestFullscreen().catch(() => undefined);
  box?.querySelector('iframe')?.focus();
}

function Cover({ name, picture, onPlay }: { name: string; picture: StoredPicture | null; onPlay: () => void }) {
  return (
    <div className={classes.cover}>
      {picture !== null && <Picture picture={picture} sizes="(min-width: 72rem) 70rem, 100vw" alt="" />}
      <Button size="lg" onClick={onPlay} aria-label={t('play.title', { game: name })}>
        {t('play.start')}
      </Button>
    </div>
  );
}

type StoredPicture = OutputOf<typeof listMedia>['gallery'][number];

type PictureProps = {
  picture: StoredPicture;
  /** The width on the page, as in the `sizes` attribute of an image. */
  sizes: string;
  alt: string;
  className?: string | undefined;
  /** Load it only when it scrolls into view. */
  lazy?: boolean;
};

/** A store image. The browser picks the smallest copy that is sharp enough. */
function Picture({ picture, sizes, alt, className, lazy = false }: PictureProps) {
  const { url, width, height, copies } = picture;
  const all = [...copies, { url, width }];
  return (
    <img
      className={className}
      src={url}
      srcSet={copies.length === 0 ? undefined : all.map((each) => `${each.url} ${each.width}w`).join(', ')}
      sizes={copies.length === 0 ? undefined : sizes}
      width={width}
      height={height}
      alt={alt}
      loading={lazy ? 'lazy' : undefined}
    />
  );
}
