// Builds frames for the tests of signatures.
import type { Frame } from '../src/report.ts';

/** Returns a frame with these fields; the other fields are unknown. */
export function frameOf(fields: Partial<Frame>): Frame {
  return {
    frame: 0,
    trust: 'cfi',
    offset: '0x0000000000401000',
    return_address: '0x0000000000401001',
    module: null,
    module_offset: null,
    function: null,
    function_offset: null,
    file: null,
    line: null,
    line_offset: null,
    inlines: [],
    missing_symbols: true,
    unloaded_modules: [],
    registers: {},
    ...fields,
  };
}

/** Returns one frame for each function, innermost first, all in the module `game`. */
export function stackOf(...functions: string[]): Frame[] {
  return functions.map((name, frame) => frameOf({ frame, module: 'game', function: name }));
}
