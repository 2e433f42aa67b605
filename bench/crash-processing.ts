// Measures the time from the last byte of a 2 MB dump until its report is in a group, for single dumps and for 50 dumps
// per second, and what a dump costs in processor time, by step. The symbols are compiled beforehand.
// `--alone 60 --rate 50 --seconds 20`. `--before <folder>` compares with an older checkout, in turns.
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { Agent, request } from 'node:http';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import {
  type Cost,
  costBetween,
  costSoFar,
  divide,
  measureStatements,
  sharesOf,
  statementsDuring,
  sumOf,
} from './dump-cost.ts';
import { medianOf, note, print, printFigure } from './figures.ts';
import { prepareDump } from './prepare-dump.ts';
import { callApi, openGame, signIn } from './requests.ts';
import { createFolder, type Service, startService } from './service.ts';

const { values } = parseArgs({
  options: {
    alone: { type: 'string', default: '60' },
    rate: { type: 'string', default: '50' },
    seconds: { type: 'string', default: '20' },
    before: { type: 'string' },
  },
});

const DUMP_BYTES = 2_000_000;
const DEADLINE_MS = 120_000;
const [WARM_RATE, WARM_SECONDS] = [20, 5];
/** Time between two polls. The measured times are longer by half of it on average. */
const POLL_MS = { alone: 5, concurrent: 100, cost: 500 };

/** Well below what two cores can take, so nothing is done in larger batches because of a queue. */
const COST_RATE = 15;
const COST_SECONDS = 10;
const COST_ROUNDS = 3;
/** The largest share of the sum that a step may take: a quarter more than measured. */
const BUDGETS: Readonly<Record<string, number>> = {
  ...{ compress: 0.2, garbage: 0.17, HTTP: 0.15, counters: 0.13, walk: 0.13, 'database client': 0.1, Node: 0.08 },
  ...{ process: 0.08, store: 0.1, receive: 0.06, symbols: 0.05, jobs: 0.06, record: 0.03, grouping: 0.03 },
  ...{ facets: 0.01, alerts: 0.01, other: 0.04 },
};
const PROGRAM = 'packages/server/src/main.ts';
const PROFILE_OPTIONS = ['--cpu-prof', '--cpu-prof-interval', '500'];

type Target = {
  service: Service;
  api: string;
  headers: Record<string, string>;
  dump: Buffer;
  /** The number of reports in the game's groups, read over the API. */
  countGrouped(): Promise<number>;
};

const folder = await createFolder();
const agent = new Agent({ keepAlive: true });
try {
  const service = await startService(join(folder, 'data'));
  try {
    await measure(await prepare(service));
  } finally {
    await service.stop();
  }
  const cost = await compareCosts();
  await printSteps(cost);
} finally {
  agent.destroy();
  await rm(folder, { recursive: true, force: true });
}

/** Prints the processor time of a dump by where it is spent, next to that of the older checkout, and returns it. */
async function compareCosts(): Promise<Cost> {
  const programs = [undefined, ...(values.before === undefined ? [] : [join(values.before, PROGRAM)])];
  const targets: Target[] = [];
  try {
    for (const [index, program] of programs.entries())
      targets.push(await prepare(await startService(join(folder, `cost-${index}`), { program })));
    const costs = targets.map((): Cost[] => []);
    for (const target of targets) await processMany(target);
    for (let round = 0; round < COST_ROUNDS; round++)
      for (const [index, target] of targets.entries()) costs[index]!.push(await measureCost(target));
    const [now, before] = costs.map(medianCost);
    print(`processor time of a dump at ${COST_RATE} a second (ms)${before === undefined ? '' : ', and before'}`);
    for (const [where, ms] of now!) printRow(where, ms, before?.get(where));
    printRow('sum', sumOf(now!), before && sumOf(before));
    if (before !== undefined) printFigure('cost / before', sumOf(now!) / sumOf(before), { below: 1 });
    return now!;
  } finally {
    for (const { service } of targets) await service.stop();
  }
}

function printRow(name: string, ms: number, before?: number): void {
  print(`  ${name.padEnd(26)}${ms.toFixed(2).padStart(7)}${before === undefined ? '' : before.toFixed(2).padStart(8)}`);
}

