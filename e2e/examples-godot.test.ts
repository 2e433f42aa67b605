// Checks the syntax, style and format of the Godot add-on with gdtoolkit. CI cannot install Godot 4 itself from a
// package.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { STANDARD_EVENTS } from '@chauffeur/contract/operations/events';

const ADDON = join(import.meta.dirname, '..', 'examples', 'godot', 'addons', 'chauffeur');
const run = promisify(execFile);

for (const [tool, ...flags] of [['gdparse'], ['gdlint'], ['gdformat', '--check']] as const) {
  test(`${tool} finds no problems in the add-on`, async (t) => {
    const scripts = (await readdir(ADDON)).filter((name) => name.endsWith('.gd'));
    assert.ok(scripts.length > 0);
    const result = await run(tool, [...flags, ...scripts], { cwd: ADDON }).catch((error) => error);
    if (result.code === 'ENOENT') {
      if (process.env.CI === 'true') throw new Error(`${tool} not found; pip install gdtoolkit`);
      return t.skip(`skipped: ${tool} not found`);
    }
    assert.equal(result.code ?? 0, 0, `${result.stdout}${result.stderr}`);
  });
}

test('the add-on has the same standard events as the server', async () => {
  const text = await readFile(join(ADDON, 'outbox.gd'), 'utf8');
  const [, list = ''] = /const STANDARD := \[(.*?)\]/s.exec(text) ?? [];
  assert.deepEqual(
    [...list.matchAll(/"(\w+)"/g)].map(([, name]) => name),
    Object.keys(STANDARD_EVENTS),
  );
});
