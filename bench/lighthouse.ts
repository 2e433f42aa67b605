// Measures pages as Lighthouse sees them on a phone, with content and an empty cache: scores, what they load, and how much
// they shift. `--runs 5`, `--only game,crashGroup`, `--json FILE` writes every run.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { PAGES, type PageName } from '@chauffeur/contract/pages';
import lighthouse from 'lighthouse';
import { NO_CHROMIUM, startChromium } from '../e2e/setup/chromium.ts';
import { makeFolder, type ServiceProcess, startService } from '../e2e/setup/processes.ts';
import { furnish, type Visit } from '../e2e/setup/showroom.ts';
import { findFreePort } from '../packages/server/test/setup/free-port.ts';
import { medianOf, note, print, printFigure } from './figures.ts';

const PUBLIC = ['home', 'browse', 'game', 'file', 'developer', 'docs', 'doc'] as const satisfies readonly PageName[];
const PRIVATE = ['crashGroup'] as const satisfies readonly PageName[];
const CATEGORIES = ['performance', 'accessibility', 'best-practices', 'seo'] as const;

type Run = {
  readonly scores: Readonly<Record<string, number>>;
  readonly firstByteMs: number;
  readonly lcpMs: number;
  readonly shift: number;
  readonly requests: number;
  /** Compressed, as transferred. Images are counted apart: they belong to the game, not to the page. */
  readonly scriptKb: number;
  readonly codeKb: number;
  readonly imageKb: number;
};

const { values } = parseArgs({
  options: { runs: { type: 'string', default: '5' }, only: { type: 'string' }, json: { type: 'string' } },
});
const wanted: readonly string[] = values.only?.split(',') ?? [...PUBLIC, ...PRIVATE];

const port = await findFreePort();
const browser = await startChromium([`--remote-debugging-port=${port}`]);
if (browser === null) throw new Error(NO_CHROMIUM);
const work = await makeFolder();
let service: ServiceProcess | undefined;
try {
  service = await startService(join(work.path, 'data'), { CHAUFFEUR_LIMIT_READS: '0', CHAUFFEUR_LIMIT_PUBLIC: '0' });
  const { owner, visits } = await furnish(service);
  const results: Record<string, readonly Run[]> = {};
  for (const page of wanted) {
    const visit = visits.find((each) => each.page === page);
    if (visit === undefined) throw new Error(`there is no page ${page}`);
    const isPrivate = (PRIVATE as readonly string[]).includes(page);
    results[page] = await measurePage(service.url, visit, isPrivate ? owner.session.cookie : undefined);
    if (isPrivate) printPrivate(page, results[page]);
    else printPublic(page, results[page]);
  }
  if (values.json !== undefined) await writeFile(values.json, JSON.stringify(results, null, 1));
} finally {
  await browser.close();
  await service?.stop();
  await work.remove();
}

async function measurePage(url: string, { page, path }: Visit, cookie: string | undefined): Promise<Run[]> {
  const runs: Run[] = [];
  for (let no = 1; no <= Number(values.runs); no += 1) {
    // A page of search results asks search engines not to index it.
    const run = await measureOnce(url + (page === 'browse' ? PAGES.browse : path), cookie);
    note(`${page} ${no}: ${JSON.stringify(run)}`);
    runs.push(run);
  }
  return runs;
}

async function measureOnce(address: string, cookie: string | undefined): Promise<Run> {
  const result = await lighthouse(address, {
    port,
    output: 'json',
    logLevel: 'error',
    onlyCategories: [...CATEGORIES],
    ...(cookie !== undefined && { extraHeaders: { cookie } }),
  });
  if (result === undefined) throw new Error(`Lighthouse returned nothing for ${address}`);
  const { audits, categories } = result.lhr;
  const { accessibility } = categories;
  for (const { id } of accessibility?.auditRefs ?? []) if (audits[id]?.score === 0) note(`${address}: ${id}`);
  const numberOf = (audit: string) => audits[audit]?.numericValue ?? Number.NaN;
  const { items = [] } = (audits['network-requests']?.details ?? {}) as { items?: readonly Loaded[] };
  const kbOf = (types: readonly string[]) =>
    items.filter(({ resourceType }) => types.includes(resourceType)).reduce((sum, each) => sum + each.transferSize, 0) /
    1000;
  return {
    scores: Object.fromEntries(CATEGORIES.map((name) => [name, 100 * (categories[name]?.score ?? 0)])),
    firstByteMs: numberOf('server-response-time'),
    lcpMs: numberOf('largest-contentful-paint'),
    shift: numberOf('cumulative-layout-shift'),
    requests: items.length,
    scriptKb: kbOf(['Script']),
    codeKb: kbOf(['Document', 'Script', 'Stylesheet', 'Fetch', 'XHR']),
    imageKb: kbOf(['Image']),
  };
}

type Loaded = { readonly resourceType: string; readonly transferSize: number };

function printPublic(page: string, runs: readonly Run[]): void {
  printFigure(`${page}: performance`, scoreOf(runs, 'performance'), { min: 90 }, { digits: 0 });
  for (const name of CATEGORIES.slice(1))
    printFigure(`${page}: ${name}`, scoreOf(runs, name), { min: 100 }, { digits: 0 });
  printFigure(`${page}: JavaScript`, median(runs, 'scriptKb'), { below: 60 }, { unit: ' kB', digits: 1 });
  printShift(page, runs);
  printRest(page, runs);
}

function printPrivate(page: string, runs: readonly Run[]): void {
  printFigure(`${page}: code and data`, median(runs, 'codeKb'), { below: 200 }, { unit: ' kB', digits: 1 });
  printFigure(`${page}: requests`, median(runs, 'requests'), { below: 26 }, { digits: 0 });
  printShift(page, runs);
  print(`${page}: performance = ${scoreOf(runs, 'performance').toFixed(0)}`);
  printRest(page, runs);
}

function printShift(page: string, runs: readonly Run[]): void {
  printFigure(`${page}: layout shift`, median(runs, 'shift'), { below: 0.02 }, { digits: 3 });
}

function printRest(page: string, runs: readonly Run[]): void {
  const [lcp, firstByte] = [median(runs, 'lcpMs'), median(runs, 'firstByteMs')];
  const [code, image] = [median(runs, 'codeKb'), median(runs, 'imageKb')];
  print(
    `${page}: LCP ${(lcp / 1000).toFixed(1)} s, first byte ${firstByte.toFixed(0)} ms, ${median(runs, 'requests')} requests, ` +
      `${code.toFixed(0)} kB without images, images ${image.toFixed(0)} kB`,
  );
}

function scoreOf(runs: readonly Run[], name: string): number {
  return medianOf(runs.map(({ scores }) => scores[name] ?? 0));
}

function median(runs: readonly Run[], name: Exclude<keyof Run, 'scores'>): number {
  return medianOf(runs.map((run) => run[name]));
}
