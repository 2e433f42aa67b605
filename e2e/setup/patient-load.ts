// Games and a developer who send the same request until it is acknowledged, while servers fail, and remember what was.
import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { readDumpFixture } from '../../packages/server/test/setup/crash-dumps.ts';
import { zipOfSize } from '../../packages/server/test/setup/uploads.ts';
import type { Studio } from './studio.ts';
import { until } from './until.ts';
import { openSession, sendChunk, sha256 } from './uploads.ts';

export const EVENTS_PER_BATCH = 10;
const DUMP = new Uint8Array(readDumpFixture('nosym_middle'));
const ZIP_BYTES = 400_000;
const CHUNK_BYTES = 100_000;
const RETRY_MS = 50;
/** A request that isn't accepted for so long never will be. */
const GIVE_UP_MS = 120_000;
/** Like the clients of games, for which a silent connection must not last. */
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
export async function reportCrash(next: Next, { gameUid, buildId }: Target): Promise<void> {
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

/** Throws for a refusal that isn't temporary, which no fault of a server may cause. */
async function untilAccepted(subject: string, send: () => Promise<Response>): Promise<void> {
  const deadline = performance.now() + GIVE_UP_MS;
  for (;;) {
    if (performance.now() > deadline) throw new Error(`${subject}: not accepted for ${GIVE_UP_MS / 1000} s`);
    const response = await send().catch(() => undefined);
    const text = await response?.text().catch(() => undefined);
    if (response?.ok === true && text !== undefined) return;
    if (response !== undefined && response.status < 500) throw new Error(`${subject}: ${response.status} ${text}`);
    await wait(RETRY_MS);
  }
}

/**
 * Uploads a zip in chunks, and returns its SHA-256. After a failure, continues where the server says, which has all
 * acknowledged chunks.
 */
export async function ship(next: Next, studio: Studio): Promise<{ version: string; checksum: string }> {
  const zip = zipOfSize(ZIP_BYTES);
  const checksum = sha256(zip);
  const at = () => ({ service: { api: next() }, studio });
  let version = '';
  const session = await until(() => {
    // Nothing is acknowledged yet, so another version may be used.
    version = randomUUID().replaceAll('-', '');
    return openSession(at(), version, zip).catch(() => undefined);
  });
  let acknowledged = 0;
  const deadline = performance.now() + GIVE_UP_MS;
  for (;;) {
    if (performance.now() > deadline) throw new Error(`${version}: not uploaded for ${GIVE_UP_MS / 1000} s`);
    const end = Math.min(acknowledged + CHUNK_BYTES, zip.length);
    const response = await sendChunk(at(), session, zip, acknowledged, end).catch(() => undefined);
    if (response?.status === 201) return { version, checksum };
    if (response?.status === 202) acknowledged = end;
    else {
      const { sessions } = await read<{ sessions: OpenSession[] }>(next, '/tool/upload/sessions', studio);
      const existing = sessions.find(({ session_id: id }) => id === session);
      // The caller compares the build: the response to the last chunk was lost.
      if (existing === undefined) return { version, checksum };
      if (existing.current_size < acknowledged)
        throw new Error(`${existing.current_size} of ${acknowledged} acknowledged bytes of ${version}`);
      acknowledged = existing.current_size;
      await wait(RETRY_MS);
    }
  }
}

type OpenSession = { session_id: string; current_size: number };

/** Asks with the deploy key until there is a response. */
function read<T>(next: Next, path: string, { environment }: Studio): Promise<T> {
  const headers = {
    'x-access-token': environment.SERVICE_ACCESS_TOKEN ?? '',
    'x-secret-key': environment.SERVICE_SECRET_KEY ?? '',
  };
  return until(async () => {
    const response = await fetch(next() + path, { headers }).catch(() => undefined);
    return response?.ok ? ((await response.json()) as { data: T }).data : undefined;
  });
}
