// cspell:ignore Kreading Kwriting
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { ProgressLine } from './progress-line.ts';

const MIB = 1024 * 1024;

it('shows the progress of what takes longer than a second, and clears it', () => {
  let [now, written] = [0, ''];
  const write = (text: string) => {
    written += text;
  };
  const terminal = { columns: 60, write };
  const line = new ProgressLine(terminal, () => now);
  line.show('reading', 1 * MIB, 8 * MIB);
  line.clear();
  assert.equal(written, '');
  now = 1500;
  line.show('reading', 4 * MIB, 8 * MIB);
  // Soon after the last one.
  now = 1550;
  line.show('reading', 5 * MIB, 8 * MIB);
  assert.equal(written, '\r\x1b[Kreading ██████████████░░░░░░░░░░░░░░ 50% (4 MiB of 8 MiB)');
  written = '';
  line.clear();
  line.clear();
  assert.equal(written, '\r\x1b[K');
  now = 1700;
  written = '';
  line.show('writing', 1000 * MIB, 1000 * MIB);
  assert.equal(written, '\r\x1b[Kwriting ████████████████████████████ 100% (1000 MiB of 1000');
});
