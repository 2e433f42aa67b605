// Loads the styles of the components that a page uses, instead of those of the whole library: each component brings its
// own, in the order in which components build on each other.
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { Plugin } from 'vite';

const STYLES = fileURLToPath(new URL('../styles', import.meta.resolve('@mantine/core')));
const ALL = '@mantine/core/styles.layer.css';
/** What the styles of all components need. */
const BASE = ['baseline', 'default-css-variables', 'global'];
/** Colours of the library that the website doesn't use: nearly half of what all pages load as `BASE`. */
const UNUSED_COLOURS = /^\s*--mantine-color-(?:cyan|grape|indigo|lime|orange|pink|violet)-[\w-]+:[^;]*;\n/gm;
const VARIABLES = /@mantine\/core\/styles\/default-css-variables\.layer\.css$/;
/** The class names of a component, which the library keeps in a module of its own. */
const CLASS_NAMES = /@mantine\/core\/esm\/.*\/(\w+)\.module\.mjs$/;

/** In development, the styles of the whole library are loaded. */
export function componentStyles(): Plugin {
  return {
    name: 'component styles',
    apply: 'build',
    enforce: 'pre',
    resolveId: {
      filter: { id: new RegExp(`^${ALL}$`) },
      handler: () => ({ id: '\0component-styles', moduleSideEffects: true }),
    },
    load: {
      filter: { id: /^\0component-styles$/ },
      handler: () => importsOf(BASE),
    },
    transform: {
      filter: { id: [CLASS_NAMES, VARIABLES] },
      async handler(code, id) {
        if (VARIABLES.test(id)) return code.replace(UNUSED_COLOURS, '');
        const [, name = ''] = CLASS_NAMES.exec(id) ?? [];
        // Fails if the library no longer has one file for each module.
        await readFile(pathOf(name));
        return `${importsOf([name])}${code}`;
      },
    },
  };
}

function importsOf(names: readonly string[]): string {
  return names.map((name) => `import ${JSON.stringify(pathOf(name))};\n`).join('');
}

function pathOf(name: string): string {
  return `${STYLES}/${name}.layer.css`;
}
