import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { findViolations } from './check-imports.ts';

/**
 * Checks files, which are given by their path below `packages/`, and returns `path:line  detail` for each violation.
 */
async function check(files: Record<string, string>): Promise<string[]> {
  const root = await mkdtemp(join(tmpdir(), 'chauffeur-imports-'));
  try {
    for (const [path, text] of Object.entries(files)) {
      const file = join(root, 'packages', path);
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, text);
    }
    const violations = await findViolations(root);
    return violations.map(({ path, line, detail }) => `${path.replace('packages/', '')}:${line}  ${detail}`);
  } finally {
    await rm(root, { recursive: true });
  }
}

test('this checkout follows the rules', () => {
  const { status, stdout } = spawnSync(process.execPath, [join(import.meta.dirname, 'check-imports.ts')], {
    encoding: 'utf8',
  });
  assert.deepEqual({ status, stdout }, { status: 0, stdout: '' });
});

test('a package may import only the packages below it', async () => {
  const violations = await check({
    'contract/src/errors.ts': `import { x } from '@chauffeur/server/app';\n`,
    'minidump/src/bytes.ts': `import { ERRORS } from '@chauffeur/contract/errors';\n`,
    'cli/src/main.ts': `import { ERRORS } from '@chauffeur/contract/errors';\nimport { y } from '@chauffeur/minidump/bytes';\n`,
    'web/src/pages/home.tsx': `export * from '@chauffeur/server/app';\n`,
    'server/src/app.ts': `import '@chauffeur/contract/errors';\nimport '@chauffeur/minidump/bytes';\n`,
  });
  assert.deepEqual(violations, [
    'cli/src/main.ts:2  @chauffeur/minidump/bytes',
    'contract/src/errors.ts:1  @chauffeur/server/app',
    'minidump/src/bytes.ts:1  @chauffeur/contract/errors',
    'web/src/pages/home.tsx:1  @chauffeur/server/app',
  ]);
});

test("relative paths may not leave src, except to the package's manifest", async () => {
  const violations = await check({
    'cli/src/main.ts': `import manifest from '../package.json' with { type: 'json' };\nimport '../../cli/test/setup.ts';\n`,
    'cli/src/zip.ts': `import { LIMITS } from '../../contract/src/limits.ts';\nimport '@chauffeur/cli/main';\n`,
    'cli/src/zip.test.ts': `import '../../server/test/setup/server.ts';\n`,
  });
  assert.deepEqual(violations, [
    'cli/src/main.ts:2  ../../cli/test/setup.ts',
    'cli/src/zip.ts:1  ../../contract/src/limits.ts',
    'cli/src/zip.ts:2  @chauffeur/cli/main',
  ]);
});

test('a dependency may not be reached through node_modules', async () => {
  const violations = await check({
    'web/src/main.tsx': `import 'node_modules/react/cjs/react.js';\nimport 'react/jsx-runtime';\n`,
  });
  assert.deepEqual(violations, ['web/src/main.tsx:1  node_modules/react/cjs/react.js']);
});

test('a part of the server may import only parts of lower layers', async () => {
  const violations = await check({
    'server/src/kernel/db.ts': `import type { Context } from '../context.ts';\nimport { games } from '../people/games/games.ts';\n`,
    'server/src/context.ts': `import type { Db } from './kernel/db.ts';\nimport type { Game } from './people/games/games.ts';\n`,
    'server/src/http/server.ts': `import { run } from '../worker/run.ts';\nimport { db } from '../kernel/db.ts';\n`,
    'server/src/http/send-error.ts': `import { sendHtml } from '../site/pages/document.ts';\n`,
    'server/src/people/games/games.ts': `import { handle } from '../../http/mount.ts';\n`,
    'server/src/features.ts': `import { handle } from './http/mount.ts';\nimport { startApp } from './app.ts';\n`,
    'server/src/app.ts': `import { ROUTES } from './registry.ts';\n`,
  });
  assert.deepEqual(violations, [
    'server/src/context.ts:2  ./people/games/games.ts',
    'server/src/features.ts:2  ./app.ts',
    'server/src/http/send-error.ts:1  ../site/pages/document.ts',
    'server/src/http/server.ts:1  ../worker/run.ts',
    'server/src/kernel/db.ts:1  ../context.ts',
    'server/src/kernel/db.ts:2  ../people/games/games.ts',
    'server/src/people/games/games.ts:1  ../../http/mount.ts',
  ]);
});