async function measureCost(target: Target): Promise<Cost> {
  const begun = costSoFar(target.service.pid);
  await processMany(target);
  return costBetween(begun, costSoFar(target.service.pid), COST_RATE * COST_SECONDS);
}

/** Looks rarely whether all dumps are processed, because lists of groups cost processor time, too. */
async function processMany(target: Target): Promise<void> {
  const count = COST_RATE * COST_SECONDS;
  const start = await target.countGrouped();
  await sendMany(target, COST_RATE, COST_SECONDS);
  await untilCounted(target, start + count, POLL_MS.cost);
}

function medianCost(costs: readonly Cost[]): Cost {
  const names = new Set(costs.flatMap((cost) => [...cost.keys()]));
  return new Map([...names].map((name) => [name, medianOf(costs.map((cost) => cost.get(name) ?? 0))]));
}

/** Divides the cost among the steps of a dump, and compares each with its budget. */
async function printSteps(cost: Cost): Promise<void> {
  const data = join(folder, 'steps');
  const profiles = join(folder, 'profiles');
  await (await startService(data)).stop();
  await measureStatements(data);
  const service = await startService(data, { nodeOptions: [...PROFILE_OPTIONS, '--cpu-prof-dir', profiles] });
  let span: [number, number] = [0, 0];
  let statements: Cost;
  try {
    const target = await prepare(service);
    await processMany(target);
    statements = await statementsDuring(data, async () => {
      const from = Number(process.hrtime.bigint() / 1000n);
      await processMany(target);
      span = [from, Number(process.hrtime.bigint() / 1000n)];
    });
  } finally {
    await service.stop();
  }
  const { main, threads } = sharesOf(profiles, service.pid, span);
  const steps = new Map<string, number>();
  const add = (shares: Cost) => {
    for (const [step, ms] of shares) steps.set(step, (steps.get(step) ?? 0) + ms);
  };
  add(divide(cost.get('main thread') ?? 0, main));
  add(divide(cost.get('threads: walks, storing') ?? 0, threads));
  add(divide(cost.get('PostgreSQL') ?? 0, statements));
  add(new Map([['Node', cost.get('pool of Node') ?? 0]]));
  add(new Map([['garbage', cost.get('V8: garbage, compiling') ?? 0]]));
  print('by step (ms, share of the sum, and its budget)');
  const sum = sumOf(steps);
  for (const [step, ms] of [...steps].sort(([, a], [, b]) => b - a)) {
    const budget = BUDGETS[step] ?? BUDGETS.other!;
    const share = ms / sum;
    print(
      `  ${step.padEnd(18)}${ms.toFixed(2).padStart(7)}  ${(share * 100).toFixed(1).padStart(5)} %  ${(budget * 100).toFixed(0).padStart(3)} %${share > budget ? ' MISSED' : ''}`,
    );
  }
}

async function measure(target: Target): Promise<void> {
  for (let warm = 0; warm < 5; warm++) await timeAlone(target);
  const alone: number[] = [];
  for (let run = 0; run < Number(values.alone); run++) alone.push(await timeAlone(target));
  note(`alone: ${describe(alone)}`);
  // Starts all threads, as in a service that is already busy.
  await timeConcurrent(target, WARM_RATE, WARM_SECONDS);
  const { times: concurrent, rate } = await timeConcurrent(target, Number(values.rate), Number(values.seconds));
  print(`alone: ${describe(alone)}; ${rate.toFixed(0)} a second: ${describe(concurrent)}`);
  printFigure('p95 alone', percentile(alone, 0.95), { below: 500 }, { unit: ' ms', digits: 0 });
  printFigure(
    `p95 with ${values.rate} a second`,
    percentile(concurrent, 0.95),
    { below: 2000 },
    { unit: ' ms', digits: 0 },
  );
}

/** The milliseconds from the last byte of one dump until its report is in its group. */
async function timeAlone(target: Target): Promise<number> {
  const before = await target.countGrouped();
  const lastByte = await sendReport(target);
  await untilCounted(target, before + 1);
  return performance.now() - lastByte;
}

