// Finds out which game and build a crash is from: by headers, by the address, or by what the body says.
import type { FastifyRequest } from 'fastify';

export type Ids = { appId: string; buildId: string };

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
