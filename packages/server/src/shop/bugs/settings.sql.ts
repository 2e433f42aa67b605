// The SQL of who can file bug tickets.
import { sql } from 'kysely';
import { changed, type Db, row } from '../../kernel/database/db.ts';

export async function acceptsGuests(db: Db, gameId: string): Promise<boolean> {
  const settings = await row(db, sql<{ guests: boolean }>`select guests from bug_settings where game_id = ${gameId}`);
  return settings?.guests ?? true;
}

export async function setGuests(db: Db, gameId: string, guests: boolean): Promise<void> {
  await changed(
    db,
    sql`insert into bug_settings (game_id, guests) values (${gameId}, ${guests})
      on conflict (game_id) do update set guests = excluded.guests`,
  );
}
