// Lets browsers load the font of the headings before they have read the styles, because a page that was drawn without it
// keeps the font that it began with. The server removes this from pages that don't use the font.
import type { Plugin } from 'vite';

/** Other characters than those of Western European languages are in a file of their own. */
const FONT = /-latin-700-.*\.woff2$/;

export function preloadFont(): Plugin {
  return {
    name: 'preload font',
    apply: 'build',
    transformIndexHtml: {
      order: 'post',
      handler(_html, { bundle = {} }) {
        const font = Object.keys(bundle).find((name) => FONT.test(name));
        if (font === undefined) throw new Error('the build has no font');
        const attrs = { rel: 'preload', href: `/${font}`, as: 'font', type: 'font/woff2', crossorigin: '' };
        return [{ tag: 'link', attrs, injectTo: 'head' }];
      },
    },
  };
}
