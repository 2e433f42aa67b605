// The rule for programs that got no memory: where they asked says little, how much they asked for says more.
import type { CrashFacts, Rule } from './rule.ts';

/** Up to this many bytes any allocation could have been the one that failed, so the frames are left out. */
const SMALL = 256 * 1024;
/** Last errors and reasons of Windows. */
const CODES =
  /\b(?:ERROR_(?:COMMITMENT_LIMIT|NOT_ENOUGH_MEMORY|OUTOFMEMORY)|STATUS_(?:FATAL_MEMORY_EXHAUSTION|NO_MEMORY|COMMITMENT_LIMIT)|E_OUTOFMEMORY|Out of Memory)\b/;
/** Functions that run when there is no memory left, as labels. */
const FUNCTIONS =
  /^(?:F\w*PlatformMemory::OnOutOfMemory|FMallocBinned\w*::OutOfMemory|std::__throw_bad_alloc|std::_Xbad_alloc|(?:alloc::)?alloc::handle_alloc_error|(?:std::alloc::)?rust_oom|__rg_oom|MemoryManager::OutOfMemoryError|il2cpp::vm::Exception::RaiseOutOfMemoryException|mono_gc_out_of_memory|runtime\.throwOOM|__scrt_throw_std_bad_alloc)$/;
/** What engines print: `Ran out of memory allocating 1048576 bytes with alignment 16`, `Could not allocate memory`. */
const TEXTS =
  /\bout of memory\b|\bcould not allocate memory\b|\bstd::bad_alloc\b|\bmemory allocation of \d+ bytes failed\b/i;
const SIZE = /\b(?:allocating|allocation of|allocate|size:?) (\d{1,15})\b/i;

export const outOfMemoryRule: Rule = {
  name: 'out-of-memory',
  applies: (facts) => evidenceOf(facts) !== undefined,
  act(facts, signature) {
    const evidence = evidenceOf(facts) ?? '';
    const size = facts.allocationSize ?? sizeIn(facts.assertion ?? facts.message ?? '');
    if (size === undefined) return { signature: `OOM | unknown | ${signature}`, notes: [evidence] };
    if (size <= SMALL)
      return { signature: 'OOM | small', notes: [evidence, `${size} bytes are few: the frames are left out`] };
    return { signature: `OOM | large | ${signature}`, notes: [evidence, `${size} bytes were asked for`] };
  },
};

function evidenceOf(facts: CrashFacts): string | undefined {
  if (typeof facts.allocationSize === 'number') return 'an allocation failed';
  if (CODES.test(facts.lastError ?? '')) return `the last error is ${facts.lastError}`;
  if (CODES.test(facts.reason ?? '')) return `the reason is ${facts.reason}`;
  const frame = facts.labels.find(({ label }) => FUNCTIONS.test(label));
  if (frame) return `\`${frame.label}\` is on the stack`;
  if (TEXTS.test((facts.assertion ?? '').slice(0, 4096))) return 'the assertion says so';
  return undefined;
}

function sizeIn(text: string): number | undefined {
  const digits = SIZE.exec(text.slice(0, 4096))?.[1];
  return digits === undefined ? undefined : Number(digits);
}
