// The audit log: who changed what, recorded in the transaction of the change. Every operation that changes something is
// recorded without further code; handlers add the values before and after (ADR 0025).

import { AsyncLocalStorage } from 'node:async_hooks';
import { isDeepStrictEqual } from 'node:util';
import { CODES } from '@chauffeur/contract/errors';
import { auditOf, type Operation } from '@chauffeur/contract/operation';
import type { Language } from '@chauffeur/contract/texts/messages';
import type { FastifyRequest } from 'fastify';
import type { Caller, Context, User } from '../context.ts';
import { withCommitHook } from '../kernel/database/commit-hook.ts';
import type { Db } from '../kernel/database/db.ts';
import { newId } from '../kernel/secrets/ids.ts';
import { asKnownError } from './as-api-error.ts';
import { type ActorKind, writeEntry, writeOutcome } from './audit.sql.ts';
import { bounded, clientOf, detailsOf } from './audit-values.ts';
import { languageOf } from './choose-language.ts';

type Origin = { readonly address: string | null; readonly client: string | null };
type Actor = {
  readonly kind: ActorKind;
  readonly id: string | null;
  readonly name: string;
  readonly via: string | null;
};
type Change = { readonly before?: unknown; readonly after?: unknown };

/** One call that is being recorded. */
type Recording = {
  readonly entryId: string;
  readonly operation: string;
  /** Whether it is recorded only if something is noted about it. */
  readonly changesOnly: boolean;
  readonly origin: Origin;
  readonly details: Record<string, unknown>;
  readonly changes: Record<string, Change>;
  actor: Actor;
  gameId: string | null;
  /** The name at the time of the call: the name of a deleted game is deleted. */
  gameName: string | null;
  /** The organisation at the time of the call, also that of the game. */
  organisationId: string | null;
  /** The organisation that receives a game. */
  otherOrganisationId: string | null;
  /** Counts what was noted, to find out whether the entry in the database is complete. */
  noted: number;
  written: number | null;
  isOver: boolean;
};

const origins = new AsyncLocalStorage<Origin>();
const requests = new AsyncLocalStorage<Pick<FastifyRequest, 'headers'>>();
const recordings = new AsyncLocalStorage<Recording>();

export const ANONYMOUS_ACTOR: Actor = { kind: 'anonymous', id: null, name: 'Not signed in', via: null };
const NOWHERE: Origin = { address: null, client: null };

/** Performs `work`, whose entries say that they came from this request, and whose emails are in its language. */
export function fromRequest<T>(request: Pick<FastifyRequest, 'ip' | 'headers'>, work: () => T): T {
  const origin = { address: request.ip, client: clientOf(request.headers['user-agent']) };
  return origins.run(origin, () => requests.run(request, work));
}

/** The IP address that the request came from which is being answered; null without one, and for a GET. */
export function requestAddress(): string | null {
  return origins.getStore()?.address ?? null;
}

/** The language of the request that is being answered; English without one. */
export function requestLanguage(): Language {
  return languageOf(requests.getStore()?.headers ?? {});
}

/** Performs a call of the operation, and records it if it is one of those in the audit log. */
export function recordOperation<T>(
  ctx: Context,
  { operation, caller, input }: { operation: Operation; caller: Caller; input: object },
  work: () => Promise<T>,
): Promise<T> {
  return record(
    ctx,
    {
      operation: operation.id,
      changesOnly: auditOf(operation) === 'changes',
      actor: actorOf(caller, operation),
      details: detailsOf(operation, input as Readonly<Record<string, unknown>>),
      gameId: caller.kind === 'game' ? caller.gameId : null,
    },
    work,
  );
}

type Subject = Pick<Recording, 'operation' | 'actor'> & Partial<Pick<Recording, 'changesOnly' | 'details' | 'gameId'>>;

/**
 * Performs `work`, and records it in the first transaction that it commits, or when it is done. Rejects if it can't be
 * recorded, so no change is acknowledged without its entry.
 */
