// Labels that are variants of one function or module, and the one name that stands for all: a player's CPU,
// distribution or driver must not make a group of its own.
import type { TrimPattern } from './pattern-list.ts';

/** `$<name>` in `to` is what the group `(?<name>…)` of the pattern matched. */
export const trimPatterns: readonly TrimPattern[] = [
  {
    match:
      /_+(?:GI_+)?(?<name>mem(?:cpy|move|set|cmp|chr|pcpy)|str(?:len|cpy|cmp|chr|cat|ncpy|ncmp|nlen|rchr|str)|wcs(?:len|cmp|chr))_(?:chk_)?(?:avx|sse|ssse|evex|erms|generic|neon|sve|mops|a64fx|falkor|thunderx|unaligned|ia32|i[56]86|ifunc|power|kunpeng|oryon|zva|asimd)\w*/,
    to: '$<name>',
    why: 'chosen for the CPU',
  },
  { match: /_platform_(?<name>(?:mem|str|b)\w+?)(?:\$VARIANT\$\w+)?/, to: '$<name>', why: 'chosen for the CPU' },
  { match: /(?:avx|sse2?|neon|portable|erms)::(?<name>mem\w+)/, to: '$<name>', why: 'chosen for the CPU' },
  {
    match: /(?<name>mem(?:cpy|set|move|cmp))_(?:repmovs|repstos|avx\w*|sse\w*|ermsb)|_VEC_(?<vec>memcpy|memzero)/,
    to: '$<name>$<vec>',
    why: 'chosen for the CPU',
  },
  { match: /(?<name>\w+)\$VARIANT\$\w+/, to: '$<name>', why: 'chosen for the CPU' },
  {
    match: /_{0,2}(?:GI_+)?libc_(?<name>malloc|calloc|realloc|free|memalign)(?:_impl)?/,
    to: '$<name>',
    why: 'a name inside of libc',
  },
  { match: /__GI_+(?<name>\w+)/, to: '$<name>', why: 'a name inside of libc' },
  {
    match:
      /_(?<name>malloc|free|calloc|realloc|msize|recalloc)_(?:base|dbg|dbg_nolock)|je_(?<je>malloc|calloc|realloc|free)/,
    to: '$<name>$<je>',
    why: 'a name of one allocator',
  },
  { match: /(?<name>libc|libm)-\d+\.\d+(?:\.\d+)?\.so/, to: '$<name>.so.6', why: 'the version of glibc' },
  { match: /(?<name>libpthread)-\d+\.\d+(?:\.\d+)?\.so/, to: '$<name>.so.0', why: 'the version of glibc' },
  { match: /ld-(?:\d+\.\d+(?:\.\d+)?|linux[\w-]*)\.so(?:\.\d+)?/, to: 'ld-linux.so', why: 'the version of glibc' },
  { match: /(?<name>lib\w*(?:nvidia|cuda)[\w-]*\.so)\.\d[\d.]*/, to: '$<name>', why: 'the version of the driver' },
  { match: /(?<name>\S+?\.so\.\d+)(?:\.\d+)+/, to: '$<name>', why: 'the version of a library' },
  { match: /libgallium-[\w.-]+\.so/, to: 'libgallium.so', why: 'the version of Mesa' },
  { match: /libLLVM[-.]?\S*\.so\S*/, to: 'libLLVM.so', why: 'the version of LLVM' },
];
