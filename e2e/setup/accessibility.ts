// Checks the current state of a page for accessibility problems with axe.
import axe from 'axe-core';
import type { Page } from 'playwright-core';

const SERIOUS: readonly unknown[] = ['serious', 'critical'];

/** Describes the serious problems of the page that these rules find, or all rules if null. */
export async function findSeriousProblems(page: Page, rules: readonly string[] | null = null): Promise<string[]> {
  // Loading axe takes longer than some of its rules, so a page loads it once.
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(axe.source);
  const options = { resultTypes: ['violations'], ...(rules !== null && { runOnly: rules }) };
  const { violations } = (await page.evaluate(`axe.run(${JSON.stringify(options)})`)) as axe.AxeResults;
  return violations
    .filter(({ impact }) => SERIOUS.includes(impact))
    .map(
      ({ id, nodes }) =>
        `${id}: ${nodes.map(({ html, any }) => `${html.slice(0, 120)} ${any[0]?.message}`).join(' | ')}`,
    );
}
