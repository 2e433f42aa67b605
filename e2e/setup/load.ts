// Players and a developer who use a service all the time, while the processes that serve it change.
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import type { KeyHolder } from '../../packages/server/test/setup/server.ts';
import { sendChunk, sha256, startSession, zipOfSize } from '../../packages/server/test/setup/uploads.ts';
import { reportByEngine } from './crash-clients.ts';

const PLAYERS = 3;
const EVENTS = 10;
const ZIP_BYTES = 200_000;
const PAUSE_MS = 20;

export type LoadTarget = KeyHolder & {
  readonly gameUid: string;
  readonly slug: string;
  readonly buildId: string;
  readonly dump: Uint8Array<ArrayBuffer>;
};

/** What the servers have acknowledged. */
export type Acknowledged = {
  events: number;
  crashes: number;
  /** The SHA-256 of each version's zip. */
  readonly builds: Map<string, string>;
};

export type Load = {
  readonly acknowledged: Acknowledged;
  /** Sends requests to these servers (`…/api/v1`), in turn. Resolves when no request to others is in progress. */
  use(apis: readonly string[]): Promise<void>;
  /** Resolves when each client has finished `count` more rounds. */
  rounds(count: number): Promise<void>;
  /** Ends when the current rounds have. Like the others, rejects with the first request that failed. */
  stop(): Promise<void>;
};

type Client = { rounds: number; readonly work: () => Promise<void> };

export function startLoad(target: LoadTarget, api: string): Load {
  const acknowledged: Acknowledged = { events: 0, crashes: 0, builds: new Map() };
  const ending = new AbortController();
  const progress = new EventTarget();
  let apis: readonly string[] = [api];
  let turn = 0;
  const next = () => apis[turn++ % apis.length]!;
  const clients: readonly Client[] = [
    ...Array.from({ length: PLAYERS }, () => () => sendEvents(target, next(), acknowledged)),
    () => reportCrash(target, next(), acknowledged),
    () => ship(target, next, acknowledged),
    () => visit(target, next()),
  ].map((work) => ({ rounds: 0, work }));
  const running = Promise.all(
    clients.map(async (client) => {
      while (!ending.signal.aborted) {
        await client.work();
        client.rounds += 1;
        progress.dispatchEvent(new Event('round'));
        await wait(PAUSE_MS);
      }
    }),
  );
  // A failure ends the other clients, and is reported by the next call.
  running.catch(() => ending.abort());

  async function rounds(count: number): Promise<void> {
    const goals = clients.map((client) => client.rounds + count);
    const areDone = () => clients.every((client, index) => client.rounds >= goals[index]!);
    while (!areDone()) await Promise.race([once(progress, 'round'), running]);
  }
  return {
    acknowledged,
    rounds,
    async use(chosen) {
      apis = chosen;
      // Afterwards, each client has ended the round that it was in.
      await rounds(1);
    },
    async stop() {
      ending.abort();
      await running;
    },
  };
}

async function sendEvents(target: LoadTarget, api: string, acknowledged: Acknowledged): Promise<void> {
  const device = randomUUID();
  const events = Array.from({ length: EVENTS }, () => ({
    event: 'boot_ok',
    device_uid: device,
    ms: 900,
    event_id: randomUUID(),
  }));
  await ask(`${api}/public/events?app_id=${target.gameUid}&build_id=${target.buildId}`, {
    method: 'POST',
    body: JSON.stringify({ events }),
  });
  acknowledged.events += EVENTS;
}

async function reportCrash(target: LoadTarget, api: string, acknowledged: Acknowledged): Promise<void> {
  await reportByEngine({ ...target, api }, {}, target.dump, randomUUID());
  acknowledged.crashes += 1;
}

/** Each request of an upload goes to the next server. */
async function ship(target: LoadTarget, next: () => string, acknowledged: Acknowledged): Promise<void> {
  const version = randomUUID().replaceAll('-', '');
  const zip = zipOfSize(ZIP_BYTES);
  const session = await startSession({ api: next() }, target, zip, {}, { version });
  for (const [start, end] of [
    [0, ZIP_BYTES / 2],
    [ZIP_BYTES / 2, zip.length],
  ] as const) {
    const { status, body } = await sendChunk({ api: next() }, target, session, zip, start, end);
    if (status !== (end === zip.length ? 201 : 202)) throw new Error(`a chunk got ${status}: ${JSON.stringify(body)}`);
  }
  acknowledged.builds.set(version, sha256(zip));
}

async function visit({ slug }: LoadTarget, api: string): Promise<void> {
  await ask(`${api}/public/games/${slug}`);
  await ask(new URL(`/g/${slug}`, api).href, { headers: { accept: 'text/html' } });
}

async function ask(url: string, init?: RequestInit): Promise<void> {
  const response = await fetch(url, init);
  const text = await response.text();
  if (!response.ok) throw new Error(`${url} returned ${response.status}: ${text}`);
}
