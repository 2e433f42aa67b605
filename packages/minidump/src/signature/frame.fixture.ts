// Frames for the tests of this folder, with only what a test is about.
import type { Frame } from '../report.ts';

/** A frame; what is not given is not known. */
export function frameOf(known: Partial<Frame>): Frame {
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
    ...known,
  };
}

/** One frame for each function, the innermost first, all in the game's module. */
export function stackOf(...functions: string[]): Frame[] {
  return functions.map((name, frame) => frameOf({ frame, module: 'game', function: name }));
}
