// A reporter for `node --test`: lists the ten slowest tests at the end.
import { relative } from 'node:path';
import type { TestEvent } from 'node:test/reporters';

const SHOWN = 10;

type Timed = { readonly name: string; readonly file: string; readonly seconds: number };

/** Lists tests, not the suites around them. */
// biome-ignore lint/style/noDefaultExport: the test runner takes the default export of a reporter.
export default async function* listSlowest(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  const timed: Timed[] = [];
  for await (const { type, data } of events) {
    if ((type !== 'test:pass' && type !== 'test:fail') || data.details.type === 'suite') continue;
    timed.push({
      name: data.name,
      file: relative(process.cwd(), data.file ?? ''),
      seconds: data.details.duration_ms / 1000,
    });
  }
  timed.sort((a, b) => b.seconds - a.seconds);
  const lines = timed.slice(0, SHOWN).map(({ name, file, seconds }) => `${seconds.toFixed(1)} s  ${file}  ${name}`);
  yield `\nThe slowest tests:\n${lines.join('\n')}\n`;
}
