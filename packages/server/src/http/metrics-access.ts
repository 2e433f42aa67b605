// Decides who may read /metrics: whoever has its token, or without one, programs on the same machine.
import { timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { isLoopbackAddress, isLoopbackName } from '../kernel/loopback.ts';

export type MetricsRequest = {
  /** The other end of the socket, which no header can change. */
  readonly remoteAddress: string | undefined;
  readonly headers: IncomingHttpHeaders;
};

export type MetricsAccess = 'open' | 'token needed' | 'closed';

/** With a token, only the token opens it, from wherever. */
export function metricsAccess(token: string | undefined, request: MetricsRequest): MetricsAccess {
  if (token === undefined) return isSameMachine(request) ? 'open' : 'closed';
  return isToken(token, request.headers.authorization) ? 'open' : 'token needed';
}

/** Headers by which proxies say that they pass somebody else's request on. */
const FORWARDED = ['forwarded', 'via', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'x-real-ip'];

/**
 * A reverse proxy on this machine connects from a loopback address, too. It gives itself away by the headers that it adds, or by the public name
 * in Host, which it has to keep. Host also keeps out pages whose name was made to lead to this machine (DNS rebinding).
 */
function isSameMachine({ remoteAddress, headers }: MetricsRequest): boolean {
  const isForwarded = FORWARDED.some((name) => headers[name] !== undefined);
  return !isForwarded && isLoopbackAddress(remoteAddress ?? '') && isLoopbackName(hostnameOf(headers.host));
}

function hostnameOf(host = ''): string {
  return URL.canParse(`http://${host}`) ? new URL(`http://${host}`).hostname : '';
}

function isToken(token: string, authorization = ''): boolean {
  const [, sent = ''] = /^bearer +(.+)$/i.exec(authorization.trim()) ?? [];
  const [expected, given] = [token, sent].map((text) => Buffer.from(text));
  return expected!.length === given!.length && timingSafeEqual(expected!, given!);
}