test('a layer of minidump may import only lower layers', async () => {
  const violations = await check({
    'minidump/src/bytes.ts': `import { MinidumpError } from './error.ts';\nimport { Minidump } from './minidump.ts';\n`,
    'minidump/src/streams/threads.ts': `import type { StreamKind } from '../minidump.ts';\nimport { Memory } from '../memory.ts';\n`,
    'minidump/src/unwind/walk.ts': `import { applyCfi } from '../symbols/cfi.ts';\nimport { makeSignature } from '../signature/signature.ts';\n`,
    'minidump/src/process.ts': `import { walkStack } from './unwind/walk.ts';\nimport './unwind/x86.ts';\n`,
    'minidump/src/helpers.ts': '',
  });
  assert.deepEqual(violations, [
    'minidump/src/bytes.ts:2  ./minidump.ts',
    'minidump/src/helpers.ts:1  packages/minidump/src/helpers.ts',
    'minidump/src/streams/threads.ts:2  ../memory.ts',
    'minidump/src/unwind/walk.ts:2  ../signature/signature.ts',
  ]);
});

test('a layer of crashes may import only lower layers', async () => {
  const violations = await check({
    'server/src/crash/crashes/report/files.ts': `import { newId } from '../../../kernel/secrets/ids.ts';\n`,
    'server/src/crash/crashes/receive/create.ts': `import '../report/files.ts';\nimport '../groups/grouping.ts';\n`,
    'server/src/crash/crashes/groups/grouping.ts': `import '../receive/create.ts';\nimport type { Walk } from '../process/walk.ts';\n`,
    'server/src/crash/crashes/read/stacks.ts': `import '../process/walk.ts';\nimport '../keep/delete.sql.ts';\n`,
    'server/src/crash/crashes/keep/sweep.job.ts': `import '../read/stacks.ts';\nimport '../crashes.ts';\n`,
    'server/src/crash/crashes/utils/text.ts': '',
  });
  assert.deepEqual(violations, [
    'server/src/crash/crashes/groups/grouping.ts:2  ../process/walk.ts',
    'server/src/crash/crashes/keep/sweep.job.ts:2  ../crashes.ts',
    'server/src/crash/crashes/read/stacks.ts:2  ../keep/delete.sql.ts',
    'server/src/crash/crashes/receive/create.ts:2  ../groups/grouping.ts',
    'server/src/crash/crashes/utils/text.ts:1  packages/server/src/crash/crashes/utils/text.ts',
  ]);
});

test('only commands may read the settings; other parts may import their types', async () => {
  const violations = await check({
    'server/src/commands/service.ts': `import { readProcessConfig } from '../config.ts';\n`,
    'server/src/kernel/mail.ts': `import type { Config } from '../config.ts';\n`,
    'server/src/http/server.ts': `import { SETTINGS } from '../config.ts';\n`,
  });
  assert.deepEqual(violations, ['server/src/http/server.ts:1  ../config.ts']);
});

