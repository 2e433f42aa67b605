// Translates DWARF expressions into the postfix notation of STACK CFI rules, as far as that has the operators.
import { Cursor } from '../cursor.ts';
import { DebugSymbolsError } from '../error.ts';
import type { FrameModule } from './frame-module.ts';

const OPERATORS: Readonly<Record<number, string>> = { 27: '/', 28: '-', 29: '%', 30: '*', 34: '+' };
const MAX_OPERATIONS = 100;

/**
 * Returns a text such as `$rbp -8 + ^`; undefined if the expression can't be translated. `initial` is on the stack at
 * the start.
 */
export function translateExpression(bytes: Uint8Array, module: FrameModule, initial?: string): string | undefined {
  try {
    return translate(new Cursor(bytes, module.littleEndian), module, initial === undefined ? [] : [initial]);
  } catch (error) {
    if (error instanceof DebugSymbolsError) return undefined;
    throw error;
  }
}

function translate(cursor: Cursor, { registers }: FrameModule, stack: string[]): string | undefined {
  const based = (register: number, offset: number): boolean => {
    const name = registers[register];
    if (name !== undefined) stack.push(`${name} ${offset} +`);
    return name !== undefined;
  };
  for (let count = 0; cursor.left > 0; count += 1) {
    if (count >= MAX_OPERATIONS) return undefined;
    const operation = cursor.u8();
    if (operation >= 0x30 && operation <= 0x4f) stack.push(String(operation - 0x30));
    else if (operation >= 0x70 && operation <= 0x8f) {
      if (!based(operation - 0x70, cursor.sleb())) return undefined;
    } else if (operation in OPERATORS) {
      const [right, left] = [stack.pop(), stack.pop()];
      if (left === undefined || right === undefined) return undefined;
      stack.push(`${left} ${right} ${OPERATORS[operation]}`);
    } else if (operation === 0x06 || operation === 0x23) {
      const top = stack.pop();
      if (top === undefined) return undefined;
      stack.push(operation === 0x06 ? `${top} ^` : `${top} ${cursor.uleb()} +`);
    } else if (operation === 0x92) {
      if (!based(cursor.uleb(), cursor.sleb())) return undefined;
    } else {
      const constant = readConstant(operation, cursor);
      if (constant === undefined) return undefined;
      stack.push(String(constant));
    }
  }
  return stack.length === 1 ? stack[0] : undefined;
}

function readConstant(operation: number, cursor: Cursor): number | undefined {
  switch (operation) {
    case 0x08:
      return cursor.u8();
    case 0x09:
      return cursor.i8();
    case 0x0a:
      return cursor.u16();
    case 0x0b:
      return cursor.i16();
    case 0x0c:
      return cursor.u32();
    case 0x0d:
      return cursor.i32();
    case 0x10:
      return cursor.uleb();
    case 0x11:
      return cursor.sleb();
    default:
      return undefined;
  }
}
