// Writes the licences of the packages whose code, styles and fonts are in the files of the website, which are copies of them.
import { resolve } from 'node:path';
import type { Plugin } from 'vite';
import { licencesOf } from '../../scripts/release/licences.ts';

/** Below the root of the website. */
const FILE = 'third-party-licences.txt';
const STYLES = /\.css$/;
/** Added by plugins. */
const PARAMETERS = /\?.*$/;

export function thirdParty(): Plugin {
  let root = '';
  return {
    name: 'third-party licences',
    apply: 'build',
    configResolved(config) {
      root = config.root;
    },
    async generateBundle(_options, bundle) {
      const modules = new Set<string>();
      for (const file of Object.values(bundle)) {
        if (file.type === 'asset') for (const name of file.originalFileNames) modules.add(resolve(root, name));
        else
          for (const [id, { renderedLength }] of Object.entries(file.modules)) if (renderedLength > 0) modules.add(id);
      }
      // The code of a module of styles is empty: the styles are in an asset.
      for (const id of this.getModuleIds()) if (STYLES.test(id)) modules.add(id);
      const files = [...modules].map((id) => id.replace(PARAMETERS, ''));
      this.emitFile({ type: 'asset', fileName: FILE, source: await licencesOf(files) });
    },
  };
}
