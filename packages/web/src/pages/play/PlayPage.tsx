// The page where a web build is played. Nothing of the build is loaded until the player presses Play.
import { ApiError } from '@chauffeur/contract/errors';
import { LIMITS } from '@chauffeur/contract/limits';
import type { OutputOf } from '@chauffeur/contract/operation';
import { getPlay } from '@chauffeur/contract/operations/play';
import type { getPublicGame } from '@chauffeur/contract/operations/store';
import { formatScan } from '@chauffeur/contract/texts/download-texts';
import { Anchor, Skeleton, Stack, Text, Title } from '@mantine/core';
import { skipToken, useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { ask } from '../../api.ts';
import { useTitle } from '../../frame/page-title.ts';
import { UnknownPage } from '../../frame/UnknownPage.tsx';
import { t, texts } from '../../texts.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { useNow } from '../../ui/Time.tsx';
import { chooseVenue } from './choose-venue.ts';
import { gameQuery } from './game-query.ts';
import { PlayFrame } from './PlayFrame.tsx';
import classes from './PlayPage.module.css';

type Game = OutputOf<typeof getPublicGame>;
type Offer = Game['downloads'][number];

const route = getRouteApi('/g/$uid/play');

export function PlayPage() {
  const { uid } = route.useParams();
  const { channel } = route.useSearch();
  const { data: game, error, refetch } = useQuery(gameQuery(uid, channel));
  useTitle(game === undefined ? undefined : t('play.title', { game: game.name }));
  if (error instanceof ApiError && [4040, 4002].includes(error.code)) return <UnknownPage />;
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
