// Promotes builds and rolls channels back, and prepares the undo of the last change.
import { changesNothing, describePromotion, type Promotion } from '@chauffeur/contract/consequences';
import { formatPlatform } from '@chauffeur/contract/format';
import type { Platform } from '@chauffeur/contract/identity';
import { getGameBuild, listGameBuilds } from '@chauffeur/contract/operations/builds';
import { listChannelMoves, listChannels, promoteBuild, rollbackChannel } from '@chauffeur/contract/operations/channels';
import { listGames } from '@chauffeur/contract/operations/games';
import { Button, Group } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { ask, call, useKeptData } from '../../api.ts';
import { formatExactTime } from '../../ui/format.ts';
import { Notice } from '../../ui/PageLayout.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { hoursUntil, type Location, type Pointer } from './channel-grid.ts';

type Move =
  | {
      kind: 'promote';
      channel: string;
      build: { build_id: string } & Platform;
      hours: number;
      /** The build that the channel has had since the change that this one undoes. */
      replaces?: string;
    }
  | { kind: 'rollback'; pointer: Pointer };

type Moved = {
  readonly message: string;
  /** Restores the previous build. Null if there was none, or if it had expired. */
  readonly undo: Move | null;
};

const CHANGED = [listChannels.id, listChannelMoves.id, listGameBuilds.id, getGameBuild.id, listGames.id];

export function useMoves(gameUid: string) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: async (move: Move): Promise<Moved> => {
      const target = move.kind === 'promote' ? { channel: move.channel, ...move.build } : move.pointer;
      // Reads the current state again, since another developer may have changed it.
      const { channels } = await queries.fetchQuery({ ...ask(listChannels, { uid: gameUid }), staleTime: 0 });
      const before = channels.find((pointer) => isAt(pointer, target));
      if (move.kind === 'promote' && move.replaces !== undefined && move.replaces !== before?.build_id)
        return {
          message: `${target.channel} on ${formatPlatform(target)} has changed since, so it wasn't undone.`,
          undo: null,
        };
      const after = await run(gameUid, move);
      const message = `${target.channel} on ${formatPlatform(target)} now has ${after?.version}.`;
      return { message, undo: undoOf(before, after?.build_id, new Date()) };
    },
    onSuccess: () => Promise.all(CHANGED.map((id) => queries.invalidateQueries({ queryKey: [id] }))),
  });
}

export type Moves = ReturnType<typeof useMoves>;

function isAt(a: Location, b: Location): boolean {
  return a.channel === b.channel && a.os === b.os && a.arch === b.arch;
}

async function run(uid: string, move: Move): Promise<{ version: string; build_id: string } | undefined> {
  if (move.kind === 'rollback') {
    const { channel, os, arch } = move.pointer;
    const { channels } = await call(rollbackChannel, { uid, channel, os, arch });
    return channels[0];
  }
  const { channel, build, hours } = move;
  return call(promoteBuild, { uid, channel, build_id: build.build_id, expires_in_hours: hours });
}

function undoOf(before: Pointer | undefined, replaces: string | undefined, now: Date): Move | null {
  if (before === undefined || before.expired || replaces === undefined) return null;
  const { channel, build_id, os, arch, expires_at } = before;
  return { kind: 'promote', channel, build: { build_id, os, arch }, hours: hoursUntil(expires_at, now), replaces };
}

/** What a promotion would change, to show before it is made. */
export function previewPromotion({ visibility, now, ...offer }: Omit<Promotion, 'formatTime'>) {
  return {
    changes: describePromotion({ ...offer, visibility, now, formatTime: formatExactTime }),
    isUnchanged: changesNothing(offer),
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
