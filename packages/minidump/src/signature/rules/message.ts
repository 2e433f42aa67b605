// The rule for reports without a dump: uses their message, and the first line of a stack trace in it.
import { maskText } from '../mask-text.ts';
import { normalizeName } from '../names/normalize-name.ts';
import { hasAssertion } from './assertion.ts';
import type { Rule } from './rule.ts';

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
