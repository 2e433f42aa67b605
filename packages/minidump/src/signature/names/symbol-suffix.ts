// What compilers, linkers and C libraries append to a plain symbol, and that differs between builds of the same code.

const SUFFIXES: readonly RegExp[] = [
  // Parts that gcc or clang split off, and clones for constant arguments: `draw.cold`, `draw.isra.0.part.3`.
  /(?:\.(?:cold|isra|part|constprop|lto_priv|llvm|localalias|resume|destroy|cleanup|__uniq)(?:\.\d+)*)+$/,
  // A version of the C library: `memcpy@@GLIBC_2.14`. The jump to a function in another module: `memcpy@plt`.
  /@+(?:plt|[A-Z][A-Z_]*_[\d.]+)$/,
  // 32-bit Windows appends the bytes of the arguments: `_WinMain@16`.
  /(?<=\w)@\d{1,3}$/,
  // il2cpp appends a hash of the method: `Player_Update_m0123…` (40 digits), and `_gshared` to code shared by generics.
  /_m[0-9A-F]{40}(?:_gshared(?:_inline)?|_inline)?$/,
];

/** Longer than any suffix, and short enough for the patterns to be quick on any text. */
const TAIL = 128;

/** `draw.constprop.0` is `draw`. The other texts stay as they are. */
export function dropSymbolSuffix(name: string): string {
  const tail = name.slice(-TAIL);
  const kept = SUFFIXES.reduce((text, suffix) => text.replace(suffix, ''), tail);
  return kept === tail ? name : name.slice(0, name.length - tail.length) + kept;
}
