// The rules for what the program or its runtime reported: an assertion, a message, and an exception.

import { normalizeName } from '../names/normalize-name.ts';
import { cutTo, maskText, toPrintable } from '../printable.ts';
import type { CrashFacts, Rule } from './rule.ts';

// The rule for programs that stopped themselves: puts the assertion text before the frames.

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

// The rule for reports without a dump: uses their message, and the first line of a stack trace in it.

/** Lines to search. A stack trace in a message begins right after the first line. */
const MAX_LINES = 20;
const MAX_LINE_LENGTH = 1024;
/**
 * How engines and runtimes write a frame: `  at Game.Player.Update () [0x1] in x.cs:12`,
 * `Player:Update () (at Assets/x.cs:1)`, `  0: rust_begin_unwind`.
 */
const TRACE_LINES: readonly RegExp[] = [
  /^\s*at:? (?:async )?(?<function>[^\s(][^(]*?)(?: ?\(|$)/,
  /^\s*(?<function>[\w.+<>`$]+[:.][\w.<>`$]+) ?\([^)]*\) ?\(at /,
  /^\s*#?\d+:? +(?:0x[0-9a-f]+ +(?:in +)?)?(?<function>[\w$~][^\s(]*)/i,
];

/** `NullReferenceException: …` with its stack trace becomes `NullReferenceException: … | Game.Player.Update`. */
export const messageRule: Rule = {
  name: 'message',
  applies: (facts, signature) => signature === '' && !hasAssertion(facts) && maskText(facts.message ?? '') !== '',
  act(facts) {
    const all = (facts.message ?? '').trim().split(/[\r\n]+/, MAX_LINES);
    const lines = all.slice(Math.max(0, all.findIndex(saysWhat)));
    const text = maskText(lines[0] as string);
    const frame = lines.slice(1).map(traceFunction).find(Boolean);
    if (frame === undefined) return { signature: text, notes: ['no frames, so the message is used'] };
    return {
      signature: `${text} | ${frame}`,
      notes: [`no frames, so the message and \`${frame}\` from its stack trace are used`],
    };
  },
};

/** Lines of other characters and headings between them, such as `==== Crash report ====`, are the same in all reports. */
function saysWhat(line: string): boolean {
  const text = line.slice(0, MAX_LINE_LENGTH).trim();
  return /[\p{L}\p{N}]/u.test(text) && !(/^[=*#~-]{2}/.test(text) && /[=*#~-]{2}$/.test(text));
}

function traceFunction(line: string): string | undefined {
  for (const pattern of TRACE_LINES) {
    const name = pattern.exec(line.slice(0, MAX_LINE_LENGTH))?.groups?.function;
    if (name !== undefined) return normalizeName(name, null);
  }
  return undefined;
}

// The rule for exceptions of managed code and of text reports: puts the type and the message before the frames.

/** Characters: enough for a sentence, and leaves room for the frames. */
const MAX_HEAD = 150;

/** `TypeError` with the message `reading 'hp'` becomes `TypeError: reading 'hp' | player.update`. */
export const exceptionRule: Rule = {
  name: 'exception',
  applies: ({ exception }) => headOf(exception) !== '',
  act({ exception }, signature) {
    const head = headOf(exception);
    return {
      signature: signature === '' ? head : `${head} | ${signature}`,
      notes: [`the signature begins with ${head}`],
    };
  },
};

function headOf(exception: { readonly type: string; readonly message: string } | null | undefined): string {
  if (!exception) return '';
  return cutTo([exception.type, exception.message].map(toPrintable).filter(Boolean).join(': '), MAX_HEAD);
}
