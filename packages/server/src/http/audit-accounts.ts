// Records changes of accounts in the audit log: sign-ins, passwords, addresses, names and sessions.
import type { FastifyRequest } from 'fastify';
import type { Context, User } from '../context.ts';
import { MINUTE } from '../kernel/clock.ts';
import { type Auth, userOfHeaders } from '../people/accounts/accounts.ts';
import { ANONYMOUS_ACTOR, noteActor, record, recordChange, recordDone } from '../request/audit.ts';
import { perContext } from '../request/per-context.ts';

/** They change nothing: they send an email, to an address that may not belong to anyone. */
const UNRECORDED = new Set(['/send-verification-email', '/request-password-reset']);
const SIGN_IN = '/sign-in/';
/** The link in an email. The hooks of accounts note who confirmed it. */
const VERIFICATION = '/verify-email';
/** This many failed sign-ins from one address in a minute are recorded, once. */
const FAILURE_BURST = 10;
const MAX_ADDRESSES = 10_000;

/** Performs `work`, a call of an account route, and records it if it changes something. */
export async function recordAccountChange(
  ctx: Context,
  auth: Auth,
  { request, route }: { request: FastifyRequest; route: string },
  work: () => Promise<Response>,
): Promise<Response> {
  if (request.method !== 'POST' || UNRECORDED.has(route)) return work();
  const cookie = request.headers.cookie ?? '';
  // Read before, because signing out and deleting the account end the session.
  const user = cookie === '' ? null : await userOfHeaders(auth, new Headers({ cookie }));
  const subject = { operation: operationOf(route), changesOnly: true, actor: ANONYMOUS_ACTOR };
  return record(ctx, subject, async () => {
    if (user !== null) noteActor(user);
    const response = await work();
    if (route === VERIFICATION) return response;
    if (response.ok) await noteSuccess(response, { route, user, body: request.body });
    else if (route.startsWith(SIGN_IN) && isBurst(ctx, request.ip)) recordChange('failed_sign_ins', 0, FAILURE_BURST);
    return response;
  });
}

/** `/sign-in/email` becomes `auth.signInEmail`. */
function operationOf(route: string): string {
  const [first = '', ...words] = route.split(/[/-]/).filter((word) => word !== '');
  return `auth.${first}${words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('')}`;
}

type Success = { readonly route: string; readonly user: User | null; readonly body: unknown };

async function noteSuccess(response: Response, { route, user, body }: Success): Promise<void> {
  const answer = (await response
    .clone()
    .json()
    .catch(() => null)) as { user?: { id?: unknown; name?: unknown } } | null;
  const { id, name } = answer?.user ?? {};
  if (user === null && typeof id === 'string' && typeof name === 'string') noteActor({ id, name });
  const newName = (body as { name?: unknown } | null | undefined)?.name;
  if (route === '/update-user' && typeof newName === 'string') recordChange('name', user?.name, newName);
  recordDone();
}

/** The failures of the current minute by address. */
const failuresOf = perContext(() => ({ minute: 0, counts: new Map<string, number>() }));

function isBurst(ctx: Context, address: string): boolean {
  const failures = failuresOf(ctx);
  const minute = Math.floor(ctx.clock.now().getTime() / MINUTE);
  if (failures.minute !== minute || failures.counts.size > MAX_ADDRESSES) failures.counts.clear();
  failures.minute = minute;
  const count = (failures.counts.get(address) ?? 0) + 1;
  failures.counts.set(address, count);
  return count === FAILURE_BURST;
}
