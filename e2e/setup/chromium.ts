// Starts the installed Chromium for tests.
import { access } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { type Browser, chromium } from 'playwright-core';

/** How a browser that people use names itself. What the tests use says that it is automated. */
export const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';

export const NO_CHROMIUM = 'skipped: chromium not found';

/** The headless shell comes first: it is the same browser without a user interface, and takes half the processor time. */
const NAMES = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];

/** `more` are further options. Returns null if no Chromium is installed; with CI=true, throws instead. */
export async function startChromium(more: readonly string[] = []): Promise<Browser | null> {
  const executablePath = await findProgram();
  if (executablePath === undefined) {
    if (process.env.CI === 'true') throw new Error('chromium not found; install it');
    return null;
  }
  // Chromium's sandbox does not start as root, which CI uses.
  const args = [
    '--no-sandbox',
    '--disable-gpu',
    '--disable-quic',
    '--no-first-run',
    '--disable-background-networking',
    '--disable-sync',
    // Replaces the driver's own list of disabled features, which would turn off partitioned storage in frames.
    '--disable-features=MediaRouter',
    ...more,
  ];
  return chromium.launch({ executablePath, args });
}

async function findProgram(): Promise<string | undefined> {
  const folders = (process.env.PATH ?? '').split(delimiter);
  for (const path of NAMES.flatMap((name) => folders.map((folder) => join(folder, name)))) {
    const exists = await access(path).then(
      () => true,
      () => false,
    );
    if (exists) return path;
  }
  return undefined;
}
