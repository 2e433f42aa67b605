// Labels that are variants of one function or module, and the common name that replaces them: a player's CPU,
// distribution or driver version must not create a separate group.
import type { TrimPattern } from './pattern-list.ts';

/** `$<name>` in `to` inserts what the group `(?<name>…)` of the pattern matched. */
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
