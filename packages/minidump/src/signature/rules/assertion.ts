// The rule for programs that stopped themselves: what they said goes before the frames.
import { maskText } from '../mask-text.ts';
import { cutTo } from '../printable.ts';
import type { Rule } from './rule.ts';

/** Enough for one sentence, and leaves room for the frames. */
const MAX_TEXT = 80;
/** Where the check stands moves with each build: Unreal's `[File:…] [Line: 12]`, glibc's `game.cc:12: int main():`, `: file x, line 3`. */
const PLACES: readonly RegExp[] = [
  /\s*\[File:[^\]]{0,500}\]/gi,
  /\s*\[Line: ?[^\]]{0,20}\]/gi,
  /^[^\s:]{0,200}: ?[^\s:]{1,200}:\d+: .{0,500}?: (?=Assertion )/,
  /^[^\s:]{1,200}:\d+: /,
  /(?:: |, )file .{0,500}, line \d+\.?$/i,
];

/** `Assertion failed: Count > 0 [File:…] [Line: 3]` gives `Abort | Assertion failed: Count > <n> | Pool::Take`. */
export const assertionRule: Rule = {
  name: 'assertion',
  applies: ({ assertion }) => textOf(assertion) !== '',
  act({ assertion }, signature) {
    const text = textOf(assertion);
    return { signature: `Abort | ${text} | ${signature}`, notes: [`the program says: ${text}`] };
  },
};

function textOf(assertion: string | null | undefined): string {
  const line = (assertion ?? '')
    .slice(0, 4096)
    .trim()
    .split(/[\r\n]/, 1)[0] as string;
  const plain = PLACES.reduce((text, place) => text.replace(place, ''), line);
  return cutTo(maskText(plain), MAX_TEXT);
}
