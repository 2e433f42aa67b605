// The overview of a game: what is live, what is new and how much is used; before the first build, how to ship it.
import type { OutputOf } from '@chauffeur/contract/operation';
import { listGameBuilds } from '@chauffeur/contract/operations/builds';
import { listChannels } from '@chauffeur/contract/operations/channels';
import { listDeployKeys } from '@chauffeur/contract/operations/deploy-keys';
import { Skeleton, Stack } from '@mantine/core';
import { type UseQueryResult, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ask } from '../../api.ts';
import { follow } from '../../frame/live-changes.ts';
import { useMay } from '../../frame/own-role.ts';
import { PageHead } from '../../ui/PageHead.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { Activity } from './Activity.tsx';
import { FirstBuild } from './FirstBuild.tsx';
import { LiveNow } from './LiveNow.tsx';
import { NewestBuilds } from './NewestBuilds.tsx';
import { SINCE_NEWEST_HEIGHT, SinceNewest } from './SinceNewest.tsx';
import { Usage, UsageNotice } from './Usage.tsx';
import { type OpenGame, useGame } from './use-game.ts';

export function OverviewPage() {
  const game = useGame();
  const channels = useQuery({ ...ask(listChannels, { uid: game.game_uid }), meta: follow('builds') });
  const queries = useQueryClient();
  /** A guide that was started here stays open until its last step, although the game is set up by then. */
  const [guidedGame, setGuidedGame] = useState<string | null>(null);
  // The guide is for people who can see the deploy key.
  const mayShip = useMay(listDeployKeys);
  const isSetUp = (channels.data?.channels.length ?? 0) > 0;
  if (mayShip && channels.data !== undefined && !isSetUp && guidedGame !== game.game_uid) setGuidedGame(game.game_uid);
  const finish = () => {
    // Results that were loaded before the build existed are outdated.
    void queries.invalidateQueries();
    setGuidedGame(null);
  };
  if (guidedGame === game.game_uid) return <FirstBuild key={game.game_uid} game={game} onDone={finish} />;
  return <Overview game={game} channels={channels} />;
}

type OverviewProps = { game: OpenGame; channels: UseQueryResult<OutputOf<typeof listChannels>> };

function Overview({ game, channels }: OverviewProps) {
  const builds = useQuery({
    ...ask(listGameBuilds, { uid: game.game_uid, page_size: 5 }),
    meta: follow('builds'),
    enabled: !channels.isPending,
  });
  const newest = builds.data?.builds[0];
  return (
    <Stack gap="lg">
      <PageHead title="Overview" tabTitle={`Overview · ${game.name}`} />
      {channels.error !== null && <Problem error={channels.error} onRetry={() => void channels.refetch()} />}
      {builds.error !== null && <Problem error={builds.error} onRetry={() => void builds.refetch()} />}
      <UsageNotice game={game} />
      {channels.isPending ? (
        <Skeleton h={480} />
      ) : (
        <>
          {builds.isPending && <Skeleton h={SINCE_NEWEST_HEIGHT} />}
          {newest !== undefined && <SinceNewest gameUid={game.game_uid} slug={game.slug} build={newest} />}
          <Activity game={game} />
          {channels.data !== undefined && <LiveNow slug={game.slug} places={channels.data.channels} />}
          {builds.isPending && <Skeleton h={220} />}
          {builds.data !== undefined && (
            <NewestBuilds slug={game.slug} builds={builds.data.builds} places={channels.data?.channels ?? null} />
          )}
          <Usage game={game} />
        </>
      )}
    </Stack>
  );
}
