// Finds a caller on x86 by a STACK WIN record: the program of its frame data, or the sizes of frame-pointer omission.
import type { StackWin } from '../symbols/module-symbols.ts';
import { runProgram, type Variables } from '../symbols/stack-win.ts';
import { scan, wordsToScan } from './scan.ts';
import { type Caller, known, type StackFrame, type Surroundings, stackOf, type Technique } from './unwinder.ts';

/** Words above the computed place in which a return address still counts as found there: the stack may have been aligned. */
const ALIGNMENT_WORDS = 3;

export const byStackWin: Technique = (frame, around, callee) => {
  const record = recordOf(frame);
  if (record === undefined || frame.registers.get('ebp') === undefined) return undefined;
  around.budget.steps -= record.program?.length ?? 0;
  const parameters = callee === undefined ? 0n : parameterSizeOf(callee);
  const variables = startingVariables(frame, record, parameters, around);
  const assigned = runProgram(programOf(record, variables), variables, around.memory);
  if (assigned === undefined || !assigned.has('$eip') || !assigned.has('$esp')) return undefined;
  const better = correct(variables, frame, around);
  if (!keepsFrame(record)) repairFramePointer(variables, frame, record, parameters, better, around);
  return callerOf(variables, assigned, better === undefined ? 'cfi' : 'cfi_scan');
};

function recordOf({ module, symbols, instruction }: StackFrame): StackWin | undefined {
  return module === undefined ? undefined : symbols?.stackWinAt(Number(instruction - module.base));
}

/** Bytes of arguments that the frame below took on the stack, and that lie between it and this frame’s own. */
function parameterSizeOf(callee: StackFrame): bigint {
  return BigInt(recordOf(callee)?.parameterSize ?? callee.place?.parameterSize ?? 0);
}

/** The variables that programs expect, by the names that Microsoft’s and Breakpad’s have for them. */
function startingVariables(frame: StackFrame, record: StackWin, parameters: bigint, around: Surroundings): Variables {
  const esp = known(frame, 'esp');
  const ebp = known(frame, 'ebp');
  const frameSize = parameters + BigInt(record.localSize) + BigInt(record.savedRegisterSize);
  const computed = BigInt.asUintN(32, esp + frameSize);
  // A program that aligns the stack has lost where esp was; what it knows is ebp, with the return address above.
  const search = record.program?.includes('@') ? ebp + 4n : (scan(computed, ALIGNMENT_WORDS, around)?.at ?? computed);
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

/** A record without a program means one of two. ebx passes through short functions of ntdll that have such records. */
function programOf(record: StackWin, variables: Variables): string {
  if (record.program !== undefined) return record.program;
  const returned = '$eip .raSearchStart ^ = $esp .raSearchStart 4 + =';
  if (record.allocatesBasePointer) return `$ebp $esp .cbCalleeParams + .cbSavedRegs + 8 - ^ = ${returned}`;
  return variables.has('$ebx') ? `${returned} $ebx $ebx =` : returned;
}

/** Whether ebp came through the function untouched. */
function keepsFrame({ program, allocatesBasePointer }: StackWin): boolean {
  return program === undefined && !allocatesBasePointer;
}

/**
 * Compilers have written records with wrong sizes (MSVC 14 with link-time code generation: 0 for saved registers). So a result in no
 * module is not believed when a scan from there finds one that is. Answers how many bytes further that was.
 */
function correct(variables: Variables, frame: StackFrame, around: Surroundings): bigint | undefined {
  const eip = variables.get('$eip')!;
  const isEndOfStack = eip === 0n && variables.get('$ebp') === 0n;
  if (isEndOfStack || around.modules.at(eip) !== undefined) return undefined;
  const start = variables.get('.raSearchStart')! + 4n;
  const hit = scan(start, wordsToScan(frame), around);
  if (hit === undefined) return undefined;
  variables.set('$eip', hit.returnAddress);
  variables.set('$esp', hit.at + 4n);
  return hit.at - start;
}

/** When ebp points to nothing, the saved one is looked for among the saved registers, from above: prologs save it first. */
function repairFramePointer(
  variables: Variables,
  frame: StackFrame,
  record: StackWin,
  parameters: bigint,
  better: bigint | undefined,
  around: Surroundings,
): void {
  const stack = stackOf(frame, around);
  const ebp = variables.get('$ebp')!;
  const offset = better ?? 0n;
  const skippedFrames = better !== undefined && ebp <= variables.get('.raSearchStart')! + offset;
  if (!skippedFrames && stack.word(ebp, 4) !== undefined) return;
  const lowest = known(frame, 'esp') + parameters;
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