test('other wings may import only the front doors of a feature, and other parts any file', async () => {
  const violations = await check({
    'server/src/shop/store/store.ts': [
      `import { requireMember } from '../../people/games/games.ts';`,
      `import { findGame as find } from '../../people/games/games.sql.ts';`,
      `import { slugOf } from '../../people/games/slug.ts';`,
      `import { isReachable } from './visibility.ts';`,
      `import { listShelves } from '../statistics/shelves.sql.ts';`,
    ].join('\n'),
    'server/src/features.ts': `export * as http from './shop/store/store-requests.ts';\n`,
    'server/src/http/identify.ts': `import { scanJob } from '../ship/scans/scan.job.ts';\n`,
  });
  assert.deepEqual(violations, ['server/src/shop/store/store.ts:3  ../../people/games/slug.ts']);
});

test('a wing may import only wings that are listed before it', async () => {
  const violations = await check({
    'server/src/crash/crashes/crashes.ts': `import { findUser } from '../../people/accounts/accounts.ts';\nimport { readHealth } from '../../analytics/health/health.ts';\n`,
  });
  assert.deepEqual(violations, ['server/src/crash/crashes/crashes.ts:2  ../../analytics/health/health.ts']);
});

test('the features of a wing may not import each other in a cycle, through whatever files', async () => {
  const violations = await check({
    'server/src/ship/files/files.ts': `import { listParts } from '../uploads/parts.sql.ts';\n`,
    'server/src/ship/uploads/uploads.ts': `import { nameOf } from '../files/name.ts';\n`,
    'server/src/ship/uploads/parts.sql.ts': '',
    'server/src/ship/files/name.ts': '',
  });
  assert.deepEqual(violations, ['ship/files:1  ship/uploads -> ship/files']);
});

test('every kind of import is checked, also on several lines and in worker threads, but not in comments', async () => {
  const violations = await check({
    'server/src/kernel/jobs.ts': [
      `// import { a } from '../app.ts';`,
      `/** See import('../app.ts'). */`,
      `import {`,
      `  type A,`,
      `  b as c,`,
      `} from '../app.ts';`,
      `export { d } from '../app.ts';`,
      `const e = await import('../app.ts');`,
      `const THREAD = new URL('../http/x.thread.ts', import.meta.url);`,
    ].join('\n'),
  });
  assert.deepEqual(
    violations,
    ['6  ../app.ts', '7  ../app.ts', '8  ../app.ts', '9  ../http/x.thread.ts'].map(
      (end) => `server/src/kernel/jobs.ts:${end}`,
    ),
  );
});

test('only one file of each program may read the environment', async () => {
  const violations = await check({
    'server/src/config.ts': `const { env } = process;\n`,
    'server/src/kernel/log.ts': `const level = process.env.LEVEL;\n`,
    'cli/src/progress.ts': `\nconst { env, stdout } = process;\n`,
  });
  assert.deepEqual(violations, ['cli/src/progress.ts:2  process.env', 'server/src/kernel/log.ts:1  process.env']);
});

test('a package, part or layer that is not listed in the rules, and a file of no feature, are reported', async () => {
  const violations = await check({
    'editor/src/main.ts': '',
    'server/src/plugins/a.ts': '',
    'server/src/people/leaderboards.ts': '',
  });
  assert.deepEqual(
    violations,
    ['editor/src/main.ts', 'server/src/people/leaderboards.ts', 'server/src/plugins/a.ts'].map(
      (path) => `${path}:1  packages/${path}`,
    ),
  );
});

test('files may not import each other, even indirectly or only for types', async () => {
  const violations = await check({
    'cli/src/a.ts': `import type { B } from './b.ts';\n`,
    'cli/src/b.ts': `import { c } from './c.ts';\n`,
    'cli/src/c.ts': `import type { A } from './a.ts';\n`,
    'cli/src/d.ts': `import { c } from './c.ts';\nconst THREAD = new URL('./d.thread.ts', import.meta.url);\n`,
    'cli/src/d.thread.ts': `import type { D } from './d.ts';\n`,
  });
  assert.deepEqual(violations, [
    'cli/src/a.ts:1  packages/cli/src/b.ts -> packages/cli/src/c.ts -> packages/cli/src/a.ts',
  ]);
});
