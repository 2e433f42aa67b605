// The rule for programs that stopped themselves: puts the assertion text before the frames.
import { maskText } from '../mask-text.ts';
import { cutTo } from '../printable.ts';
import type { CrashFacts, Rule } from './rule.ts';

/** Characters: enough for one sentence, and leaves room for the frames. */
const MAX_TEXT = 80;
/**
 * Source locations, which change with each build: Unreal's `[File:…] [Line: 12]`, glibc's `game.cc:12: int main():`, and
 * `: file x, line 3`.
 */
const SOURCE_LOCATIONS: readonly RegExp[] = [
  /\s*\[File:[^\]]{0,500}\]/gi,
  /\s*\[Line: ?[^\]]{0,20}\]/gi,
  /^[^\s:]{0,200}: ?[^\s:]{1,200}:\d+: .{0,500}?: (?=Assertion )/,
  /^[^\s:]{1,200}:\d+: /,
  /(?:: |, )file .{0,500}, line \d+\.?$/i,
];

/** `Assertion failed: Count > 0 [File:…] [Line: 3]` becomes `Abort | Assertion failed: Count > <n> | Pool::Take`. */
export const assertionRule: Rule = {
  name: 'assertion',
  applies: hasAssertion,
  act({ assertion }, signature) {
    const text = firstLineOf(assertion);
    return {
      signature: ['Abort', text, signature].filter(Boolean).join(' | '),
      notes: [`the program reported: ${text}`],
    };
  },
};

/** Whether the program reported a text. It is then a signature even without frames. */
export function hasAssertion({ assertion }: CrashFacts): boolean {
  return firstLineOf(assertion) !== '';
}

/** The first line, masked and without its source location. */
function firstLineOf(assertion: string | null | undefined): string {
  const line = (assertion ?? '')
    .slice(0, 4096)
    .trim()
    .split(/[\r\n]/, 1)[0] as string;
  const plain = SOURCE_LOCATIONS.reduce((text, location) => text.replace(location, ''), line);
  return cutTo(maskText(plain), MAX_TEXT);
}
