// The WebAssembly of the demangler. A bundle has it inside of this module instead (scripts/release/bundle-command.ts).
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

export function readDemangler(): Buffer<ArrayBuffer> {
  return readFileSync(fileURLToPath(import.meta.resolve('gecko-profiler-demangle/index_bg.wasm')));
}
