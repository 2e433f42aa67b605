// Games and a developer who send the same request until it is acknowledged, while servers fail, and remember what was.
import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { readDumpFixture } from '../../packages/server/test/setup/crash-dumps.ts';
import type { KeyHolder } from '../../packages/server/test/setup/server.ts';
import { until } from '../../packages/server/test/setup/until.ts';
import { sendChunk, sha256, startSession, zipOfSize } from '../../packages/server/test/setup/uploads.ts';

export const EVENTS_PER_BATCH = 10;
const DUMP = new Uint8Array(readDumpFixture('nosym_middle'));
const ZIP_BYTES = 400_000;
const CHUNK_BYTES = 100_000;
const RETRY_MS = 50;
/** A request that isn't accepted for so long never will be. */
const GIVE_UP_MS = 240_000;
/** Clients of games have one too, because a silent connection must not last. */
const TIMEOUT_MS = 10_000;

/** Returns the server (`…/api/v1`) for the next request. */
export type Next = () => string;
export type Target = { readonly gameUid: string; readonly buildId: string };

/** Sends the same batch until it is accepted, as games do. */
export async function sendEvents(next: Next, { gameUid, buildId }: Target): Promise<void> {
  const device = randomUUID();
  const events = Array.from({ length: EVENTS_PER_BATCH }, () => ({
    event: 'boot_ok',
    device_uid: device,
    ms: 900,
    event_id: randomUUID(),
  }));
  await untilAccepted(`${gameUid} ${buildId}`, () =>
    fetch(`${next()}/public/events?app_id=${gameUid}&build_id=${buildId}`, {
      method: 'POST',
      body: JSON.stringify({ events }),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    }),
  );
}

/** A report with the same id is a repetition. */
export async function reportPatiently(next: Next, { gameUid, buildId }: Target): Promise<void> {
  const id = randomUUID();
  await untilAccepted(id, () => {
    const form = new FormData();
    form.set('metadata', new Blob(['{}'], { type: 'application/json' }));
    form.set('dump', new Blob([DUMP]), `${id}.dmp`);
    const headers = { 'x-app-id': gameUid, 'x-build-id': buildId };
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    return fetch(`${next()}/public/crashes`, { method: 'POST', headers, body: form, signal });
  });
}

/** The error that a fault must not cause, because it doesn't say what clients can do. */
const UNEXPECTED = '"code":5000';

/** Throws for a refusal that isn't temporary, which no fault of a server may cause. */
async function untilAccepted(subject: string, send: () => Promise<Response>): Promise<void> {
  const deadline = performance.now() + GIVE_UP_MS;
  for (;;) {
    if (performance.now() > deadline) throw new Error(`${subject}: not accepted for ${GIVE_UP_MS / 1000} s`);
    const response = await send().catch(() => undefined);
    const text = await response?.text().catch(() => undefined);
    if (response?.ok === true && text !== undefined) return;
    if (response !== undefined && (response.status < 500 || text?.includes(UNEXPECTED)))
      throw new Error(`${subject}: ${response.status} ${text}`);
    await wait(RETRY_MS);
  }
}

/**
 * Uploads a zip in chunks until its upload is acknowledged. After a failure, continues where the server says, which has
 * all acknowledged chunks; begins again only if the session has expired.
 */
export async function shipPatiently(next: Next, studio: KeyHolder, mayExpire = false): Promise<Shipped> {
  const zip = zipOfSize(ZIP_BYTES);
  const checksum = sha256(zip);
  for (;;) {
    let version = '';
    let problem: unknown;
    const session = await until(
      () => {
        // Nothing is acknowledged yet, so another version may be used.
        version = randomUUID().replaceAll('-', '');
        return startSession({ api: next() }, studio, zip, {}, { version }).catch((error) => {
          problem = error;
          return undefined;
        });
      },
      () => `no session for ${GIVE_UP_MS / 1000} s: ${problem}`,
      GIVE_UP_MS,
    );
    const outcome = await finish(next, studio, session, zip);
    if (outcome === 'uploaded') return { version, checksum };
    if (!mayExpire) throw new Error(`the session ${session} of ${version} is lost: ${outcome.lost}`);
  }
}

export type Shipped = { readonly version: string; readonly checksum: string };

async function finish(
  next: Next,
  studio: KeyHolder,
  session: string,
  zip: Buffer,
): Promise<'uploaded' | { lost: string }> {
  let acknowledged = 0;
  const deadline = performance.now() + GIVE_UP_MS;
  while (performance.now() < deadline) {
    const end = Math.min(acknowledged + CHUNK_BYTES, zip.length);
    const response = await sendChunk({ api: next() }, studio, session, zip, acknowledged, end).catch(() => undefined);
    if (response?.status === 201) return 'uploaded';
    if (response?.body.error?.code === 4045) return { lost: JSON.stringify(response.body) };
    if (response?.body.error?.code === 5000) throw new Error(JSON.stringify(response.body));
    if (response?.status === 202) acknowledged = end;
    else {
      const { sessions } = await readSessions(next, studio);
      const existing = sessions.find(({ session_id: id }) => id === session);
      // If it is not listed, it may be finished, with the response lost, which the same chunk gets again. Or it has
      // expired, which the next response says, unless the clock is back by then.
      const received = existing?.current_size ?? acknowledged;
      if (received < acknowledged) throw new Error(`${received} of ${acknowledged} acknowledged bytes of ${session}`);
      acknowledged = received;
      await wait(RETRY_MS);
    }
  }
  throw new Error(`${session}: not uploaded for ${GIVE_UP_MS / 1000} s`);
}

type Sessions = { sessions: { session_id: string; current_size: number }[] };

/** Asks with the deploy key until there is a response. */
function readSessions(next: Next, { keyHeaders }: KeyHolder): Promise<Sessions> {
  return until(async () => {
    const response = await fetch(`${next()}/tool/upload/sessions`, { headers: keyHeaders }).catch(() => undefined);
    return response?.ok ? ((await response.json()) as { data: Sessions }).data : undefined;
  });
}
