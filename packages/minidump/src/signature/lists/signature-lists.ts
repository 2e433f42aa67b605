// All lists that the signature rules use, compiled once. A studio can add its own entries. Also has the names that replace
// variants of a label.
import { irrelevantPatterns } from './irrelevant.ts';
import { compilePatterns, compileTrims, type Pattern, type PatternList, type TrimPattern } from './pattern-list.ts';
import { prefixPatterns } from './prefix.ts';
import { abortReasons, faultReasons, loaderModules, runtimeModules } from './runtime-aborts.ts';
import { abortSentinels, handlingSentinels, sentinelPatterns } from './sentinel.ts';
import { systemModules } from './system-modules.ts';

/**
 * Labels that are variants of one function or module, and the common name that replaces them: a player's CPU,
 * distribution or driver version must not create a separate group. `$<name>` in `to` inserts what the group `(?<name>…)`
 * of the pattern matched.
 */
export const trimPatterns: readonly TrimPattern[] = [
  {
    match:
      /_+(?:GI_+)?(?<name>mem(?:cpy|move|set|cmp|chr|pcpy)|str(?:len|cpy|cmp|chr|cat|ncpy|ncmp|nlen|rchr|str)|wcs(?:len|cmp|chr))_(?:chk_)?(?:avx|sse|ssse|evex|erms|generic|neon|sve|mops|a64fx|falkor|thunderx|unaligned|ia32|i[56]86|ifunc|power|kunpeng|oryon|zva|asimd)\w*/,
    to: '$<name>',
    why: 'CPU-specific variant',
  },
  { match: /_platform_(?<name>(?:mem|str|b)\w+?)(?:\$VARIANT\$\w+)?/, to: '$<name>', why: 'CPU-specific variant' },
  { match: /(?:avx|sse2?|neon|portable|erms)::(?<name>mem\w+)/, to: '$<name>', why: 'CPU-specific variant' },
  {
    match: /(?<name>mem(?:cpy|set|move|cmp))_(?:repmovs|repstos|avx\w*|sse\w*|ermsb)|_VEC_(?<vec>memcpy|memzero)/,
    to: '$<name>$<vec>',
    why: 'CPU-specific variant',
  },
  { match: /(?<name>\w+)\$VARIANT\$\w+/, to: '$<name>', why: 'CPU-specific variant' },
  {
    match: /_{0,2}(?:GI_+)?libc_(?<name>malloc|calloc|realloc|free|memalign)(?:_impl)?/,
    to: '$<name>',
    why: 'libc-internal name',
  },
  { match: /__GI_+(?<name>\w+)/, to: '$<name>', why: 'libc-internal name' },
  {
    match:
      /_(?<name>malloc|free|calloc|realloc|msize|recalloc)_(?:base|dbg|dbg_nolock)|je_(?<je>malloc|calloc|realloc|free)/,
    to: '$<name>$<je>',
    why: 'allocator-specific name',
  },
  { match: /(?<name>libc|libm)-\d+\.\d+(?:\.\d+)?\.so/, to: '$<name>.so.6', why: 'glibc version' },
  { match: /(?<name>libpthread)-\d+\.\d+(?:\.\d+)?\.so/, to: '$<name>.so.0', why: 'glibc version' },
  { match: /ld-(?:\d+\.\d+(?:\.\d+)?|linux[\w-]*)\.so(?:\.\d+)?/, to: 'ld-linux.so', why: 'glibc version' },
  { match: /(?<name>lib\w*(?:nvidia|cuda)[\w-]*\.so)\.\d[\d.]*/, to: '$<name>', why: 'driver version' },
  { match: /(?<name>\S+?\.so\.\d+)(?:\.\d+)+/, to: '$<name>', why: 'library version' },
  { match: /libgallium-[\w.-]+\.so/, to: 'libgallium.so', why: 'Mesa version' },
  { match: /libLLVM[-.]?\S*\.so\S*/, to: 'libLLVM.so', why: 'LLVM version' },
];

export type SignatureLists = {
  readonly irrelevant: PatternList;
  readonly prefix: PatternList;
  readonly sentinel: PatternList;
  /** Frames at which the signature ends, whatever the other lists say. Only a studio has such entries. */
  readonly end: PatternList;
  readonly handlingSentinel: PatternList;
  readonly abortSentinel: PatternList;
  readonly trim: (label: string) => string;
  readonly abortReasons: PatternList;
  readonly faultReasons: PatternList;
  readonly runtimeModules: PatternList;
  readonly loaderModules: PatternList;
  readonly systemModules: PatternList;
};

/** A studio's own entries. They are checked before the built-in lists. */
type ExtraPatterns = {
  readonly irrelevant?: readonly Pattern[];
  readonly prefix?: readonly Pattern[];
  readonly sentinel?: readonly Pattern[];
  readonly end?: readonly Pattern[];
  readonly trim?: readonly TrimPattern[];
};

/** Compiles the lists. This is expensive: reuse the result for all signatures. */
export function compileSignatureLists(extra: ExtraPatterns = {}): SignatureLists {
  return {
    irrelevant: compilePatterns([...(extra.irrelevant ?? []), ...irrelevantPatterns]),
    prefix: compilePatterns([...(extra.prefix ?? []), ...prefixPatterns]),
    sentinel: compilePatterns([...(extra.sentinel ?? []), ...sentinelPatterns]),
    end: compilePatterns(extra.end ?? []),
    abortSentinel: compilePatterns(abortSentinels),
    handlingSentinel: compilePatterns(handlingSentinels),
    trim: compileTrims([...(extra.trim ?? []), ...trimPatterns]),
    abortReasons: compilePatterns(abortReasons),
    faultReasons: compilePatterns(faultReasons),
    runtimeModules: compilePatterns(runtimeModules),
    loaderModules: compilePatterns(loaderModules),
    systemModules: compilePatterns(systemModules),
  };
}

export const defaultLists: SignatureLists = compileSignatureLists();

type OwnLists = Partial<Pick<SignatureLists, 'irrelevant' | 'prefix' | 'sentinel' | 'end'>>;

/** The lists with entries of a studio, which are checked first. Cheap, because nothing is compiled again. */
export function extendLists(lists: SignatureLists, own: OwnLists): SignatureLists {
  const both = (name: keyof OwnLists): PatternList => ({
    find: (label) => own[name]?.find(label) ?? lists[name].find(label),
  });
  return {
    ...lists,
    irrelevant: both('irrelevant'),
    prefix: both('prefix'),
    sentinel: both('sentinel'),
    end: both('end'),
  };
}
