// Finds links between the pages of the documentation that lead nowhere.
import type { RenderedDoc } from './render-doc.ts';

/** Describes each broken link: its page, and what it leads to. */
export function findBrokenLinks(docs: ReadonlyMap<string, RenderedDoc>): string[] {
  const anchors = new Map([...docs].map(([name, { headings }]) => [name, new Set(headings.map(({ id }) => id))]));
  return [...docs].flatMap(([name, { html }]) =>
    [...html.matchAll(/href="(?:\/docs\/([a-z0-9-]+))?(?:#([^"]*))?"/g)]
      .filter(([, page = name, anchor]) => anchor !== undefined && !anchors.get(page)?.has(anchor))
      .map(([, page = name, anchor]) => `${name} links to ${page}#${anchor}`),
  );
}
