// Normalizes function names for signatures: removes what compilers and linkers add to any symbol, detects the language,
// and applies its rules.
import { normalizeCppName } from './cpp-name.ts';
import { normalizeCsharpName, normalizeGoName, normalizeRustName, normalizeSwiftName } from './languages.ts';

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

// Compilers, linkers and C libraries add to a symbol what differs between builds: clone numbers, versions and hashes.

const SUFFIXES: readonly RegExp[] = [
  // How demanglers write them: `draw(int) [clone .cold]`, `draw(int) (.llvm.123)`.
  /(?: (?:\[clone \.[\w.]+\]|\(\.[\w.]+\)))+$/,
  // Parts that GCC, Clang and BOLT split off, and clones for constant arguments, a CPU or a profile: `draw.cold`,
  // `draw.isra.0.part.3`, `draw._omp_fn.1`, `draw.llvm.123`. A bare number belongs to a static or local function.
  /(?<=[^.])(?:\.(?:cold|warm|isra|part|__part|constprop|lto_priv|llvm|localalias|__uniq|_?omp_(?:fn|outlined)(?:_debug__)?|cfi(?:_jt)?|kcfi|memprof|arch_\w+|\d+)\.?)+$/,
  // The same for words that are also names of methods, such as those of C++ coroutines: only after a mangled name, or
  // with a number.
  /(?<=^[_?].{0,127})(?:\.(?:resume|destroy|cleanup|actor|hot|unlikely|startup|exit))+$/,
  /\.(?:resume|destroy|cleanup|actor|hot|unlikely|startup|exit|local|alias|outlined|clone|extracted|simdclone)(?:\.\d+)+$/,
  // Clang's coroutines and the handlers of MSVC: `draw$_ResumeCoro$1`, `draw$catch$3`. They belong to the function.
  /\$(?:_\w{1,32}Coro|fin|catch|dtor)\$\d+$/,
  // A local function that ThinLTO made visible to other modules: `$` and a hash of its module.
  /\$[0-9a-f]{32}$/,
  // A symbol version of the C library: `memcpy@@GLIBC_2.14`. A jump to a function in another module: `memcpy@plt`.
  /@+(?:plt|[A-Z][A-Z_]*_[\d.]+)$/,
  // The size of the arguments on 32-bit Windows: `_WinMain@16`.
  /(?<=\w)@\d{1,3}$/,
  // il2cpp's hash of the method, `Player_Update_m0123…` (40 digits, or up to ten decimal ones in old versions), and
  // what it appends for shared generics and inlined or boxed calls.
  /_m(?:[0-9A-F]{40}|\d{6,10})(?:_gshared|_fshared|_inline|_AdjustorThunk)*$/,
  // Burst's hash of a job: 32 digits.
  /(?<=\w)_[0-9a-f]{32}$/,
];

/** What replaces the rest of a name whose number alone is dropped: a block, a filter, a generated copy function. */
const NUMBERED_SUFFIXES: readonly (readonly [RegExp, string])[] = [
  [/_block_invoke(?:[_.]\d+)+$/, '_block_invoke'],
  [/\$filt\$\d+$/, '$filt'],
  [/^(__(?:copy|destroy)_helper_block_)\w+$/, '$1'],
  [/^(\.omp_outlined)\b.*$/, '$1'],
];

/** Jumps that linkers add: `__ThumbV7PILongThunk_draw`, `__draw_veneer`, `@ILT+25(draw)`. */
const THUNK =
  /^(?:@?ILT\+\d+\((?<ilt>.*)\)|__(?:Thumbv7PI|ThumbV7PI|ARMv7PI|ARMV7PI|AArch64)\w{0,24}Thunk_(?<lld>\w+)|__(?<arm>\w+?)_(?:from_\w+_)?veneer)$/;

/** Characters to search: longer than any suffix, but short enough for the patterns to be fast on any text. */
const TAIL = 128;

/** `draw.constprop.0` becomes `draw`. Other names are returned unchanged. */
function dropSymbolSuffix(name: string): string {
  const thunk = name.length > TAIL ? undefined : THUNK.exec(name)?.groups;
  if (thunk) return dropSymbolSuffix(thunk.ilt ?? thunk.lld ?? thunk.arm ?? '') || name;
  const tail = name.slice(-TAIL);
  const short = SUFFIXES.reduce((text, suffix) => text.replace(suffix, ''), tail);
  const kept = NUMBERED_SUFFIXES.reduce((text, [pattern, by]) => text.replace(pattern, by), short);
  return kept === tail ? name : name.slice(0, name.length - tail.length) + kept;
}
