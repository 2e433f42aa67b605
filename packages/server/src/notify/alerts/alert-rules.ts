// Which alerts a game sends, when, and which members get them by email. Members end these emails on the website, or by
// the link in an email, without signing in.

import { type ApiError, errors } from '@chauffeur/contract/errors';
import type { OutputOf } from '@chauffeur/contract/operation';
import * as contract from '@chauffeur/contract/operations/alerts';
import { ALERT_KINDS } from '@chauffeur/contract/operations/alerts';
import type { AccountCaller, Context } from '../../context.ts';
import { type Db, isMissingReference, transact } from '../../kernel/database/db.ts';
import { deriveKey, openToken, signToken } from '../../kernel/secrets/signed-token.ts';
import { findGame } from '../../people/game-access/game-access.sql.ts';
import { type Game, lockGame, requireMember } from '../../people/game-access/game-access.ts';
import { auditChange, auditChanges } from '../../request/audit.ts';
import { perContext } from '../../request/per-context.ts';
import { answer } from '../../request/perform.ts';
import { handle, stream } from '../../request/route.ts';
import { type AlertKind, DEFAULT_RULES, type Rule } from './alert.ts';
import * as sql from './alerts.sql.ts';
import { DEFAULT_SCHEDULE, isTimeZone, type Schedule } from './schedule.ts';

type Settings = OutputOf<typeof contract.getAlerts>;

export async function readAlertRules(db: Db, gameId: string): Promise<Readonly<Record<AlertKind, Rule>>> {
  const rules = { ...DEFAULT_RULES };
  for (const { kind, send, repeat_hours, muted_until } of await sql.listRules(db, gameId))
    rules[kind] = { send, repeatHours: repeat_hours, mutedUntil: muted_until };
  return rules;
}

export async function readSchedule(db: Db, gameId: string): Promise<Schedule> {
  const settings = await sql.findAlertSettings(db, gameId);
  if (settings === undefined) return DEFAULT_SCHEDULE;
  const { time_zone: timeZone, digest_at: digestAt, quiet_from: from, quiet_until: until } = settings;
  return { timeZone, digestAt, quietHours: from === null || until === null ? null : { from, until } };
}

export const getAlerts = handle(contract.getAlerts, async (ctx, { caller, input }) => {
  const { game } = await requireMember(ctx, caller, input.uid);
  return settingsOf(ctx, game, caller);
});

async function settingsOf({ db }: Context, { game_id: gameId }: Game, { user }: AccountCaller): Promise<Settings> {
  const [rules, { timeZone, digestAt, quietHours }, subscribers] = await Promise.all([
    readAlertRules(db, gameId),
    readSchedule(db, gameId),
    sql.listSubscribers(db, gameId),
  ]);
  return {
    time_zone: timeZone,
    digest_at: digestAt,
    quiet_hours: quietHours,
    rules: ALERT_KINDS.map((kind) => ({
      kind,
      send: rules[kind].send,
      repeat_hours: rules[kind].repeatHours,
      muted_until: rules[kind].mutedUntil?.toISOString() ?? null,
    })),
    mail: {
      subscribed: subscribers.some(({ user_id }) => user_id === user.id),
      subscribers: subscribers.map(({ name }) => name),
    },
  };
}

export const updateAlerts = handle(contract.updateAlerts, async (ctx, { caller, input }) => {
  const { game } = await requireMember(ctx, caller, input.uid);
  const { time_zone: zone, digest_at: digestAt, quiet_hours: quietHours, rules: changes = [] } = input;
  if (zone !== undefined && !isTimeZone(zone))
    throw errors.invalid('time_zone: no such time zone. Use a name of the IANA database, such as Europe/Berlin.');
  await transact(ctx.db, async (tx) => {
    // The lock makes the second of two changes at the same time start from the first.
    await lockGame(tx, game.game_id);
    const schedule = await readSchedule(tx, game.game_id);
    const quiet = quietHours === undefined ? schedule.quietHours : quietHours;
    auditChanges(schedule, { timeZone: zone, digestAt, quietHours: quiet });
    await sql.upsertAlertSettings(tx, game.game_id, {
      time_zone: zone ?? schedule.timeZone,
      digest_at: digestAt ?? schedule.digestAt,
      quiet_from: quiet?.from ?? null,
      quiet_until: quiet?.until ?? null,
    });
    const rules = await readAlertRules(tx, game.game_id);
    for (const { kind, send, repeat_hours, muted_until } of changes) {
      const { [kind]: rule } = rules;
      const changed = {
        send: send ?? rule.send,
        repeatHours: repeat_hours ?? rule.repeatHours,
        mutedUntil: muted_until === undefined ? rule.mutedUntil : muted_until === null ? null : new Date(muted_until),
      };
      auditChange(kind, rule, changed);
      await sql.upsertRule(tx, game.game_id, kind, changed);
    }
  });
  return settingsOf(ctx, game, caller);
});

export const subscribeToAlerts = handle(contract.subscribeToAlerts, async (ctx, { caller, input }) => {
  const { game } = await requireMember(ctx, caller, input.uid);
  await sql.upsertSubscription(ctx.db, game.game_id, caller.user.id, input.subscribed);
  return settingsOf(ctx, game, caller);
});

const keyOf = perContext(({ secret }) => deriveKey(secret, 'unsubscribe'));

/** The token of the link in an email. It never expires, because an email doesn't either. */
export function unsubscribeToken(ctx: Context, gameId: string, userId: string): string {
  return signToken(keyOf(ctx), Buffer.from(JSON.stringify([gameId, userId])));
}

/** Ignores the body, which email programs send. Throws `notFound`. */
export const unsubscribeFromAlerts = stream(contract.unsubscribeFromAlerts, async (ctx, { input: { token } }) => {
  const payload = openToken(keyOf(ctx), token);
  if (payload === null) throw unknownLink();
  const [gameId, userId] = JSON.parse(payload.toString()) as [string, string];
  const game = await findGame(ctx.db, gameId);
  if (game === null) throw unknownLink();
  try {
    await sql.upsertSubscription(ctx.db, gameId, userId, false);
  } catch (error) {
    // The account was deleted.
    if (isMissingReference(error)) throw unknownLink();
    throw error;
  }
  return answer(200, { game: game.name });
});

function unknownLink(): ApiError {
  return errors.notFound('token: this link is incomplete, or its game or account no longer exists.');
}
