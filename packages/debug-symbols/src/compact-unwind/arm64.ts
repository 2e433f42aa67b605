// Explains compact unwind encodings of arm64. The bits are those of Apple's header mach-o/compact_unwind_encoding.h.
import type { Rules } from '../windows-unwind/row-writer.ts';

/** The rule for a return address that is still in its register, as Mozilla's dump_syms writes it. */
export const LINK_REGISTER = 'x30 0 +';

/** Pairs of registers, by the bits that say that they are saved. */
const PAIRS = [
  [0x01, 'x19', 'x20'],
  [0x02, 'x21', 'x22'],
  [0x04, 'x23', 'x24'],
  [0x08, 'x25', 'x26'],
  [0x10, 'x27', 'x28'],
  [0x100, 'd8', 'd9'],
  [0x200, 'd10', 'd11'],
  [0x400, 'd12', 'd13'],
  [0x800, 'd14', 'd15'],
] as const;

/**
 * Returns the rules of a function after its prologue. Returns undefined if the encoding doesn't have them: there are none,
 * or they are in `__eh_frame`.
 */
export function describeArm64(encoding: number): Rules | undefined {
  switch ((encoding >>> 24) & 0xf) {
    case 2: {
      const size = ((encoding >>> 12) & 0xfff) * 16;
      return new Map([['.cfa', `sp ${size} +`], ['.ra', LINK_REGISTER], ...savedPairs(encoding, 0)]);
    }
    case 4:
      // x29 and the link register are stored right below the CFA, and the pairs follow below them.
      return new Map([
        ['.cfa', 'x29 16 +'],
        ['x29', '.cfa -16 + ^'],
        ['.ra', '.cfa -8 + ^'],
        ...savedPairs(encoding, -16),
      ]);
    default:
      return undefined;
  }
}

/** The pairs follow each other downwards from an offset, the first register of a pair above the second one. */
function* savedPairs(encoding: number, top: number): Generator<[string, string]> {
  let offset = top;
  for (const [bit, first, second] of PAIRS) {
    if ((encoding & bit) === 0) continue;
    yield [first, `.cfa ${offset - 8} + ^`];
    yield [second, `.cfa ${offset - 16} + ^`];
    offset -= 16;
  }
}
