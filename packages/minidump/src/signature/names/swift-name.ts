// Normalizes demangled Swift function names: removes arguments, results, generic arguments and compiler prefixes.
import { replaceGroups } from './brackets.ts';

/** Prefixes that the demangler writes before a function, such as `specialized`. Each can occur more than once. */
const PREFIX =
  /^(?:static |class |@objc |@nonobjc |specialized |merged |dispatch thunk of |partial apply forwarder for |partial apply for |protocol witness for |reabstraction thunk helper (?:<T> )?|(?:generic|function signature|generic not re-abstracted) specialization <T> of |\(extension in [^)]*\):|implicit closure #\d+ in (?=closure))/;
const CLOSURE_NUMBER = /^((?:implicit )?closure) #\d+/;

/** `closure #1 (Swift.Int) -> () in Game.Player.update(delta: Swift.Double) -> ()` becomes `closure in Game.Player.update`. */
export function normalizeSwiftName(name: string): string {
  let text = replaceGroups(name.trim(), '<', () => '<T>');
  for (let rest = text.replace(PREFIX, ''); rest !== text; rest = text.replace(PREFIX, '')) text = rest;
  const plain = replaceGroups(text, '(', () => '').replace(/ in conformance .*$/s, '');
  return plain.split(' in ').map(cutResult).filter(Boolean).join(' in ');
}

function cutResult(part: string): string {
  return part
    .replace(CLOSURE_NUMBER, '$1')
    .replace(/ (?:async|throws|rethrows)\b.*$/s, '')
    .replace(/ ?->.*$/s, '')
    .replace(/ : .*$/s, '')
    .trim();
}
