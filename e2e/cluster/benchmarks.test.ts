// Short forms of the measurements in docs/reliability.md and docs/capacity.md. They check that nothing fails; how fast
// it is depends on the machine.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { launch } from '../setup/processes.ts';

const BENCH = fileURLToPath(new URL('../../bench/', import.meta.url));

async function measure(script: string, ...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await launch(process.execPath, [join(BENCH, script), ...args], { environment: {} })
    .ended;
  assert.equal(code, 0, `${stdout}\n${stderr}`);
  return stdout;
}

describe('the measurements of the docs', () => {
  test('all kinds of requests succeed for half a minute at half of the peak', async () => {
    const printed = await measure('soak.ts', '--minutes', '0.5', '--peak-seconds', '6');
    assert.match(printed, /^failed requests = 0 /m);
    assert.match(printed, /^\| 0 to 0.5 \| \d+ ms \| \d+ ms \| \d+ ms \| \d+ ms \| \d+ MiB \|/m);
  });

  test('each kind of work is done by one process and by two', async () => {
    const printed = await measure('capacity.ts', '--rounds', '1', '--seconds', '1');
    const rows = printed.split('\n').filter((line) => /^\| [a-z]/.test(line));
    assert.equal(rows.length, 6, printed);
    for (const row of rows) assert.match(row, /^\| [^|]+ \| [\d,.]+ \w+ a second \| × [\d.]+ \|/);
  });
});
