// Checks every page of the website, with content: no serious accessibility problem, no browser error, no horizontal
// scrolling.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { findSeriousProblems } from './setup/accessibility.ts';
import { NO_CHROMIUM } from './setup/chromium.ts';
import { furnish, type Showroom } from './setup/showroom.ts';
import { serveSite } from './setup/site.ts';
import { visitPages } from './setup/visit.ts';

const WIDE = { width: 1280, height: 900 };
const PHONE = { width: 390, height: 844 };
/** The rules about colours. All other rules have the same result in dark mode. */
const COLOUR_RULES = ['color-contrast', 'link-in-text-block'];

describe('every page of the website', () => {
  let showroom: Showroom;
  const site = serveSite(async ({ service }) => {
    showroom = await furnish(service);
  });

  test('is accessible in light and dark mode, and fits a desktop and a phone', async (t) => {
    const { browser, service } = site;
    if (browser === null) return t.skip(NO_CHROMIUM);
    const problems: string[] = [];
    await visitPages({ browser, service }, showroom, WIDE, async (page, visit, errors) => {
      problems.push(...errors.map((error) => `${visit.page}: ${error}`));
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme });
        for (const violation of await findSeriousProblems(page, colorScheme === 'dark' ? COLOUR_RULES : null))
          problems.push(`${visit.page} (${colorScheme}): ${violation}`);
      }
      await page.setViewportSize(PHONE);
      if (await scrollsHorizontally(page)) problems.push(`${visit.page}: wider than a phone`);
      await page.setViewportSize(WIDE);
    });
    assert.deepEqual(problems, []);
  });
});

function scrollsHorizontally(page: Page): Promise<boolean> {
  return page.evaluate(() => document.documentElement.scrollWidth > document.documentElement.clientWidth);
}
