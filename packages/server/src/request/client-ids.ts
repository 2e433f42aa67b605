// Reads what a request from a game client says about itself: its game and build, in its headers, query or body, and the
// key with which it repeats a request.
import { ApiError, CODES, type ErrorCode } from '@chauffeur/contract/errors';
import type { FastifyRequest } from 'fastify';

export type Ids = { appId: string; buildId: string };

/** The refusal of ids that are malformed, not in the database, or of different games. */
export const UNKNOWN_BUILD = {
  rule: 'unknown_build',
  code: CODES.unknownClientIds,
  message: 'The game does not exist, or the build belongs to another game. Use the build_id from its registration.',
} as const;

/** The name of the rule that refuses requests without ids. */
const NO_IDS = 'no_ids';

/** Whether a request was refused because its build id is unknown or missing. */
export function isAboutBuild({ rule }: { readonly rule: string }): boolean {
  return rule === UNKNOWN_BUILD.rule || rule === NO_IDS;
}

/**
 * Reads X-App-Id and X-Build-Id, otherwise `app_id` and `build_id` in the query or in the body. Missing ids are empty.
 */
export function idsOf(request: FastifyRequest, body: Partial<Ids> = {}): Ids {
  const query = request.query as Readonly<Record<string, unknown>>;
  return {
    appId: headerId(request, 'x-app-id') || queryId(query.app_id) || (body.appId ?? '').trim(),
    buildId: headerId(request, 'x-build-id') || queryId(query.build_id) || (body.buildId ?? '').trim(),
  };
}

function headerId(request: FastifyRequest, name: 'x-app-id' | 'x-build-id'): string {
  const value = request.headers[name];
  return typeof value === 'string' ? value.trim() : '';
}

/**
 * Some clients append their own query to a URL that already has one. The second question mark then becomes part of
 * the last value: `…/unreal?app_id=G&build_id=B?AppID=CrashReporter&AppVersion=…`. The id ends before it.
 */
function queryId(value: unknown): string {
  const text = Array.isArray(value) ? value[0] : value;
  return typeof text === 'string' ? (text.split('?')[0] ?? '').trim() : '';
}

/** Returns a message that names the missing id; null if both are present. */
export function findMissingId({ appId, buildId }: Ids): string | null {
  if (appId !== '' && buildId !== '') return null;
  const [header, field] = appId === '' ? ['X-App-Id', 'app_id'] : ['X-Build-Id', 'build_id'];
  return `${header}: missing. Send it, or ${field} in the query or the form.`;
}

/** As the draft has it, a string of structured fields (RFC 9651), or without quotation marks, as most clients send it. */
const QUOTED = /^"(?:[ !#-[\]-~]|\\["\\]){1,255}"$/;
const PLAIN = /^[!#-~][!-~]{0,254}$/;

/** The key; null without one. Throws `invalid` for a malformed key. */
export function idempotencyKeyOf({ headers }: FastifyRequest, invalid: ErrorCode): string | null {
  const value = headers['idempotency-key'];
  if (value === undefined) return null;
  const text = String(value).trim();
  if (QUOTED.test(text)) return text.slice(1, -1).replace(/\\(["\\])/g, '$1');
  if (PLAIN.test(text)) return text;
  throw new ApiError(invalid, 'Idempotency-Key: not 1 to 255 printable ASCII characters. Send a new UUID.');
}