export async function record<T>(ctx: Context, subject: Subject, work: () => Promise<T>): Promise<T> {
  const recording: Recording = {
    changesOnly: false,
    details: {},
    gameId: null,
    gameName: null,
    organisationId: null,
    otherOrganisationId: null,
    ...subject,
    entryId: newId(ctx.clock.now().getTime()),
    origin: origins.getStore() ?? NOWHERE,
    changes: {},
    noted: 0,
    written: null,
    isOver: false,
  };
  try {
    const result = await recordings.run(recording, () => withCommitHook((tx) => write(recording, tx), work));
    (await write(recording, ctx.db))();
    return result;
  } catch (error) {
    if (recording.written !== null)
      await writeOutcome(ctx.db, recording.entryId, asKnownError(error)?.code ?? CODES.unexpected);
    throw error;
  } finally {
    recording.isOver = true;
  }
}

/** Returns what to do after the commit. */
async function write(recording: Recording, db: Db): Promise<() => void> {
  const { noted, written, changesOnly, isOver, actor, origin } = recording;
  if (isOver || written === noted || (changesOnly && noted === 0)) return () => {};
  await writeEntry(db, {
    ...recording,
    ...origin,
    outcome: 0,
    actorKind: actor.kind,
    actorId: actor.id,
    actorName: actor.name,
    via: actor.via,
  });
  return () => {
    recording.written = noted;
  };
}

/** Notes values before and after in the entry of the current call, within its transaction. Equal ones are left out. */
export function recordChange(field: string, before: unknown, after: unknown): void {
  const recording = recordings.getStore();
  if (recording === undefined || isDeepStrictEqual(before ?? null, after ?? null)) return;
  recording.changes[field] = {
    ...(before !== undefined && { before: bounded(before) }),
    ...(after !== undefined && { after: bounded(after) }),
  };
  recording.noted += 1;
}

/** Notes that the current call did what it is for, if there are no values to show. */
export function recordDone(): void {
  const recording = recordings.getStore();
  if (recording !== undefined) recording.noted += 1;
}

/** Notes the fields of `after` that differ from those of `before`. Undefined fields of `after` are left out. */
export function recordChanges(before: object, after: object, fields: readonly string[] = Object.keys(after)): void {
  for (const field of fields) {
    const value = (after as Record<string, unknown>)[field];
    if (value !== undefined) recordChange(field, (before as Record<string, unknown>)[field] ?? null, value);
  }
}

/** Notes which game the current call is about. */
export function noteGame(game: {
  readonly game_id: string;
  readonly organisation_id: string;
  readonly name: string;
}): void {
  noteOrganisation(game);
  const recording = recordings.getStore();
  if (recording === undefined || recording.gameName !== null) return;
  recording.gameId = game.game_id;
  recording.gameName = game.name;
  if (recording.written !== null) recording.noted += 1;
}

/** Notes which organisation the current call is about. The second one is the organisation that receives a game. */
export function noteOrganisation({ organisation_id: id }: { readonly organisation_id: string }): void {
  const recording = recordings.getStore();
  if (recording === undefined) return;
  const { organisationId: first, otherOrganisationId: other } = recording;
  if (first === id || other === id || (first !== null && other !== null)) return;
  if (first === null) recording.organisationId = id;
  else recording.otherOrganisationId = id;
  if (recording.written !== null) recording.noted += 1;
}

/** Notes who made the current call, if it was not known before. */
export function noteActor({ id, name }: Pick<User, 'id' | 'name'>): void {
  const recording = recordings.getStore();
  if (recording === undefined) return;
  recording.actor = { kind: 'user', id, name, via: null };
  if (recording.written !== null) recording.noted += 1;
}

function actorOf(caller: Caller, { access }: Operation): Actor {
  if (caller.kind === 'anonymous') return ANONYMOUS_ACTOR;
  if (caller.kind === 'account') {
    const { user, agent } = caller;
    const kind = agent !== undefined ? 'agent' : access === 'operator' ? 'operator' : 'user';
    return { kind, id: user.id, name: user.name, via: agent?.name ?? null };
  }
  const { user, token, keyRef } = caller;
  if (user !== undefined) return { kind: 'cli_login', id: user.id, name: user.name, via: keyRef };
  if (token !== undefined) return { kind: 'upload_token', id: token.id, name: token.name, via: keyRef };
  return { kind: 'deploy_key', id: null, name: 'Deploy key', via: keyRef };
}
