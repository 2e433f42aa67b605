// Normalizes demangled Swift function names: removes arguments, results, generic arguments and compiler prefixes.
import { replaceGroups } from './brackets.ts';

/** Prefixes that the demangler writes before a function, such as `specialized`. Each can occur more than once. */
const PREFIX =
  /^(?:static |class |@objc |@nonobjc |override |specialized |merged |(?:dispatch |vtable )?thunk (?:of|for) |outlined [a-z ]{1,40} of |\(\d+\) (?:await|suspend) resume partial function for |partial apply forwarder for |partial apply for |protocol witness for |reabstraction thunk helper (?:<T> )?|(?:generic|function signature|generic not re-abstracted) specialization <T> of |\(extension in [^)]*\):|implicit closure #\d+ in (?=closure))/;
/** The number of a closure, of a local function, or of an argument with a default: `closure #1`, `aim #2`. */
const NUMBER = /^((?:implicit )?closure|[^ ]+) #\d+|(?<=^default argument) \d+(?= of )/;

/** `closure #1 (Swift.Int) -> () in Game.Player.update(delta: Swift.Double) -> ()` becomes `closure in Game.Player.update`. */
export function normalizeSwiftName(name: string): string {
  let text = replaceGroups(name.trim(), '<', () => '<T>');
  for (let rest = text.replace(PREFIX, ''); rest !== text; rest = text.replace(PREFIX, '')) text = rest;
  const plain = replaceGroups(text, '(', () => '').replace(/ in conformance .*$/s, '');
  return plain.split(' in ').map(cutResult).filter(Boolean).join(' in ');
}

function cutResult(part: string): string {
  return part
    .replace(NUMBER, '$1')
    .replace(/ (?:async|throws|rethrows)\b.*$/s, '')
    .replace(/ ?->.*$/s, '')
    .replace(/ : .*$/s, '')
    .trim();
}
