// Corrects times from while the clock was ahead. Otherwise what was granted then would be valid for a year too long,
// and a build or a file from then would be the newest until the clock has caught up.
import { sql } from 'kysely';
import type { Context } from '../../context.ts';
import { changed, type Db } from '../../kernel/database/db.ts';
import { defineJob } from '../../kernel/jobs/jobs.ts';
import { differsFromDatabase } from '../../kernel/jobs/steady-clock.ts';

export const futureTimesJob = defineJob(
  'service:correct-times',
  { attempts: 3, cron: '*/5 * * * *', lane: 'long', atStart: true },
  correctFutureTimes,
);

/** The column with the time at which a row was created, and the column with the time at which it expires, if any. */
type Times = { readonly table: string; readonly at: string; readonly until?: string };

export const TIMES: readonly Times[] = [
  { table: 'agent_keys', at: 'created_at', until: 'expires_at' },
  { table: 'api_tokens', at: 'created_at', until: 'expires_at' },
  { table: 'approvals', at: 'asked_at', until: 'expires_at' },
  { table: 'builds', at: 'created_at' },
  { table: 'channel_moves', at: 'moved_at', until: 'expires_at' },
  { table: 'cli_login_requests', at: 'created_at', until: 'expires_at' },
  { table: 'cli_logins', at: 'last_used_at' },
  { table: 'files', at: 'uploaded_at' },
  { table: 'former_handles', at: 'renamed_at', until: 'reserved_until' },
  { table: 'former_organisation_slugs', at: 'renamed_at', until: 'reserved_until' },
  { table: 'former_slugs', at: 'renamed_at', until: 'reserved_until' },
  { table: 'game_invitations', at: 'sent_at', until: 'expires_at' },
  { table: 'oauth_access_tokens', at: 'created_at', until: 'expires_at' },
  { table: 'oauth_refresh_tokens', at: 'created_at', until: 'expires_at' },
  { table: 'team_invitations', at: 'sent_at', until: 'expires_at' },
  { table: 'upload_sessions', at: 'opened_at', until: 'expires_at' },
  { table: 'upload_tokens', at: 'created_at', until: 'expires_at' },
];

/** Does nothing while the clock of this process may still be ahead. */
export async function correctFutureTimes({ db, clock }: Context): Promise<void> {
  if (await differsFromDatabase(db, clock)) return;
  for (const times of TIMES) await correct(db, times);
}

/** Moves rows from the future to now, in their order, with the same validity. Clocks may differ by a few minutes. */
async function correct(db: Db, { table, at, until }: Times): Promise<void> {
  const [made, ends] = [sql.ref(`changed.${at}`), sql.ref(until ?? at)];
  const expiry = until === undefined ? sql`` : sql`, ${ends} = now() + (changed.${ends} - ${made})`;
  await changed(
    db,
    sql`with ahead as (
        select ctid, row_number() over (order by ${sql.ref(at)}) as no from ${sql.table(table)}
        where ${sql.ref(at)} > now() + interval '1 hour'
      )
      update ${sql.table(table)} as changed set ${sql.ref(at)} = now() + ahead.no * interval '1 microsecond'${expiry}
      from ahead where changed.ctid = ahead.ctid and ${made} > now() + interval '1 hour'`,
  );
}
