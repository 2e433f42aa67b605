// Mappings of ProGuard and R8 (`mapping.txt`): the names of classes and methods before they were renamed, lines, and the
// functions that were inlined. The first pass only notes where each class is, because mappings can have a million lines,
// and a stack needs a few of them. R8 adds facts as comments of JSON. Some of them change stacks.
import { MappingError } from './error.ts';

/** A frame of Java or Kotlin. The class has its package: `com.example.Player`. */
export type JavaFrame = {
  readonly class: string;
  readonly method: string;
  readonly file: string;
  /** Null if it is unknown. */
  readonly line: number | null;
};

/** A member of a class, in one of its lines: `1:3:void update(int):20:22 -> a`. */
type Member = {
  /** The lines in the renamed code; null for one without lines. */
  readonly from: number | null;
  readonly to: number | null;
  /** The class that it was inlined from; null for the class itself. */
  readonly class: string | null;
  readonly method: string;
  readonly originalFrom: number | null;
  readonly originalTo: number | null;
  facts: readonly Fact[];
};

type Fact =
  | { readonly id: 'rewriteFrame'; readonly throws: readonly string[]; readonly removes: number }
  | { readonly id: 'outline' }
  /** The compiler added the method, such as for a lambda. */
  | { readonly id: 'synthesized' }
  | { readonly id: 'outlineCallsite'; readonly positions: Readonly<Record<string, number>> };

/** `isOfSource`: whether the sources have the function. */
type Resolved = { readonly frame: JavaFrame; readonly isOfSource: boolean };

type ClassRange = { readonly original: string; readonly start: number; readonly end: number };
type ClassMembers = { readonly original: string; readonly methods: ReadonlyMap<string, readonly Member[]> };

