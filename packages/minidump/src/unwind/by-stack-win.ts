// Finds a caller on x86 by a STACK WIN record: by its program (frame data), or by the sizes in it (FPO data).
import type { StackWin } from '../symbols/module-symbols.ts';
import { runProgram, type Variables } from '../symbols/stack-win.ts';
import { scan, wordsToScan } from './scan.ts';
import {
  type Caller,
  requireRegister,
  type StackFrame,
  stackOfFrame,
  type Technique,
  type UnwindContext,
} from './unwinder.ts';

/** How many words above its computed position the return address may be, because the stack may have been aligned. */
const ALIGNMENT_WORDS = 3;

export const byStackWin: Technique = (frame, context, callee) => {
  const record = recordOf(frame);
  if (record === undefined || frame.registers.get('ebp') === undefined) return undefined;
  context.budget.steps -= record.program?.length ?? 0;
  const parameters = callee === undefined ? 0n : parameterSizeOf(callee);
  const variables = startingVariables(frame, record, parameters, context);
  const assigned = runProgram(programOf(record, variables), variables, context.memory);
  if (assigned === undefined || !assigned.has('$eip') || !assigned.has('$esp')) return undefined;
  const correction = correctResult(variables, frame, context);
  if (!preservesFramePointer(record)) recoverFramePointer(variables, frame, record, parameters, correction, context);
  return callerOf(variables, assigned, correction === undefined ? 'cfi' : 'cfi_scan');
};

function recordOf({ module, symbols, instruction }: StackFrame): StackWin | undefined {
  return module === undefined ? undefined : symbols?.stackWinAt(Number(instruction - module.base));
}

/** The size of the callee's arguments on the stack, in bytes. They are between the callee's frame and this frame's data. */
function parameterSizeOf(callee: StackFrame): bigint {
  return BigInt(recordOf(callee)?.parameterSize ?? callee.place?.parameterSize ?? 0);
}

/** The variables that programs use, with the names in Microsoft's and Breakpad's documentation. */
function startingVariables(frame: StackFrame, record: StackWin, parameters: bigint, context: UnwindContext): Variables {
  const esp = requireRegister(frame, 'esp');
  const ebp = requireRegister(frame, 'ebp');
  const frameSize = parameters + BigInt(record.localSize) + BigInt(record.savedRegisterSize);
  const computed = BigInt.asUintN(32, esp + frameSize);
  // A program that aligns the stack cannot use esp. It uses ebp, and the return address is above it.
  const search = record.program?.includes('@') ? ebp + 4n : (scan(computed, ALIGNMENT_WORDS, context)?.at ?? computed);
  const variables: Variables = new Map([
    ['$esp', esp],
    ['$ebp', ebp],
    ['.cbParams', BigInt(record.parameterSize)],
    ['.cbCalleeParams', parameters],
    ['.cbSavedRegs', BigInt(record.savedRegisterSize)],
    ['.cbLocals', BigInt(record.localSize)],
    ['.raSearch', search],
    ['.raSearchStart', search],
  ]);
  const ebx = frame.registers.get('ebx');
  if (ebx !== undefined) variables.set('$ebx', ebx);
  return variables;
}

/** The program that an FPO record represents. Short functions in ntdll with such records preserve ebx. */
function programOf(record: StackWin, variables: Variables): string {
  if (record.program !== undefined) return record.program;
  const returned = '$eip .raSearchStart ^ = $esp .raSearchStart 4 + =';
  if (record.allocatesBasePointer) return `$ebp $esp .cbCalleeParams + .cbSavedRegs + 8 - ^ = ${returned}`;
  return variables.has('$ebx') ? `${returned} $ebx $ebx =` : returned;
}

/** Whether the function does not change ebp. */
function preservesFramePointer({ program, allocatesBasePointer }: StackWin): boolean {
  return program === undefined && !allocatesBasePointer;
}

/**
 * Replaces a return address outside all modules if a scan finds a better one, and returns how many bytes further up that
 * was. Some compilers write wrong sizes: MSVC 14 with link-time code generation writes 0 for the saved registers.
 */
function correctResult(variables: Variables, frame: StackFrame, context: UnwindContext): bigint | undefined {
  const eip = variables.get('$eip')!;
  const isEndOfStack = eip === 0n && variables.get('$ebp') === 0n;
  if (isEndOfStack || context.modules.at(eip) !== undefined) return undefined;
  const start = variables.get('.raSearchStart')! + 4n;
  const hit = scan(start, wordsToScan(frame), context);
  if (hit === undefined) return undefined;
  variables.set('$eip', hit.returnAddress);
  variables.set('$esp', hit.at + 4n);
  return hit.at - start;
}

/** If ebp does not point to the stack, searches for it among the saved registers, from the top: prologs save it first. */
function recoverFramePointer(
  variables: Variables,
  frame: StackFrame,
  record: StackWin,
  parameters: bigint,
  correction: bigint | undefined,
  context: UnwindContext,
): void {
  const stack = stackOfFrame(frame, context);
  const ebp = variables.get('$ebp')!;
  const offset = correction ?? 0n;
  const skippedFrames = correction !== undefined && ebp <= variables.get('.raSearchStart')! + offset;
  if (!skippedFrames && stack.word(ebp, 4) !== undefined) return;
  const lowest = requireRegister(frame, 'esp') + parameters;
  for (let at = lowest + BigInt(record.savedRegisterSize) + offset; at >= lowest; at -= 4n) {
    const candidate = stack.word(at, 4);
    if (candidate === undefined) return;
    if (stack.word(candidate, 4) === undefined) continue;
    variables.set('$ebp', candidate);
    return;
  }
}

function callerOf(variables: Variables, assigned: ReadonlySet<string>, trust: 'cfi' | 'cfi_scan'): Caller {
  const registers = new Map<string, bigint>();
  for (const name of ['eip', 'esp', 'ebp']) registers.set(name, variables.get(`$${name}`)!);
  for (const name of ['ebx', 'esi', 'edi']) {
    const value = assigned.has(`$${name}`) ? variables.get(`$${name}`) : undefined;
    if (value !== undefined) registers.set(name, value);
  }
  return { registers, trust };
}
