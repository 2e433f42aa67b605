// Decides who may read /metrics: anyone with its token or, without a token, programs on the same machine.
import { timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { isLoopbackAddress, isLoopbackName } from '../kernel/network/loopback.ts';
import { hostnameOf } from '../request/host.ts';

export type MetricsRequest = {
  /** The other end of the socket, which headers cannot change. */
  readonly remoteAddress: string | undefined;
  readonly headers: IncomingHttpHeaders;
};

export type MetricsAccess = 'open' | 'token needed' | 'closed';

/** If a token is set, it is required from everywhere. */
export function metricsAccess(token: string | undefined, request: MetricsRequest): MetricsAccess {
  if (token === undefined) return isSameMachine(request) ? 'open' : 'closed';
  return isToken(token, request.headers.authorization) ? 'open' : 'token needed';
}

/** Headers by which proxies declare that they forward a request. */
const FORWARDED = ['forwarded', 'via', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'x-real-ip'];

/**
 * A reverse proxy on this machine also connects from a loopback address. It is recognized by the headers that it adds,
 * or by the public name in Host, which it has to preserve. Checking Host also excludes pages whose name was made to
 * resolve to this machine (DNS rebinding).
 */
function isSameMachine({ remoteAddress, headers }: MetricsRequest): boolean {
  const isForwarded = FORWARDED.some((name) => headers[name] !== undefined);
  return !isForwarded && isLoopbackAddress(remoteAddress ?? '') && isLoopbackName(hostnameOf(headers));
}

function isToken(token: string, authorization = ''): boolean {
  const [, sent = ''] = /^bearer +(.+)$/i.exec(authorization.trim()) ?? [];
  const [expected, received] = [token, sent].map((text) => Buffer.from(text));
  return expected!.length === received!.length && timingSafeEqual(expected!, received!);
}
