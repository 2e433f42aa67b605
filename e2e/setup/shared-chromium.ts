// One Chromium for all the browser tests of a process: starting it takes longer than most of them.
import { after } from 'node:test';
import type { Browser } from 'playwright-core';
import { startChromium } from './chromium.ts';

let shared: Promise<Browser | null> | undefined;

/** Returns null when no Chromium is installed. */
export function shareChromium(): Promise<Browser | null> {
  shared ??= startChromium();
  return shared;
}

// The hook is at the top of a process, where the suites load this first: the browser outlives the test file that starts
// it.
after(async () => (await shared)?.close());
