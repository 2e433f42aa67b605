// Settings files of engines and programs, in which only the fields about the build are replaced.
import { LocalError } from '../failures.ts';
import { type BuildIds, quoted, type WriteIds } from './build-ids.ts';

const BOM = '\ufeff';

/** Edits the lines of a text, and keeps its byte order mark and its kind of line breaks. */
function editLines(before: string | null, edit: (lines: string[]) => string[]): string {
  const text = before ?? '';
  const mark = text.startsWith(BOM) ? BOM : '';
  const end = text.includes('\r\n') ? '\r\n' : '\n';
  const lines = text.slice(mark.length).split(/\r?\n/);
  // What ends with a line break has no further line.
  if (lines.at(-1) === '') lines.pop();
  return `${mark}${edit(lines).join(end)}${end}`;
}

/** The values of a section by key, as they are written. */
type Section = Readonly<Record<string, string>>;

const HEADER = /^\s*\[([^\]"]+)\]\s*$/;

/**
 * Sets values in an .ini file. A key that is missing is added to the end of its section. `isInText` says, for each line,
 * whether it begins within a text of several lines.
 */
function setValues(lines: string[], name: string, section: Section, isInText: readonly boolean[] = []): string[] {
  const missing = new Map(Object.entries(section));
  const result: string[] = [];
  let current = '';
  /** Where to insert missing keys: after the last line of the section that isn't empty. */
  let end: number | undefined;
  for (const [index, line] of lines.entries()) {
    const header = isInText[index] ? undefined : HEADER.exec(line)?.[1]?.trim();
    if (header !== undefined) current = header;
    const isOurs = isSame(current, name);
    const [, indent = '', key = ''] = (isOurs && !isInText[index] && /^(\s*)([\w/]+)\s*=/.exec(line)) || [];
    const own = Object.keys(section).find((candidate) => isSame(candidate, key));
    result.push(own === undefined ? line : `${indent}${own}=${section[own]}`);
    if (own !== undefined) missing.delete(own);
    if (isOurs && (isInText[index] || line.trim() !== '')) end = result.length;
  }
  const added = [...missing].map(([key, value]) => `${key}=${value}`);
  if (end === undefined) {
    const isBlank = result.length === 0 || result.at(-1)?.trim() === '';
    return [...result, ...(isBlank ? [] : ['']), `[${name}]`, ...added];
  }
  return result.toSpliced(end, 0, ...added);
}

/** Unreal Engine compares names of sections and keys like this, and Godot never has two that differ only in case. */
function isSame(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}

const UNREAL_PATH = '/unreal';

/** The section `[Chauffeur]` of an .ini file. */
export const writeIni: WriteIds = (ids, before) =>
  editLines(before, (lines) =>
    setValues(lines, 'Chauffeur', {
      AppId: quoted(ids.app_id),
      BuildId: quoted(ids.build_id),
      AppVersion: quoted(ids.app_version),
      BuildChannel: quoted(ids.build_channel),
      CrashesUrl: quoted(ids.crashes_url),
      EventsUrl: quoted(ids.events_url),
    }),
  );

/** `DefaultEngine.ini` of Unreal Engine also says where its crash reporter sends reports. */
export const writeUnrealIni: WriteIds = (ids, before) => {
  const text = writeIni(ids, before);
  const url = new URL(`${ids.crashes_url}${UNREAL_PATH}`);
  url.search = new URLSearchParams({ app_id: ids.app_id, build_id: ids.build_id }).toString();
  return editLines(text, (lines) => setValues(lines, 'CrashReportClient', { DataRouterUrl: quoted(url.href) }));
};

/** Throws LocalError if the crash reporter of Unreal Engine sends reports to another service. */
export function refuseOtherCrashes(file: string, before: string | null): void {
  const [, other] = /^\s*DataRouterUrl\s*=\s*"?([^"\s]+)/im.exec(before ?? '') ?? [];
  if (other === undefined || other.includes(`/public/crashes${UNREAL_PATH}`)) return;
  throw new LocalError(
    `--write: ${file} sends crash reports to ${other} (DataRouterUrl), which is not replaced.`,
    'Remove the line, or write to another .ini file, such as Config/DefaultChauffeur.ini.',
  );
}

const GODOT_PREFIX = 'crash_reporter/';

/** The project settings of Godot that the add-on and engines with a crash reporter read. */
export const writeGodotProject: WriteIds = (ids, before) =>
  editLines(before, (lines) => {
    const { app_id, build_id, app_version, build_channel, crashes_url: endpoint } = ids;
    const settings = { endpoint, app_id, build_id, app_version, build_channel };
    const section = Object.fromEntries(
      Object.entries(settings).map(([name, value]) => [`${GODOT_PREFIX}${name}`, quoted(value)]),
    );
    return setValues(lines, 'application', section, findTexts(lines));
  });

