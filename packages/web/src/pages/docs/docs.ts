// Loads the pages of the documentation on demand.
import { queryOptions } from '@tanstack/react-query';

export type Doc = {
  readonly title: string;
  readonly headings: readonly { readonly id: string; readonly text: string; readonly depth: number }[];
  readonly html: string;
};

/** Built by packages/web/doc-pages/plugin.ts. */
const MODULES = import.meta.glob<{ doc: Doc }>('../../../../../docs/*.md');

/** The query returns null if the page doesn't exist. */
export function docQuery(page: string) {
  return queryOptions({
    queryKey: ['doc', page] as const,
    queryFn: async (): Promise<Doc | null> => {
      const load = MODULES[`../../../../../docs/${page}.md`];
      return load === undefined ? null : (await load()).doc;
    },
    staleTime: Number.POSITIVE_INFINITY,
  });
}
