// Takes screenshots of every page of the website, at 390, 768, 1280 and 1920 px, light and dark:
// `npm run screenshots -- <folder>`. `--only crashGroup,game` limits the pages, and `--docs` takes the images of the
// documentation, into docs/images.
import { mkdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import type { PageName } from '@chauffeur/contract/pages';
import type { Page } from 'playwright-core';
import sharp from 'sharp';
import { NO_CHROMIUM, startChromium } from './setup/chromium.ts';
import { makeFolder, type ServiceProcess, startService } from './setup/processes.ts';
import { furnish, SHOWROOM_SETTINGS } from './setup/showroom.ts';
import { type Viewport, visitPages } from './setup/visit.ts';

const VIEWPORTS = [
  { width: 1280, height: 900 },
  { width: 390, height: 844 },
  { width: 768, height: 1024 },
  { width: 1920, height: 1080 },
];

const DOCS_IMAGES = fileURLToPath(new URL('../docs/images', import.meta.url));
/** The pages in the documentation, and the height of their images, which end between two parts of the page. */
const IN_DOCS: Partial<Record<PageName, number>> = {
  approve: 710,
  channels: 755,
  crashGroup: 866,
  events: 800,
  game: 858,
  health: 1378,
};

/** Takes the screenshots of the current page. */
type Camera = (page: Page, name: PageName) => Promise<void>;

async function main(): Promise<void> {
  const options = { only: { type: 'string' }, docs: { type: 'boolean', default: false } } as const;
  const { values, positionals } = parseArgs({ options, allowPositionals: true });
  if (values.docs) return takePictures(VIEWPORTS.slice(0, 1), Object.keys(IN_DOCS), takeForDocs);
  const folder = resolve(process.env.INIT_CWD ?? '.', positionals[0] ?? 'screenshots');
  await mkdir(folder, { recursive: true });
  await takePictures(VIEWPORTS, values.only?.split(','), (page, name) => takeBothSchemes(page, join(folder, name)));
}

async function takePictures(viewports: readonly Viewport[], only: readonly string[] | undefined, take: Camera) {
  const browser = await startChromium();
  if (browser === null) throw new Error(NO_CHROMIUM);
  const work = await makeFolder();
  let service: ServiceProcess | undefined;
  try {
    service = await startService(join(work.path, 'data'), SHOWROOM_SETTINGS);
    const { owner, visits } = await furnish(service);
    const wanted = visits.filter(({ page }) => only === undefined || only.includes(page));
    for (const viewport of viewports)
      await visitPages({ service, browser }, { owner, visits: wanted }, viewport, (page, visit) =>
        take(page, visit.page),
      );
  } finally {
    await browser.close();
    await service?.stop();
    await work.remove();
  }
}

async function takeBothSchemes(page: Page, stem: string): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    const path = `${stem}-${page.viewportSize()?.width}-${colorScheme}.png`;
    await page.screenshot({ path, fullPage: true });
    process.stdout.write(`${path}\n`);
  }
}

async function takeForDocs(page: Page, name: PageName): Promise<void> {
  const path = join(DOCS_IMAGES, `${name}.webp`);
  const { width = 0, height = 0 } = page.viewportSize() ?? {};
  await sharp(await page.screenshot({ fullPage: true, clip: { x: 0, y: 0, width, height: IN_DOCS[name] ?? height } }))
    .webp({ quality: 82 })
    .toFile(path);
  process.stdout.write(`${path}\n`);
}

main().catch((error: Error) => {
  process.stderr.write(`screenshots failed: ${error.message}\n`);
  process.exitCode = 1;
});
