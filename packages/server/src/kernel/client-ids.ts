// Finds out which game and build a request of a game’s client is from: by headers, by the address, or by what the body says.
import type { FastifyRequest } from 'fastify';

export type Ids = { appId: string; buildId: string };

export const NO_GAME_OR_BUILD =
  'There is no such game, or the build is not one of its builds; use the build_id that the registration answered.';

/** X-App-Id and X-Build-Id, else `app_id` and `build_id` of the address, else of the body; empty where nobody says it. */
export function idsOf(request: FastifyRequest, said: Partial<Ids> = {}): Ids {
  const query = request.query as Readonly<Record<string, unknown>>;
  return {
    appId: headerId(request, 'x-app-id') || queryId(query.app_id) || (said.appId ?? '').trim(),
    buildId: headerId(request, 'x-build-id') || queryId(query.build_id) || (said.buildId ?? '').trim(),
  };
}

function headerId(request: FastifyRequest, name: 'x-app-id' | 'x-build-id'): string {
  const value = request.headers[name];
  return typeof value === 'string' ? value.trim() : '';
}

/**
 * A client that adds its own query to an address that has one already may write a second question mark, which then is a part of
 * the last value: `…/unreal?app_id=G&build_id=B?AppID=CrashReporter&AppVersion=…`. An id ends before it.
 */
function queryId(value: unknown): string {
  const text = Array.isArray(value) ? value[0] : value;
  return typeof text === 'string' ? (text.split('?')[0] ?? '').trim() : '';
}

/** Says which of the two is missing; null when both are there. */
export function findMissingId({ appId, buildId }: Ids): string | null {
  if (appId !== '' && buildId !== '') return null;
  const [header, field] = appId === '' ? ['X-App-Id', 'app_id'] : ['X-Build-Id', 'build_id'];
  return `${header}: missing; send it, or ${field} in the address or the form.`;
}
