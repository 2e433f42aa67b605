// Lets the website import the pages of docs/, rendered at build time by `renderDoc`.
import { DOC_PAGES } from '@chauffeur/contract/docs';
import type { Plugin } from 'vite';
import { imagePlace, renderDoc } from './render-doc.ts';

const PAGES = new Set(DOC_PAGES.map(({ page }) => page));
const DOC = /\/docs\/[a-z0-9-]+\.md$/;

export function docPages(): Plugin {
  return {
    name: 'pages of docs',
    enforce: 'pre',
    transform(markdown, id) {
      if (!DOC.test(id)) return undefined;
      const { images, html, ...rest } = renderDoc(markdown, PAGES);
      const imports = images.map((path, index) => `import image${index} from ${JSON.stringify(`./${path}`)};`);
      const text = images.reduce(
        (code, _, index) => code.replaceAll(imagePlace(index), `" + image${index} + "`),
        JSON.stringify(html),
      );
      const code = [...imports, `export const doc = { ...${JSON.stringify(rest)}, html: ${text} };`].join('\n');
      return { code, map: null, moduleType: 'js' };
    },
  };
}
