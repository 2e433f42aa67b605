// Measures how many crash reports per second the server accepts, each stored before its response: in our JSON, and in the
// envelopes of Sentry's SDKs. The rates are compared with that of /health, a constant response, in the seconds before,
// because other load on the machine affects all. Between two measurements, the reports of the first are grouped, so that
// the second isn't slower because of them. Envelopes that come faster than the server takes them are deferred; how long
// it needs until all are grouped is measured, too. `--pairs 15 --seconds 2 --connections 512`.
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { medianOf, note, print, printFigure } from './figures.ts';
import type { LoadResult } from './load.ts';
import {
  CONSTANT,
  envelopeOf,
  IDEMPOTENCY,
  openGame,
  postEnvelopeOf,
  postOf,
  REPORT,
  STACK_REPORT,
  send,
  signIn,
} from './requests.ts';
import { createFolder, type Service, startService } from './service.ts';

const { values } = parseArgs({
  options: {
    pairs: { type: 'string', default: '15' },
    seconds: { type: 'string', default: '2' },
    connections: { type: 'string', default: '512' },
  },
});

const volume = { connections: Number(values.connections), seconds: Number(values.seconds), warmSeconds: 0.5 };

const POLL_MS = 100;
/** Reports that aren't grouped after this time, in which no other was, are lost. */
const LOST_MS = 60_000;

const folder = await createFolder();
try {
  const service = await startService(join(folder, 'data'));
  try {
    await compare(service);
  } finally {
    await service.stop();
  }
} finally {
  await rm(folder, { recursive: true, force: true });
}

async function compare(service: Service): Promise<void> {
  const game = await openGame(service);
  const post = postOf('/api/v1/public/crashes', game, REPORT);
  const postStack = postOf('/api/v1/public/crashes', game, STACK_REPORT, IDEMPOTENCY);
  const { dsn = '' } = service.admin(['dsn', '--game', game.game]);
  const envelope = postEnvelopeOf(dsn, envelopeOf({ release: 'racer@1.4.2' }));
  const untilGrouped = await createWait(service, game.game);
  let sent = { stacks: 0, envelopes: 0 };
  let reports = 0;
  const measure = async () => {
    const constant = await send(service, { request: CONSTANT, status: 200 }, volume);
    const crashes = await send(service, { request: post, status: 201 }, volume);
    const stacks = await send(service, { request: postStack, status: 201, firstNo: sent.stacks }, volume);
    // Reports without a stack have no group.
    reports += stacks.sent - sent.stacks;
    await untilGrouped(reports);
    const begin = performance.now();
    const envelopes = await send(service, { request: envelope, status: 200, firstNo: sent.envelopes }, volume);
    reports += envelopes.sent - sent.envelopes;
    await untilGrouped(reports);
    const grouped = (envelopes.sent - sent.envelopes) / ((performance.now() - begin) / 1000);
    sent = { stacks: stacks.sent, envelopes: envelopes.sent };
    return { constant, crashes, stacks, envelopes, grouped };
  };
  // A warm-up, which does not count.
  await measure();
  const pairs: Pair[] = [];
  for (let no = 1; no <= Number(values.pairs); no += 1) {
    pairs.push(await measure());
    const { constant, crashes, stacks, envelopes, grouped } = pairs.at(-1)!;
    note(
      `pair ${no}: constant ${describe(constant)}; crash reports ${describe(crashes)}; stacks ${describe(stacks)}; ` +
        `envelopes ${describe(envelopes)}, grouped ${grouped.toFixed(0)}/s`,
    );
  }
  const median = (of: (pair: Pair) => number) => medianOf(pairs.map(of));
  const rates = [median(({ constant }) => constant.rate), median(({ crashes }) => crashes.rate)] as const;
  print(`constant ${rates[0].toFixed(0)}/s, crash reports ${rates[1].toFixed(0)}/s (medians of ${values.pairs})`);
  print(
    `crash reports: p95 ${median(({ crashes }) => crashes.p95Ms).toFixed(0)} ms at ${values.connections} connections`,
  );
  print(
    `envelopes: ${median(({ envelopes }) => envelopes.rate).toFixed(0)}/s, grouped ${median(({ grouped }) => grouped).toFixed(0)}/s`,
  );
  const ratio = median(({ constant, crashes }) => crashes.rate / constant.rate);
  printFigure('crash reports / constant', ratio, { min: 0.4 });
  printFigure(
    "envelopes of Sentry's SDKs / crash reports with the same stack",
    median(({ stacks, envelopes }) => envelopes.rate / stacks.rate),
    { min: 1 },
  );
}

/** Returns a function that waits until the game has so many grouped reports, all that were accepted. */
async function createWait(service: Service, game: string): Promise<(reports: number) => Promise<void>> {
  const get = await signIn(service);
  return async (reports) => {
    let [grouped, since] = [-1, performance.now()];
    while (grouped < reports) {
      const count = ((await get(`/games/${game}/crash-group-counts`)) as { reports: number }).reports;
      if (count !== grouped) [grouped, since] = [count, performance.now()];
      else if (performance.now() - since > LOST_MS) throw new Error(`${reports - grouped} reports were lost`);
      await wait(POLL_MS);
    }
  };
}

type Pair = { constant: LoadResult; crashes: LoadResult; stacks: LoadResult; envelopes: LoadResult; grouped: number };

function describe({ rate, p50Ms, p95Ms }: LoadResult): string {
  return `${rate.toFixed(0)}/s (p50 ${p50Ms.toFixed(1)} ms, p95 ${p95Ms.toFixed(1)} ms)`;
}
