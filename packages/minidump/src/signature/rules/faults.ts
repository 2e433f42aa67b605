// The rules for faults of the machine: a broken disk or memory, and not enough memory.
import type { CrashFacts, Rule } from './rule.ts';

// The rule for disk and memory faults, which can happen in any function.

/** Windows codes for a page that could not be read from disk: the disk is broken or was removed. */
const HARDWARE =
  /STATUS_(?:DEVICE_DATA_ERROR|DEVICE_HARDWARE_ERROR|CRC_ERROR|DISK_CORRUPT_ERROR|IO_DEVICE_ERROR|NO_SUCH_DEVICE|NONEXISTENT_SECTOR)|MEMERR/;

export const badHardwareRule: Rule = {
  name: 'bad-hardware',
  applies: ({ reason }) => HARDWARE.test(reason ?? ''),
  act: ({ reason }, signature) => ({
    signature: `bad hardware | ${signature}`,
    notes: [`${reason} is a hardware fault, not a fault of the program`],
  }),
};

// The rule for failed allocations: how much memory was requested says more than where it was requested.

/** Up to this many bytes, it is chance which allocation failed, so the frames are left out. */
const MAX_SMALL_SIZE = 256 * 1024;
/** Windows last errors and crash reasons. */
const CODES =
  /\b(?:ERROR_(?:COMMITMENT_LIMIT|NOT_ENOUGH_MEMORY|OUTOFMEMORY)|STATUS_(?:FATAL_MEMORY_EXHAUSTION|NO_MEMORY|COMMITMENT_LIMIT)|(?:COR_)?E_OUTOFMEMORY|COR_E_INSUFFICIENTMEMORY|Out of Memory)\b/;
/** Labels of functions that run when memory is exhausted. */
const FUNCTIONS =
  /^(?:F\w*PlatformMemory::OnOutOfMemory|FMallocBinned\w*::OutOfMemory|std::__throw_bad_alloc|std::_Xbad_alloc|(?:alloc::)?alloc::handle_alloc_error|(?:std::alloc::)?rust_oom|__rg_oom|MemoryManager::OutOfMemoryError|il2cpp::vm::Exception::RaiseOutOfMemoryException|mono_gc_out_of_memory|runtime\.throwOOM|__scrt_throw_std_bad_alloc|(?:base|partition_alloc)::(?:internal::|\(anonymous namespace\)::)*(?:TerminateBecauseOutOfMemory|OnNoMemory\w*)|partition_alloc::PartitionRoot::OutOfMemory\w*|v8::internal::(?:V8::|Heap::)?FatalProcessOutOfMemory|v8::base::FatalOOM|node::OOMErrorHandler|blink::(?:BlinkGCOutOfMemory|ReportOOM\w*)|qBadAlloc|(?:EX_)?ThrowOutOfMemory|report_vm_out_of_memory)$/;
/** Messages of engines: `Ran out of memory allocating 1048576 bytes with alignment 16`, `Could not allocate memory`. */
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
    if (size <= MAX_SMALL_SIZE)
      return {
        signature: 'OOM | small',
        notes: [evidence, `small allocation (${size} bytes), so the frames are ignored`],
      };
    return { signature: `OOM | large | ${signature}`, notes: [evidence, `large allocation (${size} bytes)`] };
  },
};

function evidenceOf(facts: CrashFacts): string | undefined {
  if (typeof facts.allocationSize === 'number') return 'an allocation failed';
  if (CODES.test(facts.lastError ?? '')) return `the last error is ${facts.lastError}`;
  if (CODES.test(facts.reason ?? '')) return `the reason is ${facts.reason}`;
  const frame = facts.labels.find(({ label }) => FUNCTIONS.test(label));
  if (frame) return `\`${frame.label}\` is on the stack`;
  if (TEXTS.test((facts.assertion ?? '').slice(0, 4096))) return 'the assertion text reports it';
  return undefined;
}

function sizeIn(text: string): number | undefined {
  const digits = SIZE.exec(text.slice(0, 4096))?.[1];
  return digits === undefined ? undefined : Number(digits);
}