/**
 * The same for many dumps that arrive at this rate. Reports are matched by order: the first dump that was sent belongs
 * to the first report that is counted. Polling each report would take more work than processing it.
 */
async function timeConcurrent(
  target: Target,
  rate: number,
  seconds: number,
): Promise<{ times: number[]; rate: number }> {
  const start = await target.countGrouped();
  const ends = watchCount(target, start, rate * seconds);
  const lastBytes = (await sendMany(target, rate, seconds)).toSorted((a, b) => a - b);
  const took = (lastBytes.at(-1)! - lastBytes[0]!) / 1000;
  const counted = await ends;
  return { times: counted.map((end, index) => end - lastBytes[index]!), rate: (rate * seconds) / took };
}

/** Returns the times at which the last bytes were sent. */
async function sendMany(target: Target, rate: number, seconds: number): Promise<number[]> {
  const requests: Promise<number>[] = [];
  const begun = performance.now();
  for (let no = 0; no < rate * seconds; no++) {
    requests.push(sendReport(target));
    await wait(Math.max(0, begun + ((no + 1) * 1000) / rate - performance.now()));
  }
  return Promise.all(requests);
}

/** The times at which each of the next `count` reports was counted. */
async function watchCount(target: Target, start: number, count: number): Promise<number[]> {
  const times: number[] = [];
  while (times.length < count) {
    const now = (await target.countGrouped()) - start;
    while (times.length < now) times.push(performance.now());
    await wait(POLL_MS.concurrent);
  }
  return times;
}

async function untilCounted(target: Target, count: number, pollMs = POLL_MS.alone): Promise<void> {
  for (const deadline = performance.now() + DEADLINE_MS; (await target.countGrouped()) < count; ) {
    if (performance.now() > deadline) throw new Error('a report did not get a group in time');
    await wait(pollMs);
  }
}

/** Reports a crash and sends its dump. Returns the time at which the last byte was sent. */
async function sendReport(target: Target): Promise<number> {
  const { uploads } = await postJson<Created>(target, '/public/crashes', { has_dump: true });
  return put(uploads.dump.url, target.dump);
}

type Created = { uploads: { dump: { url: string } } };

/** Sends the dump. Returns the time at which the last byte was passed to the operating system. */
async function put(url: string, dump: Buffer): Promise<number> {
  const sending = request(url, { method: 'PUT', agent, headers: { 'content-length': dump.length } });
  sending.end(dump);
  const answered = once(sending, 'response');
  await once(sending, 'finish');
  const lastByte = performance.now();
  const [response] = await answered;
  response.resume();
  if (response.statusCode !== 200) throw new Error(`the upload of the dump returned ${response.statusCode}`);
  await once(response, 'end');
  return lastByte;
}

/** Creates a game with a build, compiles the symbols of the build, and writes a dump of its program. */
async function prepare(service: Service): Promise<Target> {
  const { game, build, keys } = await openGame(service);
  const api = `${service.url}/api/v1`;
  const dump = await prepareDump(api, { build, keys }, folder, DUMP_BYTES);
  const get = await signIn(service);
  return {
    service,
    api,
    headers: { 'x-app-id': game, 'x-build-id': build },
    dump,
    async countGrouped() {
      const list = (await get(`/games/${game}/crash-groups`)) as { groups: { count: number }[] };
      return list.groups.reduce((sum, { count }) => sum + count, 0);
    },
  };
}

function postJson<T>({ api, headers }: Pick<Target, 'api' | 'headers'>, path: string, body: object): Promise<T> {
  const all = { ...headers, 'content-type': 'application/json' };
  return callApi(`${api}${path}`, { method: 'POST', headers: all, body: JSON.stringify(body) });
}

function describe(times: readonly number[]): string {
  const format = (share: number) => `${percentile(times, share).toFixed(0)} ms`;
  return `p50 ${format(0.5)}, p95 ${format(0.95)}, at most ${format(1)}`;
}

function percentile(times: readonly number[], share: number): number {
  return times.toSorted((a, b) => a - b)[Math.max(0, Math.ceil(times.length * share) - 1)] ?? Number.NaN;
}
