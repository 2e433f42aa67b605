// Promotes builds, rolls channels back, and undoes the last change.
import {
  changesNothing,
  describeVersionPromotion,
  type Promotion,
  type VersionPromotion,
} from '@chauffeur/contract/consequences';
import { formatPlatform } from '@chauffeur/contract/format';
import type { Platform } from '@chauffeur/contract/identity';
import type { OutputOf } from '@chauffeur/contract/operation';
import { getGameBuild, listGameBuilds } from '@chauffeur/contract/operations/builds';
import {
  listChannelMoves,
  listChannels,
  promoteBuild,
  promoteVersion,
  rollbackChannel,
  undoChannelChange,
} from '@chauffeur/contract/operations/channels';
import { listGames } from '@chauffeur/contract/operations/games';
import { getVersion, listVersions } from '@chauffeur/contract/operations/versions';
import { Button, Group } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { call, useKeptData } from '../../api.ts';
import { formatExactTime } from '../../ui/format.ts';
import { Notice } from '../../ui/PageLayout.tsx';
import { Problem } from '../../ui/Problem.tsx';

export type PromotedBuild = Promotion['build'];

type Move =
  /** One build, or builds of one version for different platforms. */
  | { kind: 'promote'; channel: string; builds: readonly PromotedBuild[]; hours: number }
  | { kind: 'rollback'; channel: string; platforms: readonly Platform[] }
  | { kind: 'undo'; channel: string; changeUid: string };

type Moved = {
  readonly message: string;
  /** Restores what the channel offered before; null after an undo. */
  readonly undo: Move | null;
};

const CHANGED = [
  listChannels.id,
  listChannelMoves.id,
  listGameBuilds.id,
  getGameBuild.id,
  listGames.id,
  getVersion.id,
  listVersions.id,
];

export function useMoves(gameUid: string) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: async (move: Move): Promise<Moved> => {
      const { change_uid, channels } = await run(gameUid, move);
      const undo: Move | null =
        move.kind === 'undo' ? null : { kind: 'undo', channel: channels[0]!.channel, changeUid: change_uid };
      return { message: describeChange(channels), undo };
    },
    onSuccess: () => Promise.all(CHANGED.map((id) => queries.invalidateQueries({ queryKey: [id] }))),
  });
}

export type Moves = ReturnType<typeof useMoves>;

type Change = OutputOf<typeof rollbackChannel>;

async function run(uid: string, move: Move): Promise<Change> {
  if (move.kind === 'undo') return call(undoChannelChange, { uid, channel: move.channel, change_uid: move.changeUid });
  if (move.kind === 'rollback') {
    return call(rollbackChannel, { uid, channel: move.channel, platforms: platformsOf(move.platforms) });
  }
  const { channel, builds, hours } = move;
  const [build, ...others] = builds;
  if (build === undefined) throw new Error('A promotion needs a build.');
  const expiry = { expires_in_hours: hours };
  if (others.length > 0)
    return call(promoteVersion, { uid, channel, version: build.version, platforms: platformsOf(builds), ...expiry });
  const pointer = await call(promoteBuild, { uid, channel, build_id: build.build_id, ...expiry });
  return { change_uid: pointer.change_uid, channels: [pointer] };
}

function platformsOf(places: readonly Platform[]): Platform[] {
  return places.map(({ os, arch }) => ({ os, arch }));
}

/** `stable on Linux x86_64 and Windows x86_64 now has 1.0.0.` */
function describeChange(pointers: Change['channels']): string {
  const byOffer = Map.groupBy(pointers, ({ version, expired }) => (expired ? 'offers nothing' : `has ${version}`));
  return [...byOffer].map(([offer, on]) => `${on[0]!.channel} on ${formatPlatforms(on)} now ${offer}.`).join(' ');
}

const list = new Intl.ListFormat('en-GB');

/** `Linux x86_64 and Windows x86_64` */
export function formatPlatforms(places: readonly Platform[]): string {
  return list.format(places.map(formatPlatform));
}

/** What a promotion would change, to show before it is made. */
export function previewPromotion(promotion: Omit<VersionPromotion, 'formatTime'>) {
  return {
    changes: describeVersionPromotion({ ...promotion, formatTime: formatExactTime }),
    isUnchanged: promotion.builds.every((offer) => changesNothing({ ...offer, hours: promotion.hours })),
  };
}

/** The result of the last channel change, with an undo button. */
export function MoveResult({ moves }: { moves: Moves }) {
  const { error, isPending, variables } = moves;
  const data = useKeptData(moves);
  if (error !== null && variables !== undefined)
    return <Problem error={error} onRetry={() => moves.mutate(variables)} />;
  const undo = data?.undo ?? null;
  return (
    <div role="status">
      {data !== undefined && (
        <Notice tone="good" title={data.message}>
          {undo !== null && (
            <Group>
              <Button size="compact-sm" variant="default" loading={isPending} onClick={() => moves.mutate(undo)}>
                Undo
              </Button>
            </Group>
          )}
        </Notice>
      )}
    </div>
  );
}
