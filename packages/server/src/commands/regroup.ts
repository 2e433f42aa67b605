// `regroup`: has crash reports grouped again by the rules of this version, and tells how far that is.
import { setTimeout as wait } from 'node:timers/promises';
import type { App } from '../app.ts';
import { lookAtRegrouping, requestRegrouping } from '../features/crashes/groups/regroup.ts';
import { findGame } from '../features/games/games.ts';
import { UsageError } from './fail.ts';
import { withApp } from './with-app.ts';

type Options = { game?: string; wait: boolean; json: boolean };

const LOOK_MS = 1000;

/** The reports are moved by jobs of the worker, batch by batch; this command asks for them and watches. */
export async function runRegroup(options: Options): Promise<void> {
  await withApp({ quiet: true }, (app) => regroup(app, options));
}

async function regroup({ ctx }: App, { game: ref, wait: waits, json }: Options): Promise<void> {
  const game = ref === undefined ? null : await findGame(ctx.db, ref);
  if (ref !== undefined && game === null) throw new UsageError('--game: there is no game with this uid or slug.');
  const gameId = game?.game_id ?? null;
  const total = await requestRegrouping(ctx, gameId);
  let left = total;
  const say = (line: string) => void (json || process.stdout.write(`${line}\n`));
  if (total > 0 && waits) say(`${total} reports: a running worker moves them, also after Ctrl-C`);
  for (let goesOn = waits && total > 0; goesOn; ) {
    await wait(LOOK_MS);
    const now = await lookAtRegrouping(ctx, gameId);
    if (now.left !== left) say(`${total - now.left} of ${total}`);
    left = now.left;
    goesOn = now.goesOn && left > 0;
  }
  process.stdout.write(json ? `${JSON.stringify({ reports: total, left })}\n` : `reports=${total}\nleft=${left}\n`);
}
