// The part of the demangler's package that is used. Its own types describe the entry for bundlers.
declare module 'gecko-profiler-demangle/index_bg.js' {
  export function demangle_any(name: string): string;
  export function __wbg_set_wasm(exports: WebAssembly.Exports): void;
}
