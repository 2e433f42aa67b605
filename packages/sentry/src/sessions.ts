// Reads sessions: one for each run of the game, in updates that share an id.
import { eventIdOf } from './ids.ts';
import { countOf, fieldOf, flagOf, lineOf, numberOf, timeOf } from './values.ts';

/** The statuses from the best to the worst, which counts. */
export const SESSION_STATUSES = ['ok', 'errored', 'unhandled', 'abnormal', 'crashed'] as const;
export type SessionStatus = (typeof SESSION_STATUSES)[number];

export type SessionUpdate = {
  /** 32 lower-case hex digits, or another id as the client wrote it. */
  readonly sid: string;
  /** Who played, as the client says; empty if it doesn't. */
  readonly did: string;
  /** Whether the session starts with it. Some clients repeat that. */
  readonly isFirst: boolean;
  readonly status: SessionStatus;
  /** Whether the run is over. */
  readonly isEnded: boolean;
  readonly errors: number;
  /** The times are by the clock of the client, in milliseconds. */
  readonly startedAt: number | null;
  readonly updatedAt: number | null;
  readonly seconds: number | null;
  /** A later update has a higher number; null if the client has none. */
  readonly sequence: number | null;
} & SessionBuild;

type SessionBuild = {
  readonly release: string;
  readonly environment: string;
  readonly dist: string;
};

const ENDED = new Set(['exited', 'crashed', 'abnormal']);

/** Null without an id, which makes updates of one session. */
export function sessionOf(value: unknown): SessionUpdate | null {
  const sentId = lineOf(fieldOf(value, 'sid'), 64);
  const sid = eventIdOf(sentId) ?? sentId;
  if (sid === '' || /^[0-]+$/.test(sid)) return null;
  const errors = countOf(fieldOf(value, 'errors'), 1_000_000) ?? 0;
  const sentStatus = lineOf(fieldOf(value, 'status'), 20).toLowerCase();
  const seconds = numberOf(fieldOf(value, 'duration'));
  return {
    sid,
    did: lineOf(fieldOf(value, 'did'), 128),
    isFirst: flagOf(fieldOf(value, 'init')) === true,
    status: statusOf(sentStatus, errors),
    isEnded: ENDED.has(sentStatus),
    errors,
    startedAt: timeOf(fieldOf(value, 'started')),
    updatedAt: timeOf(fieldOf(value, 'timestamp')),
    seconds: seconds !== null && seconds >= 0 && seconds < MAX_SECONDS ? seconds : null,
    sequence: countOf(fieldOf(value, 'seq')),
    ...buildOf(fieldOf(value, 'attrs')),
  };
}

const MAX_SECONDS = 365 * 86_400;

function buildOf(attributes: unknown): SessionBuild {
  return {
    release: lineOf(fieldOf(attributes, 'release'), 200),
    environment: lineOf(fieldOf(attributes, 'environment'), 64),
    dist: lineOf(fieldOf(attributes, 'dist'), 64),
  };
}

/** A status that is unknown, as of a newer client, is one of a session that goes on. */
function statusOf(status: string, errors: number): SessionStatus {
  if (status === 'crashed' || status === 'abnormal' || status === 'unhandled') return status;
  return status === 'errored' || errors > 0 ? 'errored' : 'ok';
}

/** The worse of two. */
export function worseStatus(a: SessionStatus, b: SessionStatus): SessionStatus {
  return SESSION_STATUSES.indexOf(a) > SESSION_STATUSES.indexOf(b) ? a : b;
}

/**
 * Two updates of one session in any order, one of them maybe twice, as one. What an older one says is kept where the
 * newer one says nothing.
 */
export function joinUpdates(a: SessionUpdate, b: SessionUpdate): SessionUpdate {
  const [older, newer] = isNewer(a, b) ? [b, a] : [a, b];
  return {
    ...newer,
    did: newer.did || older.did,
    isFirst: older.isFirst || newer.isFirst,
    status: worseStatus(older.status, newer.status),
    isEnded: older.isEnded || newer.isEnded,
    errors: Math.max(older.errors, newer.errors),
    startedAt: smallest(older.startedAt, newer.startedAt),
    updatedAt: largest(older.updatedAt, newer.updatedAt),
    seconds: largest(older.seconds, newer.seconds),
    sequence: largest(older.sequence, newer.sequence),
    release: newer.release || older.release,
    environment: newer.environment || older.environment,
    dist: newer.dist || older.dist,
  };
}

/** Without a number and a time, the order is by content, so that it doesn't matter which of the two comes first. */
function isNewer(a: SessionUpdate, b: SessionUpdate): boolean {
  const order = [
    (a.sequence ?? 0) - (b.sequence ?? 0),
    (a.updatedAt ?? 0) - (b.updatedAt ?? 0),
    Number(a.isEnded) - Number(b.isEnded),
  ].find((difference) => difference !== 0);
  return order === undefined ? JSON.stringify(a) > JSON.stringify(b) : order > 0;
}

function smallest(a: number | null, b: number | null): number | null {
  return a === null || b === null ? (a ?? b) : Math.min(a, b);
}

function largest(a: number | null, b: number | null): number | null {
  return a === null || b === null ? (a ?? b) : Math.max(a, b);
}

/**
 * Whether an id of a device says nothing about who uses it: a UUID, or as many hex digits. Anything else may be an
 * account, an email address or the serial number of a machine, so that only a keyed hash of it may be stored.
 */
export function isRandomId(id: string): boolean {
  const hex = eventIdOf(id);
  if (hex === null) return false;
  // Counting up, or repeating a few digits, is how programs make ids from account numbers.
  return new Set(hex).size > 4 && !/^0{8}|(.)\1{7}/.test(hex);
}
