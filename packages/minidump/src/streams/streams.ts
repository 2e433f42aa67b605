// The registry of all supported streams. To add one, create a file next to this one and add a line here.
import type { StreamKind } from '../minidump.ts';
import { ASSERTION } from './assertion.ts';
import { BREAKPAD_INFO } from './breakpad-info.ts';
import { CRASHPAD_INFO } from './crashpad-info.ts';
import { EXCEPTION } from './exception.ts';
import { HANDLE_DATA } from './handle-data.ts';
import { LINUX_AUXV } from './linux-auxv.ts';
import { LINUX_COMMAND_LINE } from './linux-command-line.ts';
import { LINUX_CPU_INFO } from './linux-cpu-info.ts';
import { LINUX_ENVIRONMENT } from './linux-environment.ts';
import { LINUX_LSB_RELEASE } from './linux-lsb-release.ts';
import { LINUX_MAPS } from './linux-maps.ts';
import { LINUX_PROC_LIMITS } from './linux-proc-limits.ts';
import { LINUX_PROC_STATUS } from './linux-proc-status.ts';
import { MAC_BOOT_ARGS } from './mac-boot-args.ts';
import { MAC_CRASH_INFO } from './mac-crash-info.ts';
import { MEMORY_LIST } from './memory.ts';
import { MEMORY_INFO } from './memory-info.ts';
import { MEMORY64_LIST } from './memory64.ts';
import { MISC_INFO } from './misc-info.ts';
import { MODULES } from './modules.ts';
import { SOFT_ERRORS } from './soft-errors.ts';
import { SYSTEM_INFO } from './system-info.ts';
import { THREAD_INFO } from './thread-info.ts';
import { THREAD_NAMES } from './thread-names.ts';
import { THREADS } from './threads.ts';
import { UNLOADED_MODULES } from './unloaded-modules.ts';

/** Sorted by stream type. */
export const STREAMS: readonly StreamKind<unknown>[] = [
  THREADS,
  MODULES,
  MEMORY_LIST,
  EXCEPTION,
  SYSTEM_INFO,
  MEMORY64_LIST,
  HANDLE_DATA,
  UNLOADED_MODULES,
  MISC_INFO,
  MEMORY_INFO,
  THREAD_INFO,
  THREAD_NAMES,
  CRASHPAD_INFO,
  BREAKPAD_INFO,
  ASSERTION,
  LINUX_CPU_INFO,
  LINUX_PROC_STATUS,
  LINUX_LSB_RELEASE,
  LINUX_COMMAND_LINE,
  LINUX_ENVIRONMENT,
  LINUX_AUXV,
  LINUX_MAPS,
  MAC_CRASH_INFO,
  MAC_BOOT_ARGS,
  LINUX_PROC_LIMITS,
  SOFT_ERRORS,
];
