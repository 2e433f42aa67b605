// The page where a web build is played. Nothing of the build is loaded until the player presses Play.
import { isError } from '@chauffeur/contract/errors';
import { LIMITS } from '@chauffeur/contract/limits';
import type { OutputOf } from '@chauffeur/contract/operation';
import type { listMedia } from '@chauffeur/contract/operations/media';
import { getPlay } from '@chauffeur/contract/operations/play';
import type { getPublicGame } from '@chauffeur/contract/operations/store';
import { PLAY_PROBE } from '@chauffeur/contract/play-sandbox';
import { formatScan } from '@chauffeur/contract/texts/download-texts';
import { Anchor, Button, Group, Skeleton, Stack, Text, Title } from '@mantine/core';
import { skipToken, useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useRef, useState } from 'react';
import { ask } from '../../api.ts';
import { useTitle } from '../../frame/page-title.ts';
import { UnknownPage } from '../../frame/UnknownPage.tsx';
import { t, texts } from '../../texts.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { useNow } from '../../ui/Time.tsx';
import classes from './PlayPage.module.css';
import { publicGameQuery } from './public-game.ts';

type Game = OutputOf<typeof getPublicGame>;
type Offer = Game['downloads'][number];

const route = getRouteApi('/g/$uid/play');

export function PlayPage() {
  const { uid } = route.useParams();
  const { channel } = route.useSearch();
  const { data: game, error, refetch } = useQuery(publicGameQuery(uid, channel));
  useTitle(game === undefined ? undefined : t('play.title', { game: game.name }));
  if (isError(error, 'notFound', 'invalid')) return <UnknownPage />;
  if (error !== null) return <Problem error={error} onRetry={() => void refetch()} />;
  return (
    <Stack gap="sm">
      <div>
        <Anchor
          href={`/g/${uid}${channel === undefined ? '' : `?${new URLSearchParams({ channel })}`}`}
          size="sm"
          display="inline-block"
          py={4}
        >
          {t('play.back')}
        </Anchor>
        <Title order={1} size="h3">
          {game?.name ?? t('play.heading')}
        </Title>
      </div>
      {game === undefined ? (
        <Skeleton className={classes.box} role="progressbar" aria-label={t('play.loadingPage')} />
      ) : (
        <Stage key={uid} game={game} channel={channel ?? game.channels[0] ?? 'stable'} />
      )}
    </Stack>
  );
}

function Stage({ game, channel }: { game: Game; channel: string }) {
  const offer = game.downloads.find((each) => each.channel === channel && each.os === 'web');
  if (offer === undefined) return <Text>{t('play.none')}</Text>;
  return <OfferStage game={game} offer={offer} />;
}

function OfferStage({ game, offer }: { game: Game; offer: Offer }) {
  const { file_uid } = offer.file;
  const { referrer = document.referrer && new URL(document.referrer).hostname } = route.useSearch();
  const {
    data: play,
    error,
    refetch,
  } = useQuery(
    ask(getPlay, {
      uid: game.game_uid,
      file_uid,
      ...(referrer !== '' && referrer.length <= LIMITS.hostLength && { referrer }),
    }),
  );
  const { data: venue } = useQuery({
    queryKey: ['venue', play?.url],
    queryFn: play === undefined ? skipToken : () => chooseVenue(play),
    staleTime: Number.POSITIVE_INFINITY,
  });
  const now = useNow();
  return (
    <>
      {error !== null && <Problem error={error} onRetry={() => void refetch()} />}
      {venue === undefined && error === null && (
        <Skeleton className={classes.box} role="progressbar" aria-label={t('play.loading')} />
      )}
      {venue !== undefined && (
        <PlayFrame venue={venue} name={game.name} picture={game.cover ?? game.gallery[0] ?? null} />
      )}
      <Stack gap={4}>
        <Text size="sm">
          {t('play.version', { version: offer.version })} · {texts.size(offer.file.size)}
          {venue?.keepsSaves === false && ` · ${t('play.noSaves')}`}
        </Text>
        <Anchor href={`/g/${game.slug}/files/${file_uid}`} size="xs">
          {formatScan(texts, offer, now)}
        </Anchor>
      </Stack>
    </>
  );
}

type PlayFrameProps = { venue: Venue; name: string; picture: StoredPicture | null };

/**
 * The features that the frame may use (Permissions Policy). A sandboxed frame has an opaque origin that can't be named,
 * hence the stars. Camera, microphone and location are not included.
 */
const ALLOWED = ['fullscreen', 'autoplay', 'gamepad', 'screen-wake-lock', 'cross-origin-isolated']
  .map((feature) => `${feature} *`)
  .join('; ');

/**
 * The player of a web build: first its cover and a button, then the game in a sandboxed frame with controls for its
 * size.
 */
function PlayFrame({ venue, name, picture }: PlayFrameProps) {
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
  /** Loads the image only when it scrolls into view. */
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

type Venue = { readonly url: string; readonly sandbox: string; readonly keepsSaves: boolean };

/** A host on this machine responds at once, if the browser finds it. */
const PROBE_MS = 3000;
const LOCAL = /^(localhost|.+\.localhost|127(\.\d+){3}|\[::1\])$/;

/**
 * Chooses where a game is played: on its own host if this browser can reach it, otherwise in a sandbox on the host of
 * this page.
 */
async function chooseVenue({
  url,
  sandbox,
  keeps_saves: keepsSaves,
  fallback,
}: OutputOf<typeof getPlay>): Promise<Venue> {
  if (!keepsSaves) return { url: onThisHost(url), sandbox, keepsSaves };
  if (fallback === null || (await canReach(url))) return { url, sandbox, keepsSaves };
  return { url: onThisHost(fallback.url), sandbox: fallback.sandbox, keepsSaves: false };
}

/** Such a host is at a loopback address, so it is this service only if the page came from this machine too. */
async function canReach(url: string): Promise<boolean> {
  if (!LOCAL.test(location.hostname)) return false;
  const probe = new URL(PLAY_PROBE, url);
  const options = { credentials: 'omit', cache: 'no-store', signal: AbortSignal.timeout(PROBE_MS) } as const;
  return fetch(probe, options).then(
    ({ ok }) => ok,
    () => false,
  );
}

/** The website's own host, under whatever name it was opened. */
function onThisHost(url: string): string {
  const { pathname, search } = new URL(url);
  return pathname + search;
}
