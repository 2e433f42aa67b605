// Readable names of C++ (Itanium and MSVC) and Rust functions, as Mozilla's dump_syms writes them, and of Swift.
import * as demangler from 'gecko-profiler-demangle/index_bg.js';
import { MAX_TEXT } from './cursor.ts';
import { readDemangler } from './demangler-module.ts';
import { limitMemory } from './memory-limit.ts';
import { demangleSwift } from './swift/demangle-swift.ts';

let module: WebAssembly.Module | undefined;
let memory: WebAssembly.Memory | undefined;
let isLoaded = false;

/** Longer names are of machine-made types. They are cut off, because the demangled name would be longer still. */
const MAX_LENGTH = 32_768;
/**
 * A name refers to its own parts, so that 200 bytes can stand for gigabytes. The demangler has no own limit, and
 * fails when this memory is full: after a tenth of a second, with a name of a megabyte.
 */
const MAX_MEMORY = 4 * 1024 * 1024;
const MANGLED = /^(?:_{1,4}[ZR]|\?|@)/;

/** A name that isn't mangled, or not in a known way, is returned as it is. */
export function demangle(name: string): string {
  if (name.startsWith('$') || name.startsWith('_$')) return demangleSwift(name) ?? name;
  if (!MANGLED.test(name) || name.length > MAX_LENGTH) return name;
  if (!isLoaded) load();
  const bare = withoutClone(name);
  try {
    const readable = demangler.demangle_any(bare);
    // It takes the first underscore away from names that it doesn't know.
    return readable === bare.slice(1) ? bare : cutOff(readable);
  } catch {
    // The module can't go on after it has failed.
    isLoaded = false;
    return name;
  }
}

/** The slice of a string keeps all of it in memory, so that the text is copied. */
function cutOff(text: string): string {
  return text.length > MAX_TEXT ? Buffer.from(text.slice(0, MAX_TEXT)).toString() : text;
}

/** `.llvm.` and a number tell apart functions of the same name that the optimiser has made visible. */
function withoutClone(name: string): string {
  const at = name.indexOf('.llvm.');
  return at < 0 ? name : name.slice(0, at);
}

/** What compilers append to the names of parts and variants of a function: `.cold`, `.isra.0`. */
const PART = /(?<=.)\.(?:cold|isra|constprop|part|lto_priv|llvm|localalias)\b.*$/;

/** The name of the whole function. */
export function withoutPart(name: string): string {
  return name.includes('.') ? name.replace(PART, '') : name;
}

/** Loads WebAssembly from the package, whose own entry needs a bundler. */
function load(): void {
  module ??= new WebAssembly.Module(limitMemory(readDemangler(), MAX_MEMORY));
  const { exports } = new WebAssembly.Instance(module, { './index_bg.js': demangler });
  demangler.__wbg_set_wasm(exports);
  // The package keeps a view of the memory that it used last, until that is detached.
  memory?.grow(0);
  memory = exports.memory as WebAssembly.Memory;
  (exports.__wbindgen_start as () => void)();
  isLoaded = true;
}
