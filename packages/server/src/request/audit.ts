// The audit log: who changed what, recorded in the transaction of the change. Every operation that changes something is
// recorded without further code; handlers add the values before and after (ADR 0025).
import { AsyncLocalStorage } from 'node:async_hooks';
import { isDeepStrictEqual } from 'node:util';
import { CODES } from '@chauffeur/contract/errors';
import { auditOf, type Operation } from '@chauffeur/contract/operation';
import type { Language } from '@chauffeur/contract/texts/messages';
import type { FastifyRequest } from 'fastify';
import type { Caller, Context, User } from '../context.ts';
import { type Db, withCommitHook } from '../kernel/database/db.ts';
import { isUuid, newId } from '../kernel/secrets/ids.ts';
import { type ActorKind, writeEntry, writeOutcome } from './audit.sql.ts';
import { asKnownError } from './failures.ts';
import { isObject } from './json.ts';
import { languageOf } from './negotiation.ts';

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
export function auditChange(field: string, before: unknown, after: unknown): void {
  const recording = recordings.getStore();
  if (recording === undefined || isDeepStrictEqual(before ?? null, after ?? null)) return;
  recording.changes[field] = {
    ...(before !== undefined && { before: bounded(before) }),
    ...(after !== undefined && { after: bounded(after) }),
  };
  recording.noted += 1;
}

/** Notes that the current call did what it is for, if there are no values to show. */
export function auditDone(): void {
  const recording = recordings.getStore();
  if (recording !== undefined) recording.noted += 1;
}

/** Notes the fields of `after` that differ from those of `before`. Undefined fields of `after` are left out. */
export function auditChanges(before: object, after: object, fields: readonly string[] = Object.keys(after)): void {
  for (const field of fields) {
    const value = (after as Record<string, unknown>)[field];
    if (value !== undefined) auditChange(field, (before as Record<string, unknown>)[field] ?? null, value);
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
    const program = agent?.kind === 'token' ? 'api_token' : 'agent';
    const kind = agent !== undefined ? program : access === 'operator' ? 'operator' : 'user';
    return { kind, id: user.id, name: user.name, via: agent?.name ?? null };
  }
  const { user, token, keyRef, apiToken } = caller;
  if (user !== undefined && apiToken !== undefined)
    return { kind: 'api_token', id: user.id, name: user.name, via: apiToken };
  if (user !== undefined) return { kind: 'cli_login', id: user.id, name: user.name, via: keyRef };
  if (token !== undefined) return { kind: 'upload_token', id: token.id, name: token.name, via: keyRef };
  return { kind: 'deploy_key', id: null, name: 'Deploy key', via: keyRef };
}

const MAX_TEXT = 500;
const MAX_ITEMS = 50;
const MAX_DEPTH = 4;
const MAX_VALUE_CHARACTERS = 4000;
const MAX_CLIENT = 200;

/**
 * Parameters of paths that name what is changed. Others may be secrets, such as the token of an invitation. The id of a
 * device is left out, so that nothing has it once its data was deleted.
 */
const TARGET = /^(uid|channel|image|part|(?!device_)[a-z]+_(uid|id))$/;

type Schema = { readonly properties?: Readonly<Record<string, unknown>> };

/** The targets in the path, and the fields that are flags, numbers, ids or listed values. */
function detailsOf(operation: Operation, input: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const details: Record<string, unknown> = {};
  const add = (name: string, value: unknown) => {
    if (value !== undefined) details[name] = bounded(value);
  };
  for (const name of namesOf(operation.params)) if (TARGET.test(name)) add(name, input[name]);
  for (const part of [operation.query, operation.body] as (Schema | undefined)[]) {
    for (const [name, schema] of Object.entries(part?.properties ?? {}))
      if (isPlain(input[name], schema)) add(name, input[name]);
  }
  return details;
}

function namesOf(part: unknown): string[] {
  return Object.keys((part as Schema | undefined)?.properties ?? {});
}

/** A text is kept only if the schema lists its values, or if it is an id. */
function isPlain(value: unknown, schema: unknown): boolean {
  if (typeof value === 'boolean' || typeof value === 'number' || value === null) return true;
  if (Array.isArray(value)) return value.every((item) => isPlain(item, (schema as { items?: unknown }).items));
  return typeof value === 'string' && (isUuid(value) || isListed(value, schema));
}

function isListed(value: string, schema: unknown): boolean {
  if (!isObject(schema)) return false;
  if (Array.isArray(schema.enum)) return schema.enum.includes(value);
  const choices = schema.anyOf;
  return schema.const === value || (Array.isArray(choices) && choices.some((choice) => isListed(value, choice)));
}

/** Cuts long texts and lists, so that an entry has a bounded size. */
function bounded(value: unknown): unknown {
  const cut = cutValue(value, 0);
  const text = JSON.stringify(cut) ?? 'null';
  return text.length <= MAX_VALUE_CHARACTERS ? cut : `${text.slice(0, MAX_TEXT)}…`;
}

function cutValue(value: unknown, depth: number): unknown {
  if (typeof value === 'string') return value.length <= MAX_TEXT ? value : `${value.slice(0, MAX_TEXT)}…`;
  if (value instanceof Date) return value.toISOString();
  if (typeof value === 'bigint') return String(value);
  if (Array.isArray(value)) {
    if (depth >= MAX_DEPTH) return '…';
    const items = value.slice(0, MAX_ITEMS).map((item) => cutValue(item, depth + 1));
    return value.length <= MAX_ITEMS ? items : [...items, `… and ${value.length - MAX_ITEMS} more`];
  }
  if (!isObject(value)) return value ?? null;
  if (depth >= MAX_DEPTH) return '…';
  const entries = Object.entries(value).slice(0, MAX_ITEMS);
  return Object.fromEntries(entries.map(([name, item]) => [name, cutValue(item, depth + 1)]));
}

/** The User-Agent header on one line; null without one. */
function clientOf(header: string | undefined): string | null {
  const client = header?.replace(/[\p{Cc}\p{Cf}]/gu, ' ').trim() ?? '';
  return client === '' ? null : client.slice(0, MAX_CLIENT);
}