/** Whether each line begins within a text of Godot, which can have several lines. */
function findTexts(lines: readonly string[]): boolean[] {
  let isInside = false;
  return lines.map((line) => {
    const before = isInside;
    for (const _ of line.replaceAll(/\\./g, '').matchAll(/"/g)) isInside = !isInside;
    return before;
  });
}

/** Throws LocalError without a project: Godot can't open one that has only these settings. */
export function requireProject(file: string, before: string | null): void {
  if (before !== null) return;
  throw new LocalError(`--write: ${file} does not exist.`, 'Use the project.godot of your game.');
}

export const writeEnv: WriteIds = (ids, before) =>
  editLines(before, (lines) => {
    const values = new Map(Object.entries(ids).map(([name, value]) => [`SERVICE_GAMES_${name.toUpperCase()}`, value]));
    const missing = new Set(values.keys());
    const kept = lines.map((line) => {
      const [, start = '', name = ''] = /^(\s*(?:export\s+)?)(\w+)\s*=/.exec(line) ?? [];
      const value = values.get(name);
      if (value === undefined) return line;
      missing.delete(name);
      return `${start}${name}=${valueOfShell(value)}`;
    });
    return [...kept, ...[...missing].map((name) => `${name}=${valueOfShell(values.get(name) ?? '')}`)];
  });

/** A value that shells and readers of .env files understand in the same way. */
function valueOfShell(value: string): string {
  if (/^[\w.:/+-]+$/.test(value)) return value;
  return value.includes("'") ? `"${value.replaceAll(/["\\$`]/g, '\\$&')}"` : `'${value}'`;
}

/** Fields at the top of a JSON object. All other text stays as it is. */
export function writeJson(ids: BuildIds, before: string | null): string {
  const text = before ?? '';
  const mark = text.startsWith(BOM) ? BOM : '';
  const body = text.slice(mark.length);
  if (body.trim() === '') return `${mark}${JSON.stringify(ids, null, 2)}\n`;
  const members = membersOf(body);
  const missing = new Map(Object.entries(ids));
  let result = body;
  // Starts at the end, so that earlier positions stay valid.
  for (const { name, start, end } of members.toReversed()) {
    const value = ids[name as keyof BuildIds];
    if (!Object.hasOwn(ids, name)) continue;
    missing.delete(name);
    result = result.slice(0, start) + quoted(value) + result.slice(end);
  }
  return mark + addMembers(result, missing);
}

/** Throws LocalError if the text is not an object. */
export function requireObject(file: string, before: string | null): void {
  const text = before?.replace(BOM, '') ?? '';
  if (text.trim() === '') return;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {}
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return;
  throw new LocalError(`--write: ${file} is not a JSON object.`, 'Correct the file, or choose another name.');
}

type Member = { name: string; start: number; end: number };

/** Where the values of an object are in its text, which is valid JSON. */
function membersOf(text: string): Member[] {
  const members: Member[] = [];
  let depth = 0;
  let name: string | undefined;
  let start: number | undefined;
  let end = 0;
  for (const { 0: token, index } of text.matchAll(/"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\],:]|[^\s{}[\],:"]+/g)) {
    const isEnd = depth === 1 && (token === ',' || token === '}');
    if (isEnd && name !== undefined && start !== undefined) {
      members.push({ name, start, end });
      [name, start] = [undefined, undefined];
    } else if (depth === 1 && name === undefined && token.startsWith('"')) name = JSON.parse(token) as string;
    else if (depth === 1 && name !== undefined && token !== ':') start ??= index;
    if (token === '{' || token === '[') depth++;
    if (token === '}' || token === ']') depth--;
    end = index + token.length;
  }
  return members;
}

/** Adds members after the last one, with the spaces that are before the first one. */
function addMembers(text: string, added: ReadonlyMap<string, string>): string {
  if (added.size === 0) return text;
  const last = membersOf(text).at(-1);
  const open = text.indexOf('{');
  const space = last === undefined ? '\n  ' : (/^\s*/.exec(text.slice(open + 1))?.[0] ?? '');
  const lines = [...added].map(([name, value]) => `${space}${quoted(name)}: ${quoted(value)}`).join(',');
  if (last !== undefined) return `${text.slice(0, last.end)},${lines}${text.slice(last.end)}`;
  return `${text.slice(0, open + 1)}${lines}\n${text.slice(text.lastIndexOf('}'))}`;
}
