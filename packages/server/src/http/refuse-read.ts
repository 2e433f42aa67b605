// Limits how many pages an address opens per minute.
import { ApiError } from '@chauffeur/contract/errors';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Context } from '../context.ts';
import { countPublicRead } from '../request/address-limit.ts';

/**
 * Returns a page of its own if the address exceeded its read limit, since the website could only send more requests;
 * otherwise null.
 */
export function refuseRead(ctx: Context, request: FastifyRequest, reply: FastifyReply): FastifyReply | null {
  try {
    countPublicRead(ctx, request);
    return null;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const seconds = Number(error.data?.retry_after);
    return reply
      .code(error.status)
      .header('retry-after', String(seconds))
      .header('content-type', 'text/html; charset=utf-8')
      .header('content-security-policy', "default-src 'none'; frame-ancestors 'none'")
      .header('cache-control', 'no-store')
      .send(tooManyReads(seconds));
  }
}

function tooManyReads(seconds: number): string {
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Too many requests</title>
<h1>Too many requests</h1>
<p>Too many pages were opened from your network. Try again in ${seconds} ${seconds === 1 ? 'second' : 'seconds'}.</p>
</html>
`;
}
