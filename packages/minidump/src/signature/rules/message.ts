// The rule for reports without a dump: their message, and the first line of the stack trace in it.
import { maskText } from '../mask-text.ts';
import { normalizeName } from '../names/normalize-name.ts';
import type { Rule } from './rule.ts';

/** Lines that are looked at; a stack trace in text begins right after the message. */
const MAX_LINES = 20;
const MAX_LINE = 1024;
/** How engines and runtimes write a frame: `  at Game.Player.Update () [0x1] in x.cs:12`, `Player:Update () (at Assets/x.cs:1)`. */
const TRACE_LINES: readonly RegExp[] = [
  /^\s*at:? (?:async )?(?<function>[^\s(][^(]*?)(?: ?\(|$)/,
  /^\s*(?<function>[\w.+<>`$]+[:.][\w.<>`$]+) ?\([^)]*\) ?\(at /,
  /^\s*#?\d+:? +(?:0x[0-9a-f]+ +(?:in +)?)?(?<function>[\w$~][^\s(]*)/i,
];

/** `NullReferenceException: …` and its trace give `NullReferenceException: … | Game.Player.Update`. */
export const messageRule: Rule = {
  name: 'message',
  applies: (facts, signature) => signature === '' && maskText(facts.message ?? '') !== '',
  act(facts) {
    const lines = (facts.message ?? '').trim().split(/[\r\n]+/, MAX_LINES);
    const text = maskText(lines[0] as string);
    const frame = lines.slice(1).map(traceFunction).find(Boolean);
    if (frame === undefined) return { signature: text, notes: ['no frames; took the message'] };
    return { signature: `${text} | ${frame}`, notes: [`no frames; took the message and \`${frame}\` of its trace`] };
  },
};

function traceFunction(line: string): string | undefined {
  for (const pattern of TRACE_LINES) {
    const found = pattern.exec(line.slice(0, MAX_LINE))?.groups?.function;
    if (found !== undefined) return normalizeName(found, null);
  }
  return undefined;
}
