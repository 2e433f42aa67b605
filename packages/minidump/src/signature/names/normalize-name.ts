// A function's name as it goes into a signature: which language it is of, and that language's rules.
import { normalizeCppName } from './cpp-name.ts';
import { normalizeGoName } from './go-name.ts';
import { normalizeRustName } from './rust-name.ts';
import { normalizeSwiftName } from './swift-name.ts';
import { dropSymbolSuffix } from './symbol-suffix.ts';

const OBJC_METHOD = /^(?:__\d+)?[-+]\[/;
const RUST =
  /::h[0-9a-f]{16}$|17h[0-9a-f]{16}E$|\$LT\$|\{\{[\w.]+\}\}|\{closure#\d+\}|\{(?:impl|shim)[#:]|^<(?:[^<>]|<[^<>]*>)* as |<impl /;
const GO = /^(?:[\w.-]+\/)*[\w.-]+\.\(\*?\w+(?:\[[^\]]*\])?\)\./;
const SWIFT =
  /^(?:closure #\d+ |implicit closure #|specialized |generic specialization <|partial apply |protocol witness for |dispatch thunk of |merged |@objc |\(extension in )/;
/** The patterns above look at this much of a name, so that a name of any length costs the same. */
const TELLTALE_LENGTH = 512;

/**
 * The name without what differs between builds and callers of the same function: return type, arguments, template
 * arguments, hashes, clone numbers. `file` is where the function's source is, when known; it can tell the language.
 * Never throws, takes time linear in the name's length, and gives '' only for a blank name.
 */
export function normalizeName(name: string, file: string | null): string {
  const language = languageOf(file);
  if (name.length > LONGEST_KEPT) return normalizeAs(language, name);
  const key = `${language} ${name}`;
  const kept = latest.get(key);
  if (kept !== undefined) return kept;
  if (latest.size === MOST_KEPT) latest.clear();
  const normalized = normalizeAs(language, name);
  latest.set(key, normalized);
  return normalized;
}

/** By language, which has no space in it, and name: stacks have names in common with those that were looked at before. */
const latest = new Map<string, string>();
const MOST_KEPT = 4096;
const LONGEST_KEPT = 512;

type Language = 'rs' | 'go' | 'swift' | '';

/** What the file’s ending tells; '' for the others, most of which are C and C++. */
function languageOf(file: string | null): Language {
  const extension = file?.slice(file.lastIndexOf('.') + 1).toLowerCase();
  return extension === 'rs' || extension === 'go' || extension === 'swift' ? extension : '';
}

function normalizeAs(language: Language, name: string): string {
  return normalizeByLanguage(language, name) || name.trim();
}

function normalizeByLanguage(language: Language, name: string): string {
  const sample = telltale(name);
  if (OBJC_METHOD.test(sample)) return name.trim().replace(/_block_invoke(?:[_.]\d+)*$/, '_block_invoke');
  if (language === 'rs' || RUST.test(sample)) return normalizeRustName(name);
  if (language === 'go' || GO.test(sample)) return normalizeGoName(name);
  if (language === 'swift' || SWIFT.test(sample)) return normalizeSwiftName(name);
  return normalizeCppName(dropSymbolSuffix(name.trim()));
}

function telltale(name: string): string {
  if (name.length <= TELLTALE_LENGTH) return name;
  return `${name.slice(0, TELLTALE_LENGTH / 2)} ${name.slice(-TELLTALE_LENGTH / 2)}`;
}