const CLASS = /^([^\s:#][^\s:]{0,1000}) -> ([^\s:]{1,1000}):\s*$/;
const MEMBER =
  /^\s+(?:(\d{1,10}):(\d{1,10}):)?[^\s(:]{1,2000} ([^\s(:]{1,1000})\([^)]{0,8000}\)(?::(\d{1,10}))?(?::(\d{1,10}))? -> ([^\s:]{1,1000})\s*$/;
const FACT = /^\s*# (\{.{1,8000}\})\s*$/;
/** Longer ones are none that a compiler writes. */
const MAX_LINE = 12_000;
/** What is written instead of a file, such as for a class that R8 added. */
const NO_FILE = /^(?:SourceFile|Unknown Source|PG|r8-map-id-.*|R8\$\$SyntheticClass|D8\$\$SyntheticClass)$/i;
/** Frames that one frame can stand for. */
const MAX_INLINED = 64;

export class ProguardMapping {
  readonly #text: string;
  /** The keys are renamed classes. */
  readonly #classes = new Map<string, ClassRange>();
  /** The renamed class by the original one. */
  readonly #renamed = new Map<string, string>();
  readonly #members = new Map<string, ClassMembers>();
  readonly #files = new Map<string, string | null>();

  /** Throws a MappingError if the text has no classes. */
  constructor(text: string) {
    this.#text = text;
    let open: { renamed: string; original: string; start: number } | null = null;
    const close = (end: number) => {
      if (open === null) return;
      this.#classes.set(open.renamed, { original: open.original, start: open.start, end });
      this.#renamed.set(open.original, open.renamed);
    };
    for (const { start, end } of linesOf(text, 0, text.length)) {
      const first = text.charCodeAt(start);
      // Members are indented; comments of a class are not.
      if (first === SPACE || first === TAB || first === HASH || end === start || end - start > MAX_LINE) continue;
      const [, original, renamed] = CLASS.exec(text.slice(start, end)) ?? [];
      if (original === undefined || renamed === undefined) continue;
      close(start);
      open = { renamed, original, start: end };
    }
    close(text.length);
    if (this.#classes.size === 0) throw new MappingError('it is not a mapping of ProGuard or R8');
  }

  /** The name of a class before it was renamed; the same name for one that wasn't. */
  classOf(renamed: string): string {
    return this.#classes.get(renamed)?.original ?? renamed;
  }

  /**
   * The frames as the sources have them, innermost first. A frame becomes several where functions were inlined.
   * `thrown`: the renamed class of the exception.
   */
  resolve(frames: readonly JavaFrame[], thrown = ''): JavaFrame[][] {
    let outlined: number | null = null;
    const found = frames.map((frame, index): readonly Resolved[] => {
      const { members, line } = this.#membersAt(frame, outlined);
      if (members.some((member) => has(member, 'outline'))) {
        // Code that several functions have in common was moved to one of its own. The caller knows whose it was.
        outlined = frame.line;
        return [];
      }
      outlined = null;
      const original = this.classOf(frame.class);
      if (members.length === 0)
        return [{ frame: { ...frame, class: original, file: this.#fileOf(original, frame.file) }, isOfSource: true }];
      return members
        .slice(index === 0 ? this.#removed(members, thrown) : 0)
        .map((member) => ({ frame: this.#resolved(frame, member, line), isOfSource: !has(member, 'synthesized') }));
    });
    // The sources have no such method, so it says something only if there is nothing else.
    const isKnown = found.some((each) => each.some(({ isOfSource }) => isOfSource));
    return found.map((each) => each.flatMap(({ frame, isOfSource }) => (isOfSource || !isKnown ? frame : [])));
  }

  #resolved(frame: JavaFrame, member: Member, line: number | null): JavaFrame {
    const original = member.class ?? this.classOf(frame.class);
    return {
      class: original,
      method: member.method,
      file: this.#fileOf(original, member.class === null ? frame.file : ''),
      line: lineOf(member, line),
    };
  }

  /** The functions at the line of a frame, the innermost first, and the line to look up in them. */
  #membersAt(
    { class: renamed, method, line }: JavaFrame,
    outlined: number | null,
  ): { members: readonly Member[]; line: number | null } {
    const all = this.#membersOf(renamed)?.methods.get(method) ?? [];
    const found = matching(all, line);
    if (outlined === null) return { members: found, line };
    const callsite = found.flatMap(({ facts }) => facts).find((fact) => fact.id === 'outlineCallsite');
    const position = callsite?.positions[String(outlined)];
    return position === undefined ? { members: found, line } : { members: matching(all, position), line: position };
  }

  /** How many of the innermost functions aren't part of the stack of this exception, as R8 says. */
  #removed(members: readonly Member[], thrown: string): number {
    const rules = members.flatMap(({ facts }) => facts).filter((fact) => fact.id === 'rewriteFrame');
    const rule = rules.find(({ throws }) => throws.every((each) => each === thrown || each === this.classOf(thrown)));
    return rule === undefined ? 0 : Math.min(rule.removes, members.length - 1);
  }

  #membersOf(renamed: string): ClassMembers | undefined {
    const known = this.#members.get(renamed);
    const range = this.#classes.get(renamed);
    if (known !== undefined || range === undefined) return known;
    const methods = new Map<string, Member[]>();
    let last: Member | null = null;
    for (const { start, end } of linesOf(this.#text, range.start, range.end)) {
      if (end - start > MAX_LINE) continue;
      const text = this.#text.slice(start, end);
      const fact = FACT.exec(text)?.[1];
      if (fact !== undefined) {
        if (last !== null) last.facts = [...last.facts, ...factsOf(fact)];
        continue;
      }
      const parsed = memberOf(text);
      if (parsed === null) continue;
      last = parsed.member;
      const same = methods.get(parsed.renamed) ?? [];
      same.push(last);
      methods.set(parsed.renamed, same);
    }
    const members = { original: range.original, methods };
    this.#members.set(renamed, members);
    return members;
  }

  /** R8 writes it as a comment of the class. Otherwise the name of the outermost class has to do. */
  #fileOf(original: string, sent: string): string {
    const known = this.#files.get(original);
    const file = known === undefined ? this.#readFile(original) : known;
    if (known === undefined) this.#files.set(original, file);
    if (file !== null) return file;
    if (sent !== '' && !NO_FILE.test(sent)) return sent;
    const outer = original.slice(original.lastIndexOf('.') + 1).split('$', 1)[0]!;
    return outer === '' ? '' : outer.endsWith('Kt') ? `${outer.slice(0, -2)}.kt` : `${outer}.java`;
  }

  #readFile(original: string): string | null {
    const range = this.#classes.get(this.#renamed.get(original) ?? '');
    if (range === undefined) return null;
    for (const { start, end } of linesOf(this.#text, range.start, range.end)) {
      const text = this.#text.slice(start, Math.min(end, start + MAX_LINE));
      const fact = FACT.exec(text)?.[1];
      // Facts of the class come before its members.
      if (fact === undefined) {
        if (text.trim() === '') continue;
        return null;
      }
      const { id, fileName } = parseFact(fact);
      if (id === 'sourceFile' && typeof fileName === 'string' && !NO_FILE.test(fileName)) return fileName.slice(0, 300);
    }
    return null;
  }
}

const [SPACE, TAB, HASH] = [32, 9, 35];

function* linesOf(text: string, from: number, to: number): Generator<{ start: number; end: number }> {
  for (let start = from; start < to; ) {
    const found = text.indexOf('\n', start);
    const next = found < 0 || found > to ? to : found;
    yield { start, end: text.charCodeAt(next - 1) === 13 && next > start ? next - 1 : next };
    start = next + 1;
  }
}

function memberOf(line: string): { member: Member; renamed: string } | null {
  const [, from, to, name = '', originalFrom, originalTo, renamed] = MEMBER.exec(line) ?? [];
  if (renamed === undefined) return null;
  const dot = name.lastIndexOf('.');
  const number = (text: string | undefined) => (text === undefined ? null : Number(text));
  return {
    renamed,
    member: {
      from: number(from),
      to: number(to),
      class: dot < 0 ? null : name.slice(0, dot),
      method: name.slice(dot + 1),
      originalFrom: number(originalFrom),
      originalTo: number(originalTo),
      facts: [],
    },
  };
}

function has({ facts }: Member, id: Fact['id']): boolean {
  return facts.some((fact) => fact.id === id);
}

/** The members with one range of lines, which are inlined into each other. */
function matching(all: readonly Member[], line: number | null): readonly Member[] {
  if (line !== null && line > 0) {
    const first = all.find(({ from, to }) => from !== null && to !== null && from <= line && line <= to);
    if (first !== undefined)
      return all.filter(({ from, to }) => from === first.from && to === first.to).slice(0, MAX_INLINED);
  }
  const plain = all.filter(({ from }) => from === null || from === 0);
  const [first] = plain.length === 0 ? all : plain;
  if (first === undefined) return [];
  // A compiler that left out all lines still notes what was inlined.
  if (first.from === 0 && plain.length === all.length && all.every(({ to }) => to === first.to))
    return all.slice(0, MAX_INLINED);
  // Without a line, overloads look the same, but most have one name.
  const isClear = all.every((member) => member.method === first.method && member.class === first.class);
  return isClear ? [{ ...first, ...(line === null && { originalFrom: null, originalTo: null }) }] : [];
}

function lineOf({ from, to, originalFrom, originalTo }: Member, line: number | null): number | null {
  if (originalFrom === null) return line;
  if (originalFrom === 0) return null;
  if (line === null || from === null || originalTo === null || originalTo === originalFrom) return originalFrom;
  // Ranges of different lengths don't correspond line by line.
  return to !== null && to - from === originalTo - originalFrom ? originalFrom + (line - from) : originalFrom;
}

function parseFact(text: string): { id: string; readonly [key: string]: unknown } {
  try {
    const json: unknown = JSON.parse(text);
    if (typeof json !== 'object' || json === null) return { id: '' };
    const { id } = json as { id?: unknown };
    return { ...json, id: typeof id === 'string' ? id.replace('com.android.tools.r8.', '') : '' };
  } catch {
    return { id: '' };
  }
}

function factsOf(text: string): Fact[] {
  const { id, conditions, actions, positions } = parseFact(text);
  if (id === 'outline' || id === 'synthesized') return [{ id }];
  if (id === 'outlineCallsite') {
    const entries = typeof positions === 'object' && positions !== null ? Object.entries(positions) : [];
    return [{ id, positions: Object.fromEntries(entries.filter(([, value]) => Number.isInteger(value))) }];
  }
  if (id !== 'rewriteFrame') return [];
  const texts = (value: unknown) => (Array.isArray(value) ? value.map(String) : []);
  const throws = texts(conditions).flatMap(
    (each) => /^throws\(L([^;]{1,500});\)$/.exec(each)?.[1]?.replaceAll('/', '.') ?? [],
  );
  const removes = texts(actions).map((each) => Number(/^removeInnerFrames\((\d{1,3})\)$/.exec(each)?.[1] ?? 0));
  return throws.length === 0 ? [] : [{ id, throws, removes: Math.max(0, ...removes) }];
}
