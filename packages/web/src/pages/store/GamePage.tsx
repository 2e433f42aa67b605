// The store page of a game: images, the download for this machine, description, changelog, beta and bug reports.
import { ApiError } from '@chauffeur/contract/errors';
import type { OutputOf } from '@chauffeur/contract/operation';
import type { getPublicGame } from '@chauffeur/contract/operations/store';
import { Alert, Group, SegmentedControl, Skeleton, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useTitle } from '../../frame/page-title.ts';
import { UnknownPage } from '../../frame/UnknownPage.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { SiteLink } from '../../ui/SiteLink.tsx';
import { BetaPanel } from './BetaPanel.tsx';
import { Changelog } from './Changelog.tsx';
import { DownloadPanel } from './DownloadPanel.tsx';
import { Gallery } from './Gallery.tsx';
import classes from './GamePage.module.css';
import { HealthLabel } from './HealthLabel.tsx';
import { chooseDownload } from './machine.ts';
import { PlayButton } from './PlayButton.tsx';
import type { Offer } from './ScanLine.tsx';
import { gameQuery } from './store-queries.ts';
import { useMachine } from './use-machine.ts';

type Game = OutputOf<typeof getPublicGame>;

const route = getRouteApi('/g/$uid');

export function GamePage() {
  const { uid } = route.useParams();
  const { channel } = route.useSearch();
  const {
    data: game,
    error,
    refetch,
  } = useQuery({
    ...gameQuery(uid, channel),
    // Keeps showing the previous channel while another one loads.
    placeholderData: (previous) => (previous?.slug === uid || previous?.game_uid === uid ? previous : undefined),
  });
  useTitle(game?.name);
  if (error instanceof ApiError && [4040, 4002].includes(error.code)) return <UnknownPage />;
  if (game === undefined)
    return error === null ? <Loading /> : <Problem error={error} onRetry={() => void refetch()} />;
  return <GameView game={game} channel={channel ?? game.channels[0] ?? 'stable'} />;
}

function GameView({ game, channel }: { game: Game; channel: string }) {
  const offers = game.downloads.filter((offer) => offer.channel === channel);
  const machine = useMachine();
  const choice = chooseDownload(offers, machine);
  const web = offers.find(({ os }) => os === 'web');
  const newest = choice.best ?? web ?? newestOf(offers);
  const pictures = [...(game.cover === null ? [] : [game.cover]), ...game.gallery];
  return (
    <article className={classes.page}>
      <header className={classes.head}>
        <VisibilityNotice game={game} />
        <Title order={1}>{game.name}</Title>
        <Text c="dimmed">
          By <Developer game={game} />
        </Text>
        {game.tagline !== '' && (
          <Text size="lg" mt={4}>
            {game.tagline}
          </Text>
        )}
      </header>
      <div className={classes.pictures}>
        <Gallery pictures={pictures} gameName={game.name} />
      </div>
      <aside className={classes.side} aria-label="Download">
        <Stack gap="lg">
          <Stack gap="sm">
            <HealthLabel band={game.health} />
            {game.channels.length > 1 && <ChannelSwitch game={game} channel={channel} />}
            {web !== undefined && (
              <PlayButton
                offer={web}
                slug={game.slug}
                channel={channel === game.channels[0] ? undefined : channel}
                isMain={choice.best === null}
              />
            )}
            <DownloadPanel choice={choice} machine={machine} slug={game.slug} isPlayable={web !== undefined} />
          </Stack>
          {(game.beta.offered || game.beta.joined) && game.role === null && <BetaPanel game={game} />}
          <SiteLink to="/g/$uid/report" params={{ uid: game.slug }} size="sm">
            Report a bug
          </SiteLink>
        </Stack>
      </aside>
      <div className={classes.text}>
        {game.description !== '' && (
          <Text className={classes.prose} component="section" aria-label="Description">
            {game.description}
          </Text>
        )}
        <Tags tags={game.tags} />
        {newest !== undefined && <Changelog offer={newest} />}
      </div>
    </article>
  );
}

/** Links to the developer's page if they have one. */
function Developer({ game: { developer, developer_handle: handle } }: { game: Game }) {
  if (handle === null) return developer;
  return (
    <SiteLink to="/@{$handle}" params={{ handle }}>
      {developer}
    </SiteLink>
  );
}

function newestOf(offers: readonly Offer[]): Offer | undefined {
  return offers.toSorted((a, b) => (a.file.uploaded_at < b.file.uploaded_at ? 1 : -1))[0];
}

const NOTICES: Readonly<Record<Game['visibility'], string | null>> = {
  public: null,
  invisible: 'Not listed. Only people with the link can find this page.',
  draft: 'Draft. Only you and the other developers of this game can see this page.',
};

function VisibilityNotice({ game }: { game: Game }) {
  const notice = game.role === null ? null : NOTICES[game.visibility];
  return notice === null ? null : <Alert color="gray" mb="md" title={notice} />;
}

function ChannelSwitch({ game, channel }: { game: Game; channel: string }) {
  const navigate = route.useNavigate();
  return (
    <SegmentedControl
      aria-label="Channel"
      fullWidth
      size="xs"
      data={game.channels}
      value={channel}
      onChange={(next) => void navigate({ search: { channel: next === game.channels[0] ? undefined : next } })}
    />
  );
}

function Tags({ tags }: { tags: readonly string[] }) {
  if (tags.length === 0) return null;
  return (
    <Group component="ul" gap="sm" className={classes.tags} aria-label="Tags">
      {tags.map((tag) => (
        <li key={tag}>
          <SiteLink to="/browse" search={{ tag }} size="sm">
            {tag}
          </SiteLink>
        </li>
      ))}
    </Group>
  );
}

function Loading() {
  return (
    <div className={classes.page} role="status" aria-busy="true" aria-label="Loading game">
      <div className={classes.head}>
        <Skeleton h={40} w="40%" />
        <Skeleton h={20} w="20%" mt="sm" />
      </div>
      <Skeleton className={classes.pictures} style={{ aspectRatio: '16 / 9' }} />
      <Stack className={classes.side} gap="xs">
        <Skeleton h={50} />
        <Skeleton h={20} w="80%" />
        <Skeleton h={32} />
      </Stack>
    </div>
  );
}
