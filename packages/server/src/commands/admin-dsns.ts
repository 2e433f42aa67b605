// `admin dsn`: prints a DSN of a game, and creates it if there is none, so that scripts can set up an SDK.
import { createDsn } from '@chauffeur/contract/operations/dsns';
import { findProblem } from '@chauffeur/contract/validate';
import type { Command } from 'commander';
import { dsnOf, ensureDsn } from '../crash/sentry/dsns/dsns.ts';
import { findGame } from '../people/game-access/game-access.sql.ts';
import { UsageError } from './fail.ts';
import { perform } from './perform.ts';

export function addDsnCommand(admin: Command): void {
  admin
    .command('dsn')
    .description("print a game's DSN for Sentry's SDKs, and create it if there is none")
    .requiredOption('--game <uid>', 'uid or slug of the game')
    .option('--name <name>', 'the DSN of this name; otherwise the oldest')
    .option('--json', 'print one JSON object', false)
    .action(dsnCommand);
}

async function dsnCommand({ game: ref, name, json }: { game: string; name?: string; json: boolean }): Promise<void> {
  const problem = name === undefined ? null : findProblem(createDsn.body!, { name });
  if (problem !== null) throw new UsageError(`--${problem}`);
  await perform(
    'admin.dsn',
    json,
    async ({ ctx }) => {
      const game = await findGame(ctx.db, ref);
      if (game === null) throw new UsageError('--game: there is no game with this uid or slug.');
      const { row, isNew } = await ensureDsn(ctx, game.game_id, { name, by: 'operator' });
      return { dsn: dsnOf(ctx, row), dsn_id: row.dsn_id, name: row.name, game_uid: game.game_id, created: isNew };
    },
    ({ dsn }) => `${dsn}\n`,
  );
}
