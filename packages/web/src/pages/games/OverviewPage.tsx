// The first page of a game: its first build as long as there is none, else what is live, what is new, and what came of it.
import type { OutputOf } from '@chauffeur/contract/operation';
import { listGameBuilds } from '@chauffeur/contract/operations/builds';
import { listChannels } from '@chauffeur/contract/operations/channels';
import { Skeleton, Stack } from '@mantine/core';
import { type UseQueryResult, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ask } from '../../api.ts';
import { PageHead } from '../../ui/PageHead.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { FirstBuild } from './FirstBuild.tsx';
import { LiveNow } from './LiveNow.tsx';
import { NewestBuilds } from './NewestBuilds.tsx';
import { SinceNewest } from './SinceNewest.tsx';
import { Usage, UsageNotice } from './Usage.tsx';
import { type OpenGame, useGame } from './use-game.ts';

export function OverviewPage() {
  const game = useGame();
  const channels = useQuery(ask(listChannels, { uid: game.game_uid }));
  const queries = useQueryClient();
  /** Once begun here, the way is shown to its end, though the game is set up by then. */
  const [guided, setGuided] = useState<string | null>(null);
  const isSetUp = (channels.data?.channels.length ?? 0) > 0;
  if (channels.data !== undefined && !isSetUp && guided !== game.game_uid) setGuided(game.game_uid);
  const finish = () => {
    // What was asked for before the build was there is no longer so.
    void queries.invalidateQueries();
    setGuided(null);
  };
  if (guided === game.game_uid) return <FirstBuild key={game.game_uid} game={game} onDone={finish} />;
  return <Overview game={game} channels={channels} />;
}

type OverviewProps = { game: OpenGame; channels: UseQueryResult<OutputOf<typeof listChannels>> };

function Overview({ game, channels }: OverviewProps) {
  const builds = useQuery({
    ...ask(listGameBuilds, { uid: game.game_uid, page_size: 5 }),
    enabled: channels.data !== undefined,
  });
  const newest = builds.data?.builds[0];
  return (
    <Stack gap="xl">
      <PageHead title="Overview" tab={game.name} />
      {channels.error !== null && <Problem error={channels.error} again={() => void channels.refetch()} />}
      {builds.error !== null && <Problem error={builds.error} again={() => void builds.refetch()} />}
      <UsageNotice game={game} />
      {channels.isPending ? <Skeleton h={120} /> : <LiveNow slug={game.slug} places={channels.data?.channels ?? []} />}
      {newest !== undefined && <SinceNewest gameUid={game.game_uid} slug={game.slug} build={newest} />}
      {builds.isPending ? <Skeleton h={220} /> : <NewestBuilds slug={game.slug} builds={builds.data?.builds ?? []} />}
      <Usage game={game} />
    </Stack>
  );
}
