// Decides which of two symbol files of a module a build keeps: the richer one, whichever was uploaded first.
import { DETAILS } from '@chauffeur/minidump/symbols/symbol-contents';
import type { ModuleText, TextFacts } from './symbols.sql.ts';

/**
 * Whether a new file replaces the existing one. Files that are equally rich replace each other, so that symbols can be
 * created again. Nothing is known about a text of an earlier release until it was read again; until then, every file
 * with functions replaces it, as before.
 */
export function replaces(
  { functions, detail, records }: TextFacts,
  existing: Pick<ModuleText, 'state' | 'detail' | 'records'>,
): boolean {
  if (existing.state === 'unreadable') return true;
  if (existing.detail === null || existing.records === null) return functions > 0;
  return detail === existing.detail ? records >= existing.records : detail > existing.detail;
}

/** Says in a sentence what the existing file has that the new one has not. */
export function formatPoorer(facts: TextFacts, existing: Pick<ModuleText, keyof TextFacts>): string {
  return `The build already has a richer file of this module, with ${describeFacts(existing)}; this one has ${describeFacts(facts)}, so it is not used. To use it, delete the other one first.`;
}

/** Says what is wrong with a file that can be read but is of little use; null for a file with functions. */
export function describeShortcoming({
  detail,
  debug_id: debugId,
  code_id: codeId,
}: {
  detail: TextFacts['detail'] | null;
  debug_id: string;
  code_id: string;
}): string | null {
  const problems = [];
  if (codeId === '' && /^0*$/.test(debugId))
    problems.push('It has neither a debug id nor a code id, so no crash report can use it.');
  if (detail === DETAILS.names)
    problems.push(
      'It has no functions, only public names or unwind rules. Create it from the unstripped program or its debug file.',
    );
  if (detail === DETAILS.nothing)
    problems.push('It has no functions. Create it from the unstripped program or its debug file.');
  return problems.length === 0 ? null : problems.join(' ');
}

function describeFacts({ functions, detail, records }: { [Fact in keyof TextFacts]: number | null }): string {
  if (functions === null || records === null) return 'contents that were not counted yet';
  const [count, total] = [functions, records].map((number) => number.toLocaleString('en'));
  if (detail === DETAILS.lines) return `${count} functions and their lines (${total} records)`;
  if (detail === DETAILS.functions) return `${count} functions without lines (${total} records)`;
  return detail === DETAILS.names ? 'no functions' : 'nothing';
}
