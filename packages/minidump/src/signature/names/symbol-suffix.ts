// Removes what compilers, linkers and C libraries add to a symbol and that differs between builds: clone numbers,
// versions and hashes.

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
const NUMBERED: readonly (readonly [RegExp, string])[] = [
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
export function dropSymbolSuffix(name: string): string {
  const thunk = name.length > TAIL ? undefined : THUNK.exec(name)?.groups;
  if (thunk) return dropSymbolSuffix(thunk.ilt ?? thunk.lld ?? thunk.arm ?? '') || name;
  const tail = name.slice(-TAIL);
  const short = SUFFIXES.reduce((text, suffix) => text.replace(suffix, ''), tail);
  const kept = NUMBERED.reduce((text, [pattern, by]) => text.replace(pattern, by), short);
  return kept === tail ? name : name.slice(0, name.length - tail.length) + kept;
}
