// Reads what the program and its crash reporter noted in a dump: annotations of Crashpad, and messages of the system.
// They become the message and metadata of the report.
import { LIMITS } from '@chauffeur/contract/limits';
import type { Report } from '@chauffeur/minidump/report';
import { clip, isReporterField, OMISSIONS_KEY, withoutLogPrefix } from '../receive/details.ts';
import { MESSAGE_ANNOTATIONS } from '../report/fields.ts';

/** The parts of a report with notes; a report stored by an old version of the server may not have them. */
type Noted = Pick<Report, 'crash_info' | 'main_module' | 'modules'> &
  Partial<Pick<Report, 'crashpad' | 'mac_crash_info'>>;

export type DumpNotes = {
  /** Why the program stopped, in its own words; empty if it did not say. */
  readonly message: string;
  readonly metadata: Readonly<Record<string, string>>;
};

/** Annotations beyond these are not read: a dump can have as many as fit into it. */
const MAX_NOTES = 4 * LIMITS.metadataKeys;

/** Texts of system libraries that say no more than the reason of the crash. */
const SAYS_NOTHING =
  /^(?:abort\(\) called|crash info|-\[NSApplication _crashOnException:\].*|stack buffer overflow)?$/i;

/**
 * Expects a report without private paths. The annotations of the process come first, then those of the executable, then
 * those of other modules. The message is the first of MESSAGE_ANNOTATIONS among all of them, or else a message of a
 * library of macOS, or else the failed assertion.
 */
export function notesOf(report: Noted): DumpNotes {
  const annotations = annotationsOf(report);
  const texts = systemTexts(report);
  const field = MESSAGE_ANNOTATIONS.find((name) => annotations.has(name));
  const candidates = [field === undefined ? '' : annotations.get(field)!, ...texts, report.crash_info.assertion ?? ''];
  const message = candidates.map((text) => withoutLogPrefix(text).trim()).find((text) => text !== '') ?? '';
  const metadata = [...annotations].filter(([name]) => name === field || !isReporterField(name));
  const listed =
    texts.length === 0 ? [] : [['system_messages', clip(texts.join('\n'), LIMITS.metadataValueLength)] as const];
  return { message: clip(message, LIMITS.metadataValueLength), metadata: Object.fromEntries([...metadata, ...listed]) };
}

/** The first value of each annotation that has one. */
function annotationsOf({ crashpad, main_module, modules }: Noted): Map<string, string> {
  const found = new Map<string, string>();
  if (crashpad == null) return found;
  const main = main_module === null ? undefined : modules[main_module]?.filename;
  const byModule = crashpad.modules.toSorted((a, b) => Number(b.module === main) - Number(a.module === main));
  for (const annotations of [crashpad.annotations, ...byModule.map((module) => module.annotations)]) {
    for (const [key, value] of Object.entries(annotations)) {
      const name = clip(key, LIMITS.metadataKeyLength).trim();
      const text = clip(value, LIMITS.metadataValueLength).trim();
      if (name === '' || text === '' || name.startsWith('chauffeur_') || found.has(name)) continue;
      if (found.size === MAX_NOTES) return found;
      found.set(name, text);
    }
  }
  return found;
}

/**
 * What libraries of macOS wrote before they stopped the program. Crashpad lists such texts as annotations of modules.
 */
function systemTexts({ crashpad, mac_crash_info: infos }: Noted): string[] {
  const listed = (crashpad?.modules ?? []).flatMap(({ list }) => list);
  const texts = [...(infos ?? []).flatMap(({ message, message2 }) => [message, message2]), ...listed];
  const distinct = new Set(texts.slice(0, MAX_NOTES).map((text) => clip(text, LIMITS.metadataValueLength).trim()));
  return [...distinct].filter((text) => !SAYS_NOTHING.test(text));
}

type Fields = { readonly message: string; readonly metadata: Readonly<Record<string, unknown>> };

/**
 * What a dump adds to its report: nothing that the client sent with the report itself, and not more keys than a report
 * may have. Null if it adds nothing.
 */
export function notesToAdd({ message, metadata }: Fields, notes: DumpNotes): DumpNotes | null {
  const isNewMessage = message === '' && notes.message !== '';
  const fresh = Object.entries(notes.metadata).filter(([key]) => !Object.hasOwn(metadata, key));
  // One key is reserved for the note about omissions.
  const free = Math.max(0, LIMITS.metadataKeys - 1 - Object.keys(metadata).length);
  const added: Record<string, string> = Object.fromEntries(fresh.slice(0, free));
  const omitted = fresh.length - free;
  if (omitted > 0 && !Object.hasOwn(metadata, OMISSIONS_KEY))
    added[OMISSIONS_KEY] = `${omitted} annotations of the dump were left out.`;
  if (!isNewMessage && Object.keys(added).length === 0) return null;
  return { message: isNewMessage ? notes.message : '', metadata: added };
}
