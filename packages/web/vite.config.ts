// Builds the website into dist/, from where the server serves it. Files are compressed at build time, not per request.
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';
import { CHUNKS } from './chunks.ts';
import { docPages } from './doc-pages/plugin.ts';
import { slimContract } from './slim-contract.ts';
import { componentStyles, copiedModules, preloadFont, programTexts, publicPages, thirdParty } from './vite-plugins.ts';

const PACKED = /\.(js|css|svg)$/;

function packFiles(): Plugin {
  let folder = '';
  return {
    name: 'pack files',
    apply: 'build',
    configResolved(config) {
      folder = resolve(config.root, config.build.outDir);
    },
    async closeBundle() {
      for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
        // HTML is not packed, because the server fills it in.
        if (!entry.isFile() || !PACKED.test(entry.name)) continue;
        const path = join(entry.parentPath, entry.name);
        const bytes = await readFile(path);
        await Promise.all([
          writeFile(`${path}.br`, brotliCompressSync(bytes)),
          writeFile(`${path}.gz`, gzipSync(bytes, { level: 9 })),
        ]);
      }
    },
  };
}

const service = `http://127.0.0.1:${process.env.CHAUFFEUR_PORT ?? 4000}`;

// biome-ignore lint/style/noDefaultExport: Vite reads its settings from the default export
export default defineConfig({
  plugins: [
    docPages(),
    publicPages(service),
    react(),
    componentStyles(),
    slimContract(),
    programTexts(),
    copiedModules(),
    preloadFont(),
    thirdParty(),
    packFiles(),
  ],
  build: {
    target: 'es2023',
    sourcemap: false,
    modulePreload: {
      polyfill: false,
      // Public pages and the documentation have little code, and browsers without JavaScript report each preload as refused.
      resolveDependencies: (_file, files, { hostId, hostType }) =>
        hostType === 'html' && !hostId.endsWith('index.html') ? [] : files,
    },
    assetsInlineLimit: 0,
    rolldownOptions: {
      input: ['index.html', 'docs.html', 'public.html'],
      // Schemas that no page uses are left out.
      treeshake: { manualPureFunctions: ['Type', 'Nullable', 'Foreign', 'defineOperation'] },
      output: { codeSplitting: { groups: CHUNKS } },
    },
  },
  server: {
    proxy: Object.fromEntries(
      ['/api', '/mcp', '/.well-known', '/docs/search', '/feeds'].map((path) => [path, service]),
    ),
  },
});
