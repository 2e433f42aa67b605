// Creates the signature of a crash: a short text that is the same every time the same fault happens.
import type { SignatureReport } from '../report.ts';
import { labelFrames } from './frames/label-frames.ts';
import { findSystemCode } from './frames/system-code.ts';
import { defaultLists, type SignatureLists } from './lists/signature-lists.ts';
import { toPrintable } from './printable.ts';
import type { CrashFacts, SignatureInput } from './rules/rule.ts';
import { rules } from './rules/rules.ts';

export type { SignatureInput } from './rules/rule.ts';

type SignatureOptions = {
  /** Lists with a studio's own entries, from `compileSignatureLists`; the built-in lists if omitted. */
  readonly lists?: SignatureLists;
};

/**
 * Returns the signature and a note for each decision, in the form `rule: what it did`. Pure: the same input always gives
 * the same signature. Never throws. The signature has 1 to 255 printable characters.
 */
export function makeSignature(input: SignatureInput, options: SignatureOptions = {}): SignatureReport {
  const lists = options.lists ?? defaultLists;
  const isSystem = findSystemCode(input.os, input.loaded ?? { modules: [], main: null });
  const labels = labelFrames(input.frames ?? [], input.os, lists.trim, isSystem);
  const facts: CrashFacts = { ...input, labels, lists };
  let signature = '';
  const notes: string[] = [];
  for (const rule of rules) {
    if (!rule.applies(facts, signature)) continue;
    const outcome = rule.act(facts, signature);
    signature = outcome.signature;
    for (const note of outcome.notes) notes.push(`${rule.name}: ${toPrintable(note)}`);
  }
  return { signature, notes };
}
