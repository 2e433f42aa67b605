// Measures how many crash reports (JSON) per second the server accepts, each stored before its response. The rate is
// compared with that of /health, a constant response, in the seconds before, because other load on the machine affects
// both. `--pairs 15 --seconds 2 --connections 512`.
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { medianOf, note, print, printFigure } from './figures.ts';
import type { LoadResult } from './load.ts';
import { CONSTANT, openGame, postOf, REPORT, send } from './requests.ts';
import { createFolder, type Service, startService } from './service.ts';

const { values } = parseArgs({
  options: {
    pairs: { type: 'string', default: '15' },
    seconds: { type: 'string', default: '2' },
    connections: { type: 'string', default: '512' },
  },
});

const volume = { connections: Number(values.connections), seconds: Number(values.seconds), warmSeconds: 0.5 };

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
  const post = postOf('/api/v1/public/crashes', await openGame(service), REPORT);
  const measure = async () => ({
    constant: await send(service, { request: CONSTANT, status: 200 }, volume),
    crashes: await send(service, { request: post, status: 201 }, volume),
  });
  // A warm-up, which does not count.
  await measure();
  const pairs: Pair[] = [];
  for (let no = 1; no <= Number(values.pairs); no += 1) {
    pairs.push(await measure());
    const { constant, crashes } = pairs.at(-1)!;
    note(`pair ${no}: constant ${describe(constant)}; crash reports ${describe(crashes)}`);
  }
  const median = (of: (pair: Pair) => number) => medianOf(pairs.map(of));
  const rates = [median(({ constant }) => constant.rate), median(({ crashes }) => crashes.rate)] as const;
  print(`constant ${rates[0].toFixed(0)}/s, crash reports ${rates[1].toFixed(0)}/s (medians of ${values.pairs})`);
  print(
    `crash reports: p95 ${median(({ crashes }) => crashes.p95Ms).toFixed(0)} ms at ${values.connections} connections`,
  );
  const ratio = median(({ constant, crashes }) => crashes.rate / constant.rate);
  printFigure('crash reports / constant', ratio, { min: 0.4 });
}

type Pair = { constant: LoadResult; crashes: LoadResult };

function describe({ rate, p50Ms, p95Ms }: LoadResult): string {
  return `${rate.toFixed(0)}/s (p50 ${p50Ms.toFixed(1)} ms, p95 ${p95Ms.toFixed(1)} ms)`;
}
