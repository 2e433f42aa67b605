// What a crash dump costs in processor time, by where it is spent: measured from outside while a service processes
// dumps, and divided by steps with the profiles of its threads and the statistics of PostgreSQL.
import { appendFileSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { locateCluster, urlOf } from '../packages/server/src/kernel/postgres/cluster.ts';

/** Milliseconds of processor time by where they were spent. */
export type Cost = ReadonlyMap<string, number>;

const TICK_MS = 10;
/** The names of threads as Linux knows them. */
const THREADS: Readonly<Record<string, string>> = {
  WorkerThread: 'threads: walks, storing',
  'libuv-worker': 'pool of Node',
  'node-V8Worker': 'V8: garbage, compiling',
};
const MAIN = 'main thread';
const DATABASE = 'PostgreSQL';

/** The processor time of a service so far, by threads, and that of its database. Linux only. */
export function costSoFar(pid: number): Cost {
  const cost = new Map<string, number>();
  const add = (name: string, ms: number) => cost.set(name, (cost.get(name) ?? 0) + ms);
  for (const thread of readdirSync(`/proc/${pid}/task`)) {
    const { name, ms } = readStat(`/proc/${pid}/task/${thread}/stat`);
    add(Number(thread) === pid ? MAIN : (THREADS[name] ?? 'other threads'), ms);
  }
  for (const child of childrenOf(pid)) add(DATABASE, readStat(`/proc/${child}/stat`).ms);
  return cost;
}

function childrenOf(pid: number): number[] {
  const children = readdirSync(`/proc/${pid}/task`).flatMap((thread) =>
    readFileSync(`/proc/${pid}/task/${thread}/children`, 'utf8').split(' ').filter(Boolean).map(Number),
  );
  return children.flatMap((child) => [child, ...childrenOf(child)]);
}

/** The name and the processor time of a process or thread (proc_pid_stat(5)); zero if it has ended meanwhile. */
function readStat(path: string): { name: string; ms: number } {
  try {
    const text = readFileSync(path, 'utf8');
    const end = text.lastIndexOf(')');
    const fields = text.slice(end + 2).split(' ');
    return { name: text.slice(text.indexOf('(') + 1, end), ms: (Number(fields[11]) + Number(fields[12])) * TICK_MS };
  } catch {
    return { name: '', ms: 0 };
  }
}

/** What was spent between two costs, for each of `count` dumps. */
export function costBetween(before: Cost, after: Cost, count: number): Cost {
  return new Map([...after].map(([name, ms]) => [name, (ms - (before.get(name) ?? 0)) / count]));
}

export function sumOf(cost: Cost): number {
  return [...cost.values()].reduce((sum, ms) => sum + ms, 0);
}

/** The step of a function, by the innermost of its callers that belongs to one. */
const STEPS_OF_FILES: readonly (readonly [RegExp, string])[] = [
  [/kernel\/blobs\/(packed|spaces|free-buffer)|node:zlib/, 'compress'],
  [/kernel\/blobs\//, 'store'],
  [/crash\/crashes\/(receive|report)\/|request\/(body|form)/, 'receive'],
  [/process\/(symbol-resolver|stored-symbols)|crash\/symbols\//, 'symbols'],
  [/groups\/facet|process\/(facets|functions)/, 'facets'],
  [/minidump\/src\/signature\/|groups\/grouping|groups\/trace/, 'grouping'],
  [/groups\/(impact|totals)/, 'counters'],
  [/crash\/crashes\/groups\/|processed\.sql|batch-writer|group-commit/, 'record'],
  [/packages\/minidump\//, 'walk'],
  [/crash\/crashes\/(process|text)\//, 'process'],
  [/\/(notify|weekly-summary)\/|game-changes/, 'alerts'],
  [/graphile-worker|held-jobs|\/worker\//, 'jobs'],
  [/node_modules\/(pg|kysely|pg-)/, 'database client'],
  [/fastify|find-my-way|node:_http|node:net|node:internal\/stream|\/http\//, 'HTTP'],
];
const GARBAGE = 'garbage';
/** What threads do when they do nothing, or nothing in JavaScript, or wait for a disk. */
const IDLE = new Set(['(idle)', '(program)', 'fsync', 'fdatasync']);

type Profile = {
  readonly nodes: readonly {
    readonly id: number;
    readonly callFrame: { readonly functionName: string; readonly url: string };
    readonly children?: readonly number[];
  }[];
  readonly startTime: number;
  readonly samples: readonly number[];
  readonly timeDeltas: readonly number[];
};

/** The start and the end in microseconds of `process.hrtime`. */
export type Span = readonly [from: number, to: number];

/** How the time of the main thread and of the other threads is divided into steps, from profiles in `folder`. */
export function sharesOf(folder: string, pid: number, span: Span): { main: Cost; threads: Cost } {
  const [main, threads] = [new Map<string, number>(), new Map<string, number>()];
  for (const name of readdirSync(folder)) {
    const thread = new RegExp(`\\.${pid}\\.(\\d+)\\.\\d+\\.cpuprofile$`).exec(name)?.[1];
    if (thread === undefined) continue;
    addProfile(JSON.parse(readFileSync(join(folder, name), 'utf8')), span, thread === '0' ? main : threads);
  }
  return { main, threads };
}

function addProfile({ nodes, startTime, samples, timeDeltas }: Profile, [from, to]: Span, steps: Map<string, number>) {
  const stepOf = stepsOf(nodes);
  let time = startTime;
  for (const [index, id] of samples.entries()) {
    const delta = timeDeltas[index]!;
    time += delta;
    const step = stepOf.get(id) ?? null;
    if (time >= from && time <= to && step !== null) steps.set(step, (steps.get(step) ?? 0) + delta / 1000);
  }
}

/** The step of each node; null for idle time. */
function stepsOf(nodes: Profile['nodes']): Map<number, string | null> {
  const steps = new Map<number, string | null>();
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const visit = (id: number, outer: string): void => {
    const { callFrame, children = [] } = byId.get(id)!;
    const { functionName, url } = callFrame;
    const own = STEPS_OF_FILES.find(([pattern]) => pattern.test(url))?.[1];
    const step = functionName === '(garbage collector)' ? GARBAGE : (own ?? outer);
    steps.set(id, IDLE.has(functionName) ? null : step);
    for (const child of children) visit(child, step);
  };
  if (nodes[0] !== undefined) visit(nodes[0].id, 'Node');
  return steps;
}

/** Has PostgreSQL measure its statements from its next start on. */
export async function measureStatements(dataFolder: string): Promise<void> {
  const { folder } = await locateCluster(dataFolder);
  appendFileSync(
    join(folder, 'postgresql.auto.conf'),
    "\nshared_preload_libraries = 'pg_stat_statements'\npg_stat_statements.track_planning = on\n",
  );
}

const STEPS_OF_STATEMENTS: readonly (readonly [RegExp, string])[] = [
  [/graphile_worker"?\._?/, 'jobs'],
  [/insert into crash_impact|crash_total/, 'counters'],
  [/crash_facet_values/, 'facets'],
  [/symbols/, 'symbols'],
  [/insert into crash_reports|dump_key" is null|rate_counters/, 'receive'],
  [/crash_groups/, 'record'],
  [/grouping_rules/, 'grouping'],
  [/update crash_reports/, 'process'],
  [/game_changes|alert/, 'alerts'],
];

/**
 * The milliseconds of each step in PostgreSQL while `work` ran: planning and executing, without parsing or committing.
 */
export async function statementsDuring(dataFolder: string, work: () => Promise<void>): Promise<Cost> {
  const client = new pg.Client({ connectionString: urlOf(await locateCluster(dataFolder), 'chauffeur') });
  await client.connect();
  try {
    await client.query('create extension if not exists pg_stat_statements; select pg_stat_statements_reset()');
    await work();
    const { rows } = await client.query<{ query: string; ms: number }>(
      'select query, total_plan_time + total_exec_time as ms from pg_stat_statements',
    );
    const steps = new Map<string, number>();
    for (const { query, ms } of rows) {
      const step = STEPS_OF_STATEMENTS.find(([pattern]) => pattern.test(query))?.[1] ?? 'other';
      steps.set(step, (steps.get(step) ?? 0) + ms);
    }
    return steps;
  } finally {
    await client.end();
  }
}

/** Divides `total` among the steps of `shares`, which are in any unit. */
export function divide(total: number, shares: Cost): Cost {
  const sum = sumOf(shares);
  return new Map([...shares].map(([step, share]) => [step, (total * share) / sum]));
}
