// The pages of documentation, each loaded when it is read.
import { queryOptions } from '@tanstack/react-query';

export type Doc = {
  readonly title: string;
  readonly headings: readonly { readonly id: string; readonly text: string; readonly depth: number }[];
  readonly html: string;
};

/** As packages/web/doc-pages/plugin.ts makes them. */
const MODULES = import.meta.glob<{ doc: Doc }>('../../../../../docs/*.md');

/** Null when there is no such page. */
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
