// Checks the current state of a page for accessibility problems with axe.
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type axe from 'axe-core';
import type { Page } from 'playwright-core';

const AXE = fileURLToPath(import.meta.resolve('axe-core/axe.min.js'));
const SERIOUS: readonly unknown[] = ['serious', 'critical'];
/** What these rules find is never serious, and they take a third of the time. */
const MODERATE = [
  ...['heading-order', 'page-has-heading-one', 'region', 'skip-link'],
  ...['landmark-banner-is-top-level', 'landmark-complementary-is-top-level', 'landmark-contentinfo-is-top-level'],
  ...['landmark-main-is-top-level', 'landmark-no-duplicate-banner', 'landmark-no-duplicate-contentinfo'],
  ...['landmark-no-duplicate-main', 'landmark-one-main', 'landmark-unique'],
];
const WITHOUT_MODERATE = Object.fromEntries(MODERATE.map((rule) => [rule, { enabled: false }]));

/** Describes the serious problems of the page that these rules find, or all rules if null. */
export async function findSeriousProblems(page: Page, rules: readonly string[] | null = null): Promise<string[]> {
  // Loading axe takes longer than some of its rules, so a page loads it once.
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(await readFile(AXE, 'utf8'));
  const options = {
    resultTypes: ['violations'],
    ...(rules === null ? { rules: WITHOUT_MODERATE } : { runOnly: rules }),
  };
  const { violations } = (await page.evaluate(`axe.run(${JSON.stringify(options)})`)) as axe.AxeResults;
  return violations
    .filter(({ impact }) => SERIOUS.includes(impact))
    .map(
      ({ id, nodes }) =>
        `${id}: ${nodes.map(({ html, any }) => `${html.slice(0, 120)} ${any[0]?.message}`).join(' | ')}`,
    );
}
