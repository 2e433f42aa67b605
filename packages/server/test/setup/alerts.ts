// Alerts for tests of the features that raise them.
import { sql } from 'kysely';
import { changed } from '../../src/kernel/database/db.ts';
import type { TestServer } from './server.ts';

/** Makes room for another message of the game, of which there is one a minute. */
export async function forgetMessages({ ctx }: TestServer, game: { uid: string }): Promise<void> {
  await changed(
    ctx.db,
    sql`update alert_messages set created_at = created_at - interval '1 hour' where game_id = ${game.uid}`,
  );
}
