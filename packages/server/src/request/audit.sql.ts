// The SQL that writes the audit log.
import { sql } from 'kysely';
import { changed, type Db } from '../kernel/database/db.ts';

export type ActorKind =
  | 'user'
  | 'agent'
  | 'operator'
  | 'deploy_key'
  | 'upload_token'
  | 'cli_login'
  | 'api_token'
  | 'server'
  | 'anonymous';

export type NewEntry = {
  readonly entryId: string;
  readonly operation: string;
  readonly actorKind: ActorKind;
  readonly actorId: string | null;
  readonly actorName: string;
  readonly via: string | null;
  readonly gameId: string | null;
  readonly gameName: string | null;
  /** Null for that of the game. */
  readonly organisationId: string | null;
  readonly otherOrganisationId: string | null;
  readonly details: object;
  readonly changes: object;
  readonly outcome: number;
  readonly address: string | null;
  readonly client: string | null;
};

/** Another transaction of the same call adds its changes to the entry. */
export async function writeEntry(db: Db, entry: NewEntry): Promise<void> {
  await changed(
    db,
    sql`insert into audit_entries as old (entry_id, operation, actor_kind, actor_id, actor_name, via, about_game,
        game_name, about_organisation, other_organisation, details, changes, outcome, address, client)
      values (${entry.entryId}, ${entry.operation}, ${entry.actorKind}, ${entry.actorId}, ${entry.actorName}, ${entry.via},
        ${entry.gameId}, coalesce(${entry.gameName}::text, (select name from all_games where game_id = ${entry.gameId})),
        coalesce(${entry.organisationId}::uuid, (select organisation_id from all_games where game_id = ${entry.gameId})),
        ${entry.otherOrganisationId},
        ${JSON.stringify(entry.details)}, ${JSON.stringify(entry.changes)}, ${entry.outcome}, ${entry.address}, ${entry.client})
      on conflict (entry_id) do update set changes = old.changes || excluded.changes, outcome = excluded.outcome,
        details = old.details || excluded.details, about_game = coalesce(old.about_game, excluded.about_game),
        game_name = coalesce(old.game_name, excluded.game_name),
        about_organisation = coalesce(old.about_organisation, excluded.about_organisation),
        other_organisation = coalesce(old.other_organisation, excluded.other_organisation), actor_id = excluded.actor_id,
        actor_name = excluded.actor_name, actor_kind = excluded.actor_kind`,
  );
}

/** A call that failed may have changed a part of what it should. */
export async function writeOutcome(db: Db, entryId: string, outcome: number): Promise<void> {
  await changed(db, sql`update audit_entries set outcome = ${outcome} where entry_id = ${entryId}`);
}
