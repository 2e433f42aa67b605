// `regroup`: groups crash reports again by the rules of this version, and shows the progress.
import { setTimeout as wait } from 'node:timers/promises';
import type { App } from '../app.ts';
import { readRegrouping, requestRegrouping } from '../crash/crashes/crashes.ts';
import { findGame } from '../people/game-access/game-access.sql.ts';
import { UsageError } from './fail.ts';
import { withApp } from './open-parts.ts';

type Options = { game?: string; wait: boolean; json: boolean };

const LOOK_MS = 1000;

/** Enqueues the jobs and watches them; the worker moves the reports batch by batch. */
export async function runRegroup(options: Options): Promise<void> {
  await withApp({ quiet: true }, (app) => regroup(app, options));
}

async function regroup({ ctx }: App, { game: ref, wait: waits, json }: Options): Promise<void> {
  const game = ref === undefined ? null : await findGame(ctx.db, ref);
  if (ref !== undefined && game === null) throw new UsageError('--game: there is no game with this uid or slug.');
  const gameId = game?.game_id ?? null;
  const total = await requestRegrouping(ctx, gameId);
  let remaining = total;
  const print = (line: string) => void (json || process.stdout.write(`${line}\n`));
  if (total > 0 && waits) print(`Regrouping ${total} reports. A running worker does this, even after Ctrl-C.`);
  for (let isRunning = waits && total > 0; isRunning; ) {
    await wait(LOOK_MS);
    const now = await readRegrouping(ctx, gameId);
    if (now.left !== remaining) print(`${total - now.left} of ${total}`);
    remaining = now.left;
    isRunning = now.isRunning && remaining > 0;
  }
  process.stdout.write(
    json ? `${JSON.stringify({ reports: total, left: remaining })}\n` : `reports=${total}\nleft=${remaining}\n`,
  );
}
