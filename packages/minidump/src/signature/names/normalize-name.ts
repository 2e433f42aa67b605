// Normalizes function names for signatures: detects the language and applies its rules.
import { normalizeCppName } from './cpp-name.ts';
import { normalizeCsharpName } from './csharp-name.ts';
import { normalizeGoName } from './go-name.ts';
import { normalizeRustName } from './rust-name.ts';
import { normalizeSwiftName } from './swift-name.ts';
import { dropSymbolSuffix } from './symbol-suffix.ts';

const OBJC_METHOD = /^(?:__\d+)?[-+]\[/;
/**
 * Legacy names by their hash or escapes. Names of v0 mangling by what they number, by `<A as B>` and `<A>::f`, where
 * C++ only has an unnamed type, and by the generic arguments of a function, `swap::<u8>`.
 */
const RUST =
  /::h[0-9a-f]{16}(?=$|::|[.<( ])|17h[0-9a-f]{16}E$|\$LT\$|\{\{[\w.]+\}\}|\{(?:closure|closure_env|impl|shim|constant|coroutine|async_\w+)[#:]|\b(?:impl|closure|closure_env|async_fn|async_fn_env|async_block|async_block_env)\$\d|^<(?:[^<>]|<[^<>]*>)* as |<impl |^<(?!lambda|unnamed|anonymous|[^<>]*>[a-z]__)(?=[^>]).*>::\w|::<(?!lambda|unnamed|anonymous|name omitted)[^<>]+(?:<[^<>]*>[^<>]*)*>(?:$|::)/;
const GO = /^(?:[\w.-]+\/)*[\w.-]+\.(?:\(\*?\w+(?:\[[^\]]*\])?\)\.|\w+\.(?:func|gowrap|deferwrap)\d)/;
const SWIFT =
  /^(?:closure #\d+ |implicit closure #|specialized |generic specialization <|partial apply |protocol witness for |dispatch thunk of |merged |outlined \w+ |default argument \d+ of |\(\d+\) (?:await|suspend) resume |@objc |\(extension in )|^\w+ #\d+ .*\bin /;
/** Names that the compiler derives from a method, arity of generics, and what surrounds methods in Mono and il2cpp. */
const CSHARP = /<[\w.]*>[a-z]__|<>[a-z]\b|`\d+[[<+./:]|^\(wrapper |U3C\w*U3E/;
/** A frame that Swift inlines where a check failed. The text says which: `Swift runtime failure: arithmetic overflow`. */
const SWIFT_FAILURE = /^Swift runtime failure: /;
/** How many characters of a name the patterns above see, so that detection costs the same for names of any length. */
const SAMPLE_LENGTH = 512;

/**
 * Removes everything that differs between builds and callers of the same function: return type, arguments, template
 * arguments, hashes and clone numbers. `file` is the function's source file, if known; its extension can determine the
 * language. Never throws, takes time linear in the length of the name, and returns '' only for a blank name.
 */
export function normalizeName(name: string, file: string | null): string {
  const language = languageOf(file);
  if (name.length > MAX_CACHED_LENGTH) return normalizeAs(language, name);
  const key = `${language} ${name}`;
  const cached = cache.get(key);
  if (cached !== undefined) return cached;
  if (cache.size === MAX_CACHED) cache.clear();
  const normalized = normalizeAs(language, name);
  cache.set(key, normalized);
  return normalized;
}

/** Normalized names by language and name, separated by a space. Stacks share many names. */
const cache = new Map<string, string>();
const MAX_CACHED = 4096;
const MAX_CACHED_LENGTH = 512;

type Language = 'rs' | 'go' | 'swift' | 'cs' | '';
const LANGUAGES: readonly string[] = ['rs', 'go', 'swift', 'cs'] satisfies readonly Language[];

/** The language of the file's extension; '' for all others, most of which are C and C++. */
function languageOf(file: string | null): Language {
  const extension = file?.slice(file.lastIndexOf('.') + 1).toLowerCase() ?? '';
  return LANGUAGES.includes(extension) ? (extension as Language) : '';
}

function normalizeAs(language: Language, name: string): string {
  return normalizeByLanguage(language, name) || name.trim();
}

function normalizeByLanguage(language: Language, symbol: string): string {
  const name = dropSymbolSuffix(symbol.trim());
  const sample = sampleOf(name);
  if (OBJC_METHOD.test(sample) || SWIFT_FAILURE.test(sample)) return name;
  if (language === 'rs' || RUST.test(sample)) return normalizeRustName(name);
  if (language === 'go' || GO.test(sample)) return normalizeGoName(name);
  if (language === 'swift' || SWIFT.test(sample)) return normalizeSwiftName(name);
  if (language === 'cs' || CSHARP.test(sample)) return normalizeCsharpName(name);
  return normalizeCppName(name);
}

/** The name, or the beginning and the end of a long name. */
function sampleOf(name: string): string {
  if (name.length <= SAMPLE_LENGTH) return name;
  return `${name.slice(0, SAMPLE_LENGTH / 2)} ${name.slice(-SAMPLE_LENGTH / 2)}`;
}
